"""What was changed when: files of deploy events, a local repository, what was reported to us."""

from superbizagent.datasources.changes.git import is_repository
from superbizagent.datasources.changes.reported import ReportedChanges
from superbizagent.datasources.changes.source import GIT, ChangeSource

__all__ = ["GIT", "ChangeSource", "ReportedChanges", "is_repository"]
