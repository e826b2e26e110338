"""A turn that needs no new look: the course of its session, as `run_pipeline` is of a diagnosis.

The calls of the session that is asked about are taken over as rows of this one, so that the answer
is replayed, verified and exported by itself; then all is computed from them, and written.
"""

from asyncio import to_thread
from collections.abc import Awaitable, Callable

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Incident
from superbizagent.domain.model import Model
from superbizagent.domain.plan import Plan
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import StorageError
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.conversation.answer import write_answer
from superbizagent.investigation.conversation.turn import Turn, TurnKind
from superbizagent.investigation.journal import Journal, typed
from superbizagent.investigation.pipeline import Diagnosis, Toolbox
from superbizagent.investigation.wording.writer import Given
from superbizagent.storage.store import Storage

__all__ = ["answer_turn"]


class _Call(Model):
    """A call that is taken over."""

    number: int
    row: str


class _Recalled(Model):
    """What is read of the session that is asked about, beside its calls."""

    session_id: str
    head_hash: str
    """Of its journal: which record it was that this answer is from."""
    scope: Scope
    plans: tuple[Plan, ...]
    calls: tuple[_Call, ...]


async def answer_turn(
    storage: Storage, journal: Journal, turn: Turn, asked: Incident, tools: Toolbox
) -> Diagnosis:
    """Answer one turn from what is stored, recording what is used before it is used.

    Args:
        storage: where the session that is asked about is; a replay does not need it.
        journal: of the turn's own session.
        turn: as it was read; its kind is none of `LOOKS`.
        asked: the turn's text and the time it came.
        tools: playbooks and settings; no source is asked.

    Returns:
        Scope, plans and analysis of the diagnosis that is spoken of, and as its report the answer.

    Raises:
        ReplayMismatchError: when a replay comes to something else than was recorded.
        IntegrityError: when a stored value is not what was written.
        StorageError: when the session that is asked about is gone, or the record cannot be written.
    """
    await journal.stage("turn", turn)
    if not turn.session_id or turn.kind is TurnKind.OTHER:
        given = Given(_scope_of_none(asked, turn), (), Evidence(), Analysis(), ())
    else:
        given = await _recall(storage, journal, turn, tools)
    tools.progress("answer", turn.kind.value)
    checked = await to_thread(
        write_answer, turn, given, asked.received_at, tools.config.entity_labels
    )
    await journal.stage("report", checked)
    return Diagnosis(given.scope, tuple(given.plans), given.evidence, given.analysis, checked)


def _scope_of_none(asked: Incident, turn: Turn) -> Scope:
    """Of an answer for which nothing was ever looked at."""
    now = Window(start=asked.received_at, end=asked.received_at)
    incident = asked.model_copy(update={"language": turn.language})
    return Scope(incident=incident, windows=Windows(incident=now, baselines=()))


async def _recall(storage: Storage, journal: Journal, turn: Turn, tools: Toolbox) -> Given:
    async def read() -> _Recalled:
        return await _read(storage, turn.session_id)

    recalled = await journal.effect("recall", {"session": turn.session_id}, read, typed(_Recalled))
    rows = [
        await journal.reuse(call.number, call.row, _loader(storage, recalled.session_id, call))
        for call in recalled.calls
    ]
    await journal.seal()
    incident = recalled.scope.incident.model_copy(update={"language": turn.language})
    scope = recalled.scope.model_copy(update={"incident": incident})
    everything = {"scope": scope.entities, "neighbour": scope.neighbours}
    await journal.describe(everything, scope=scope.model_dump(mode="json"))
    evidence = Evidence(invocations=tuple(rows))
    skills = _used(recalled.plans, tools)
    analysis = await to_thread(
        analyse_evidence,
        scope,
        evidence,
        skills,
        tools.config.entity_labels,
        is_cut=any(plan.left_out for plan in recalled.plans),
    )
    await journal.stage("analyse", analysis)
    return Given(scope, recalled.plans, evidence, analysis, skills)


def _used(plans: tuple[Plan, ...], tools: Toolbox) -> tuple[Skill, ...]:
    """The playbooks that the diagnosis used; one that is gone is left out."""
    by_name = {skill.name: skill for skill in tools.skills}
    chosen = dict.fromkeys(choice.name for plan in plans for choice in plan.skills)
    return tuple(by_name[name] for name in chosen if name in by_name)


async def _read(storage: Storage, session_id: str) -> _Recalled:
    session = await storage.sessions.require(session_id)
    if session.scope is None:
        raise StorageError(
            f"session {session_id!r}, which is asked about, has no scope; run superbiz trace verify"
        )
    last = {row["number"]: row["id"] for row in await storage.invocations.rows(session_id)}
    plans = (session.plan or {}).get("rounds", ())
    return _Recalled(
        session_id=session_id,
        head_hash=session.head_hash,
        scope=Scope.model_validate(session.scope),
        plans=tuple(Plan.model_validate(plan) for plan in plans),
        calls=tuple(_Call(number=n, row=last[n]) for n in sorted(last)),
    )


def _loader(
    storage: Storage, session_id: str, call: _Call
) -> Callable[[], Awaitable[ToolInvocation]]:
    async def load() -> ToolInvocation:
        return await storage.invocations.get(session_id, call.number)

    return load
