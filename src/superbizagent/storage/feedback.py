"""``feedback``: what people said of answers. Every word is kept, the last of each one counts."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, insert, select

from superbizagent.domain.feedback import Feedback, Judgement, TrackRecord, answer_kind
from superbizagent.domain.protocols import Clock
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.session import DiagnosisSession
from superbizagent.errors import UsageError
from superbizagent.storage.database import Database
from superbizagent.storage.ids import new_id
from superbizagent.storage.service_tables import feedback

__all__ = ["FeedbackRepository", "kind_of"]


class FeedbackRepository:
    """Writes judgements and counts them."""

    def __init__(self, database: Database, clock: Clock, redactor: Redactor) -> None:
        self._database = database
        self._clock = clock
        self._redactor = redactor

    async def give(  # noqa: PLR0913 - what a person may say
        self,
        session: DiagnosisSession,
        judgement: Judgement,
        *,
        author: str,
        right_entity: str = "",
        right_fault_kind: str = "",
        comment: str = "",
    ) -> Feedback:
        """Store one judgement; comments are redacted like everything that is stored.

        Raises:
            UsageError: when the session has no answer yet.
        """
        kind = kind_of(session)
        if not kind:
            raise UsageError(
                f"session {session.session_id!r} is {session.status.value} and has no answer to"
                " judge; wait until it is completed"
            )
        now = self._clock.now()
        given = Feedback(
            feedback_id=new_id(now),
            session_id=session.session_id,
            judgement=judgement,
            kind=kind,
            right_entity=self._redactor.text(right_entity),
            right_fault_kind=right_fault_kind,
            comment=self._redactor.text(comment),
            author=author,
            created_at=now,
        )
        async with self._database.write() as connection:
            last: Any = (await connection.execute(_last_of(given))).scalar()
            given = given.model_copy(update={"created_at": _behind(last, now)})
            await connection.execute(insert(feedback), given.model_dump())
        return given

    async def of_session(self, session_id: str) -> tuple[Feedback, ...]:
        """Return what was said of a session, oldest first."""
        query = select(feedback).where(feedback.c.session_id == session_id)
        query = query.order_by(feedback.c.created_at, feedback.c.feedback_id)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(Feedback.model_validate(dict(row)) for row in rows)

    async def record(self, kind: str, session_id: str) -> TrackRecord:
        """Count how often answers of a kind were right, this session's own left out."""
        later = feedback.alias()
        outdated = (
            select(later.c.feedback_id)
            .where(
                later.c.session_id == feedback.c.session_id,
                later.c.author == feedback.c.author,
                later.c.created_at > feedback.c.created_at,
            )
            .exists()
        )
        query = (
            select(feedback.c.judgement, func.count())
            .where(feedback.c.kind == kind, feedback.c.session_id != session_id, ~outdated)
            .group_by(feedback.c.judgement)
        )
        async with self._database.read() as connection:
            counts = {str(word): number for word, number in await connection.execute(query)}
        return TrackRecord(
            kind=kind, judged=sum(counts.values()), right=counts.get(Judgement.CONFIRM.value, 0)
        )


def _last_of(given: Feedback) -> Select[tuple[datetime]]:
    return select(func.max(feedback.c.created_at)).where(
        feedback.c.session_id == given.session_id, feedback.c.author == given.author
    )


def _behind(last: datetime | None, now: datetime) -> datetime:
    """Return a time behind the last word of a person, also when the clock stands or goes back."""
    return now if last is None else max(now, last + timedelta(microseconds=1))


def kind_of(session: DiagnosisSession) -> str:
    """Return the `answer_kind` of a session."""
    return answer_kind(session.verdict, session.report, session.selected_skill, session.reasoner)
