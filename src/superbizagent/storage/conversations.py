"""``conversation``: the turns of a chat, each of which is a session."""

from sqlalchemy import delete, func, insert, select, update

from superbizagent.domain.model import Model
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.domain.window import Instant
from superbizagent.errors import ConflictError
from superbizagent.storage.database import Database
from superbizagent.storage.queue import QueueRepository
from superbizagent.storage.sessions import SessionRepository
from superbizagent.storage.tables import conversation, diagnosis_session

__all__ = ["Conversation", "ConversationRepository"]

_OPEN = (SessionStatus.QUEUED.value, SessionStatus.RUNNING.value)
_TITLE = 200
"""Characters of the first question that name a conversation."""


class Conversation(Model):
    """A row of ``conversation``."""

    conversation_id: str
    title: str
    turns: int
    created_at: Instant
    """Sessions from before it are no part of it: it was cleared."""
    updated_at: Instant


class ConversationRepository:
    """Begins turns, reads and clears conversations."""

    def __init__(
        self,
        database: Database,
        sessions: SessionRepository,
        queue: QueueRepository,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._queue = queue

    async def get(self, conversation_id: str) -> Conversation | None:
        """Return a conversation; None when there is none, or it was cleared."""
        query = select(conversation).where(conversation.c.conversation_id == conversation_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Conversation.model_validate(dict(row)) if row else None

    async def begin(self, session: DiagnosisSession, priority: int | None) -> DiagnosisSession:
        """Store and queue the session of a new turn, in one transaction.

        Args:
            session: of the turn.
            priority: in the queue; None leaves it out: the caller runs the session himself.

        Raises:
            ConflictError: when the turn before it is still being answered.
            UsageError: when the session's id is taken.
            StorageError: when the database refuses.
        """
        name = session.conversation_id or session.session_id
        open_turns = select(func.count()).where(
            diagnosis_session.c.conversation_id == name, diagnosis_session.c.status.in_(_OPEN)
        )
        mine = conversation.c.conversation_id == name
        now = session.created_at  # what came before it is no part of the conversation
        with self._sessions.refused_twice(session.session_id):
            async with self._database.write() as connection:
                if (await connection.execute(open_turns)).scalar_one():
                    raise ConflictError(
                        f"the last question of conversation {name!r} is still being answered;"
                        " wait for its end, or ask in a new conversation"
                    )
                if priority is None:
                    stored = await self._sessions.insert(connection, session)
                else:
                    stored = await self._queue.put_in(connection, session, priority)
                known = select(conversation.c.turns).where(mine)
                turns = (await connection.execute(known)).scalar()
                if turns is None:
                    row = {
                        "conversation_id": name,
                        "title": stored.question[:_TITLE],
                        "turns": 1,
                        "created_at": now,
                        "updated_at": now,
                    }
                    await connection.execute(insert(conversation), row)
                else:
                    values = {"turns": turns + 1, "updated_at": now}
                    await connection.execute(update(conversation).where(mine).values(**values))
                return stored

    async def clear(self, conversation_id: str) -> bool:
        """Forget a conversation; its sessions stay. Tell whether there was one."""
        mine = conversation.c.conversation_id == conversation_id
        async with self._database.write() as connection:
            found = await connection.execute(select(conversation.c.turns).where(mine))
            known = found.first() is not None
            await connection.execute(delete(conversation).where(mine))
        return known
