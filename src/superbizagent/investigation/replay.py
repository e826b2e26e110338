"""Run a stored session again from its record alone: no network, no source, no model, no write."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from superbizagent.domain.canonical import digest
from superbizagent.domain.gathering import RunConfig
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.session import DiagnosisSession
from superbizagent.errors import ReplayMismatchError
from superbizagent.investigation.journal import Journal
from superbizagent.investigation.pipeline import Diagnosis, Toolbox
from superbizagent.investigation.run import diagnosis_of_session
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage

__all__ = ["Replayed", "replay_session"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to, beside what is stored."""

    session: DiagnosisSession
    diagnosis: Diagnosis | None
    """None when another version could not follow the record."""
    digest: str
    differing: Mapping[str, tuple[str, str]]
    """Part -> (recorded digest, present digest) of code, settings and playbooks that changed."""
    mismatch: str = ""
    """Where the replay left the record, empty when it did not."""

    @property
    def same(self) -> bool:
        """The bytes are those that are stored."""
        return self.digest == self.session.report_digest and not self.mismatch


async def replay_session(
    storage: Storage, session: DiagnosisSession, tools: Toolbox, versions: Mapping[str, str]
) -> Replayed:
    """Replay a session with the settings that it was made with.

    Args:
        storage: where it is kept.
        session: one that has ended.
        tools: playbooks, reasoner and clock; its sources are not asked.
        versions: digests of the present code and playbooks.
    """
    config = RunConfig.model_validate(session.payload["config"])
    tools = replace(tools, sources=(), config=config)
    journal = Journal(storage, session.session_id, Owner("replay"), JournalMode.REPLAY)
    diagnosis: Diagnosis | None = None
    found, mismatch = "", ""
    async with journal:
        recorded = await journal.versions(versions)
        try:
            diagnosis = await diagnosis_of_session(storage, journal, session, tools)
        except ReplayMismatchError as error:
            mismatch = str(error)
        else:
            found = digest(diagnosis.checked.report)
    return Replayed(session, diagnosis, found, _differing(recorded, versions), mismatch)


def _differing(
    recorded: Mapping[str, str], present: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    return {
        part: (recorded.get(part, ""), present.get(part, ""))
        for part in sorted({*recorded, *present})
        if recorded.get(part) != present.get(part)
    }
