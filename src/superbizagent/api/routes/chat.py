"""Questions: answered at once, or as a stream. Each turn of a conversation is a session."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from superbizagent.api.access import needs
from superbizagent.api.asking import URGENT, asked_incident
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.problems import Refused, documented
from superbizagent.api.services import Services, services_of
from superbizagent.api.sse import EVENTS, message_of, places_of, stream
from superbizagent.api.streams.session import queued, until_end
from superbizagent.domain.access import Permission, Principal
from superbizagent.domain.incident import Channel
from superbizagent.domain.session import SESSION_ID_LENGTH, SESSION_ID_PATTERN, DiagnosisSession
from superbizagent.storage.ids import new_id

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["chat"])

_MARGIN_SECONDS = 30.0
"""Beyond a diagnosis' own deadline: it may have to wait for a free place."""

_Id = Annotated[str, Field(max_length=SESSION_ID_LENGTH, pattern=SESSION_ID_PATTERN)]
_IdOrNone = Annotated[str, Field(max_length=SESSION_ID_LENGTH, pattern=f"^$|{SESSION_ID_PATTERN}")]

Asker = Annotated[Principal, Depends(needs(Permission.DIAGNOSE))]


class ChatRequest(BaseModel):
    """A question, in a conversation or to begin one."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={"examples": [{"Id": "case-42", "Question": "why is checkout slow?"}]},
    )

    id: _IdOrNone | None = Field(
        None,
        validation_alias=AliasChoices("Id", "id", "ID"),
        description="Of the conversation; empty or left out, one is generated",
    )
    question: str = Field(
        max_length=20_000, validation_alias=AliasChoices("Question", "question", "QUESTION")
    )
    session_id: _IdOrNone | None = Field(
        None,
        validation_alias=AliasChoices("SessionId", "sessionId", "session_id"),
        description="Of this turn; the first has that of the conversation, others a new one",
    )


class ClearRequest(BaseModel):
    """Which conversation is to be forgotten."""

    id: _Id = Field(validation_alias=AliasChoices("Id", "id", "ID"))


class ChatAnswer(BaseModel):
    """What a question came to."""

    success: bool
    answer: str = Field(description="Markdown; every statement cites what it rests on")
    errorMessage: str  # noqa: N815 - the name clients know
    sessionId: str  # noqa: N815 - the name clients know
    conversationId: str  # noqa: N815 - the name clients know
    verdict: str
    evaluation: dict[str, Any]


class ChatSession(BaseModel):
    """A conversation."""

    sessionId: str  # noqa: N815 - the name clients know
    messagePairCount: int  # noqa: N815 - the name clients know
    createTime: str  # noqa: N815 - the name clients know


@router.post(
    "/chat",
    response_model=Envelope[ChatAnswer],
    summary="Ask, and wait for the answer",
    responses=documented(400, 401, 403, 409, 413, 422, 429, 503),
)
async def chat(request: Request, asked: ChatRequest, _: Asker) -> Response:
    """Answer a question once its session has ended; the answer is checked before it is sent.

    When that takes longer than a diagnosis may, `success` is false and the session goes on: its
    trace has the answer later.
    """
    services = services_of(request)
    session = await _begin(services, asked)
    seconds = float(services.template.config.get("deadline_seconds", 60)) + _MARGIN_SECONDS
    try:
        async with asyncio.timeout(seconds):
            ended = await until_end(services.storage, services.poller, session.session_id)
    except TimeoutError:
        ended = await services.storage.sessions.require(session.session_id)
    return ok(_answer(ended, seconds))


@router.post(
    "/chat_stream",
    response_class=Response,
    summary="Ask, and follow how the answer is found",
    responses={**EVENTS, **documented(400, 401, 403, 409, 413, 422, 429, 503)},
)
async def chat_stream(request: Request, asked: ChatRequest, caller: Asker) -> Response:
    """Send events named `message`, JSON `{type, data}`.

    Types are `status, plan, tool_call, tool_result, content, report, usage, heartbeat, done,
    error`. `content` holds only statements that passed the checks, and `done` comes last.
    """
    services = services_of(request)
    with places_of(request).take(caller) as place:
        session = await _begin(services, asked)
        return stream(request, place, queued(services.poller, session, place), message_of)


@router.post(
    "/chat/clear",
    response_model=Envelope[str],
    summary="Forget a conversation",
    responses=documented(401, 403, 404, 422, 429),
)
async def clear(request: Request, asked: ClearRequest, _: Asker) -> Response:
    """Let later turns know nothing of earlier ones; stored sessions stay."""
    if not await services_of(request).storage.conversations.clear(asked.id):
        raise Refused(404, f"there is no conversation {asked.id!r}", "check the id")
    return ok(f"conversation {asked.id} is cleared")


@router.get(
    "/chat/session/{id}",
    response_model=Envelope[ChatSession],
    summary="How long a conversation is",
    responses=documented(401, 403, 404, 422, 429),
    dependencies=[Depends(needs(Permission.READ))],
)
async def chat_session(request: Request, id_: Annotated[_Id, Path(alias="id")]) -> Response:
    """Return the number of turns and the time of the first."""
    found = await services_of(request).storage.conversations.get(id_)
    if found is None:
        raise Refused(404, f"there is no conversation {id_!r}", "check the id")
    return ok(
        {
            "sessionId": found.conversation_id,
            "messagePairCount": found.turns,
            "createTime": found.created_at,
        }
    )


async def _begin(services: Services, asked: ChatRequest) -> DiagnosisSession:
    """Store and queue the session of a turn, and wake the worker.

    Raises:
        Refused: 400 when nothing is asked.
    """
    question = asked.question.replace("\x00", "").strip()
    if not question:
        raise Refused(400, "the question is empty", "say what you want to know", "usage")
    conversation = asked.id or asked.session_id or new_id(services.clock.now())
    session_id = asked.session_id or conversation
    if not asked.session_id and await services.storage.sessions.get(conversation) is not None:
        session_id = new_id(services.clock.now())
    incident = asked_incident(services, Channel.CHAT, question)
    session = services.template.new(session_id, incident, conversation_id=conversation)
    stored = await services.storage.conversations.begin(session, URGENT)
    services.wake_worker()
    return stored


def _answer(session: DiagnosisSession, seconds: float) -> dict[str, Any]:
    why = session.error
    if not session.final_report and not why:
        why = (
            f"the session was {session.status.value}"
            if session.status.is_final
            else f"no answer within {seconds:.0f} s; see /api/traces/{session.session_id}"
        )
    answered = session.status.is_final and bool(session.final_report)
    return {
        "success": answered,
        "answer": session.final_report or "",
        "errorMessage": "" if answered else why,
        "sessionId": session.session_id,
        "conversationId": session.conversation_id or session.session_id,
        "verdict": session.verdict,
        "evaluation": session.self_evaluation,
    }
