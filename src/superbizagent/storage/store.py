"""Everything that is stored, behind one object that the composition root opens."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Self

from superbizagent.domain.protocols import Clock
from superbizagent.domain.redaction import Redactor
from superbizagent.storage.alerts import AlertRepository
from superbizagent.storage.audit import AuditRepository
from superbizagent.storage.baselines import BaselineRepository
from superbizagent.storage.blobs import BlobStore
from superbizagent.storage.changes import ChangeRepository
from superbizagent.storage.claims import ClaimRepository
from superbizagent.storage.conversations import ConversationRepository
from superbizagent.storage.database import Database
from superbizagent.storage.deliveries import DeliveryRepository
from superbizagent.storage.edges import EdgeRepository
from superbizagent.storage.entries import EntryRepository
from superbizagent.storage.feed import FeedRepository
from superbizagent.storage.feedback import FeedbackRepository
from superbizagent.storage.incidents import IncidentRepository
from superbizagent.storage.invocations import InvocationRepository
from superbizagent.storage.notifications import NotificationRepository
from superbizagent.storage.queue import QueueRepository
from superbizagent.storage.schema import migrate
from superbizagent.storage.service_state import ServiceStateRepository
from superbizagent.storage.sessions import SessionRepository
from superbizagent.storage.tokens import TokenRepository
from superbizagent.storage.traces import TraceRepository

__all__ = ["Storage"]


class Storage:
    """One database with its repositories.

    Args:
        database: An open database at this version's schema.
        clock: The time.
        redactor: What takes secrets out before anything is written.
        integrity_key: Key of the journal's chain; None: a chain without a key.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock,
        redactor: Redactor,
        integrity_key: bytes | None = None,
    ) -> None:
        self.database = database
        self.clock = clock
        self.redactor = redactor
        self.integrity_key = integrity_key
        self.audit = AuditRepository(database, clock)
        self.baselines = BaselineRepository(database)
        self.blobs = BlobStore(database)
        self.claims = ClaimRepository(database, clock)
        self.entries = EntryRepository(database, integrity_key)
        self.invocations = InvocationRepository(database, self.blobs)
        self.notifications = NotificationRepository(database)
        self.sessions = SessionRepository(database, clock, redactor, integrity_key)
        self.queue = QueueRepository(database, clock, self.sessions, self.claims)
        self.conversations = ConversationRepository(database, self.sessions, self.queue)
        self.feed = FeedRepository(database)
        self.state = ServiceStateRepository(database, clock)
        self.tokens = TokenRepository(database, clock)
        self.alerts = AlertRepository(database)
        self.changes = ChangeRepository(database, clock)
        self.deliveries = DeliveryRepository(database)
        self.edges = EdgeRepository(database)
        self.incidents = IncidentRepository(database, clock)
        self.traces = TraceRepository(database)
        self.feedback = FeedbackRepository(database, clock, redactor)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        clock: Clock,
        redactor: Redactor,
        integrity_key: bytes | None = None,
        reading: bool = False,
    ) -> AsyncGenerator[Self]:
        """Open a database, bring its schema up to date, close it at the end of the block.

        Args:
            url: Which one.
            clock: The time.
            redactor: What takes secrets out before anything is written.
            integrity_key: Key of the journal's chain; None: a chain without a key.
            reading: Nothing will be written, so a file that cannot be written will do.

        Raises:
            ConfigError: when the URL is no database URL.
            StorageError: in one line, when the database cannot be used.
        """
        async with Database(url, reading=reading) as database:
            await database.probe()
            await migrate(database)
            yield cls(database, clock=clock, redactor=redactor, integrity_key=integrity_key)
