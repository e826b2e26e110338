"""What can be done with a session: give it up, queue it again, start another one, judge it."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.api.access import Caller, needs
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.forks import Fork, forked
from superbizagent.api.problems import Refused, documented
from superbizagent.api.services import services_of
from superbizagent.api.stored import SessionId, session_of
from superbizagent.domain.access import Permission
from superbizagent.domain.feedback import Judgement
from superbizagent.domain.finding import FaultKind
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.errors import UsageError
from superbizagent.storage.service_state import CANCEL

__all__ = ["router"]

router = APIRouter(
    prefix="/api/sessions/{session_id}",
    tags=["sessions"],
    dependencies=[Depends(needs(Permission.DIAGNOSE))],
)

_FORK = "start a new one from it: POST /api/sessions/{}/fork"


class Judged(BaseModel):
    """What a person says of an answer."""

    model_config = {"extra": "forbid"}

    judgement: Judgement
    right_entity: str = Field("", max_length=255, examples=["default/default/service/orders"])
    right_fault_kind: FaultKind | None = None
    comment: str = Field("", max_length=10_000)


@router.post(
    "/cancel",
    response_model=Envelope[DiagnosisSession],
    summary="Give a session up",
    responses={202: {"model": Envelope[DiagnosisSession], "description": "The worker will end it"}}
    | documented(401, 403, 404, 409),
)
async def cancel(request: Request, session_id: SessionId) -> Response:
    """End a session that waits at once; tell the worker to end one that runs, and answer 202."""
    services = services_of(request)
    storage = services.storage
    session = await session_of(services, session_id)
    if session.status in {SessionStatus.QUEUED, SessionStatus.PAUSED}:
        try:
            await storage.sessions.move(session_id, SessionStatus.CANCELLED)
        except UsageError:  # a worker took it just now
            session = await session_of(services, session_id)
        else:
            await storage.queue.remove(session_id)
            return ok(await session_of(services, session_id))
    if session.status.is_final:
        raise Refused(
            409,
            f"session {session_id!r} is {session.status.value} already",
            "nothing is left to be cancelled",
        )
    await storage.state.set(f"{CANCEL}{session_id}", {"at": services.clock.now().isoformat()})
    services.wake_worker()
    return ok(session, 202)


@router.post(
    "/requeue",
    response_model=Envelope[DiagnosisSession],
    summary="Queue a session that was left lying",
    responses=documented(401, 403, 404, 409),
)
async def requeue(request: Request, session_id: SessionId) -> Response:
    """Queue a session whose worker is gone, or that waits and is in no queue.

    It goes on behind its last record. One that has ended is sealed and not opened again.
    """
    services = services_of(request)
    storage = services.storage
    session = await session_of(services, session_id)
    if session.status.is_final:
        raise Refused(
            409,
            f"session {session_id!r} is {session.status.value}, and what has ended stays as it is",
            _FORK.format(session_id),
        )
    if session.status is SessionStatus.RUNNING:
        if session_id not in await storage.claims.orphans():
            raise Refused(
                409,
                f"session {session_id!r} is being worked on",
                f"wait for it, or give it up: POST /api/sessions/{session_id}/cancel",
            )
        await storage.sessions.move(session_id, SessionStatus.QUEUED)
    elif session.status is SessionStatus.PAUSED:
        await storage.sessions.move(session_id, SessionStatus.QUEUED)
    await storage.queue.put_back(session_id)
    services.wake_worker()
    return ok(await session_of(services, session_id))


@router.post(
    "/fork",
    response_model=Envelope[DiagnosisSession],
    summary="Start a new session about the same incident",
    responses=documented(401, 403, 404, 409, 422),
)
async def fork(
    request: Request, session_id: SessionId, wanted: Annotated[Fork | None, Body()] = None
) -> Response:
    """Queue a new session with the same incident and sources, another window, services, question.

    Its `parent_session_id` is the one it came from.
    """
    services = services_of(request)
    parent = await session_of(services, session_id)
    session = forked(services, parent, wanted or Fork())
    stored = await services.storage.queue.put(session)
    services.wake_worker()
    return ok(stored)


@router.post(
    "/feedback",
    response_model=Envelope[dict[str, Any]],
    summary="Say whether an answer was right",
    responses=documented(401, 403, 404, 409, 422),
)
async def give_feedback(
    request: Request, session_id: SessionId, caller: Caller, said: Judged
) -> Response:
    """Store a judgement, and return the session with all of them.

    The last word of each person counts; later reports of the same kind show how often answers
    like this were right.
    """
    services = services_of(request)
    session = await session_of(services, session_id)
    if not session.verdict:
        raise Refused(
            409,
            f"session {session_id!r} is {session.status.value} and has no answer to judge",
            f"wait until it is completed: GET /api/traces/{session_id}",
        )
    given = await services.storage.feedback.give(
        session,
        said.judgement,
        author=caller.name,
        right_entity=said.right_entity,
        right_fault_kind=said.right_fault_kind.value if said.right_fault_kind else "",
        comment=said.comment,
    )
    return ok(
        {
            "session": session,
            "feedback": await services.storage.feedback.of_session(session_id),
            "track_record": await services.storage.feedback.record(given.kind, session_id),
        }
    )
