"""What was changed when: files of deploy events, commits and tags of a local repository."""

from superbizagent.datasources.changes.git import is_repository
from superbizagent.datasources.changes.source import GIT, ChangeSource

__all__ = ["GIT", "ChangeSource", "is_repository"]
