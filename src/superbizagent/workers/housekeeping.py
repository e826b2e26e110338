"""What a worker does beside diagnoses: sources are examined, the normal state is learnt anew."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from superbizagent.domain.source_state import SourceState
from superbizagent.errors import StorageError, SuperbizError
from superbizagent.storage.service_state import LEARNING, SOURCES
from superbizagent.storage.store import Storage
from superbizagent.telemetry import get_logger

__all__ = ["Examine", "Housekeeper", "Learn"]

Examine = Callable[[], Awaitable[Sequence[SourceState]]]
"""Asks every source how it is."""

Learn = Callable[[], Awaitable[str]]
"""Learns the normal state of the live systems; returns in a few words what came of it."""

_EXAMINE_SECONDS = 60.0
_JITTER = 0.1
"""Of the time between two examinations: many services must not ask one server in step."""
_LOOK_SECONDS = 600.0
"""How often it is asked whether learning is due."""
_DAY = timedelta(hours=24)


class Housekeeper:
    """Keeps house until it is cancelled.

    Args:
        storage: where the results go.
        examine: asks the sources.
        learn: learns; None: there is nothing to learn from, or it is not wanted.
        every_seconds: between two examinations.
        first_learn_seconds: after the start; what waits in the queue goes before.
    """

    def __init__(
        self,
        storage: Storage,
        examine: Examine,
        learn: Learn | None,
        *,
        every_seconds: float = _EXAMINE_SECONDS,
        first_learn_seconds: float = 300.0,
    ) -> None:
        self._storage = storage
        self._examine = examine
        self._learn = learn
        self._every_seconds = every_seconds
        self._first_learn_seconds = first_learn_seconds
        self._log = get_logger("housekeeping")

    async def keep(self) -> None:
        """Do both, each at its own pace."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_examining())
            if self._learn is not None:
                group.create_task(self._keep_learning(self._learn))

    async def examine(self) -> None:
        """Ask the sources once, and store what they said."""
        found = [state.model_dump(mode="json") for state in await self._examine()]
        await self._storage.state.set(SOURCES, {"items": found})

    async def learn(self, learn: Learn) -> bool:
        """Learn once if that is due; tell whether it was.

        The day is taken in the database before it begins, so of several workers one does it, and
        one that fails is tried again the next day.
        """
        if not await self._storage.state.take(LEARNING, {"said": "under way"}, _DAY):
            return False
        try:
            said = await learn()
            self._log.info("the normal state was learnt", said=said)
        except SuperbizError as error:
            said = f"failed: {error}"
            self._log.warning("the normal state was not learnt", error=str(error))
        except Exception as error:  # noqa: BLE001 - learning must not end the worker
            said = "failed: internal error"
            self._log.error("the normal state was not learnt", exc_info=error)
        await self._storage.state.set(LEARNING, {"said": said})
        return True

    async def _keep_examining(self) -> None:
        while True:
            try:
                await self.examine()
            except StorageError as error:  # locked, full, gone: it may come back
                self._log.error("the database does not answer", error=str(error))
            except Exception as error:  # noqa: BLE001 - nor must a source
                self._log.error("the sources could not be examined", exc_info=error)
            part = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load
            await asyncio.sleep(self._every_seconds * part)

    async def _keep_learning(self, learn: Learn) -> None:
        await asyncio.sleep(self._first_learn_seconds)
        while True:
            try:
                await self.learn(learn)
            except StorageError as error:
                self._log.error("the database does not answer", error=str(error))
            await asyncio.sleep(_LOOK_SECONDS)
