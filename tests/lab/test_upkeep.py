"""What happens in a healthy time beside the customers."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from lab import upkeep
from lab.names import USUAL

ENOUGH = 20


class _EnoughError(Exception):
    """Ends work that would go on for ever."""


@dataclass
class _Stack:
    """Remembers what it is told to do."""

    names: Any = USUAL
    done: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def fleet(self) -> "_Stack":
        return self

    def release(self, service: str) -> str:
        return service

    async def deploy(self, service: str, release: str) -> None:
        assert release == service
        self._note("restart", service)

    async def deploy_next(self, service: str) -> None:
        self._note("deploy", service)

    def _note(self, what: str, service: str) -> None:
        self.done.append((what, service))
        if len(self.done) == ENOUGH:
            raise _EnoughError


def changes_of(seed: int) -> list[tuple[str, str]]:
    stack = _Stack()
    worker = upkeep.Upkeep(cast("Any", stack), seed=seed)
    with pytest.raises(_EnoughError):
        asyncio.run(worker._changes())  # pyright: ignore[reportPrivateUsage]
    return stack.done


def test_restarts_and_listed_deploys_come_as_the_seed_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upkeep, "_CHANGE_EVERY", (0.0, 0.0))
    done = changes_of(3)
    assert {what for what, _ in done} == {"restart", "deploy"}
    assert {service for _, service in done} == set(USUAL.services)
    assert done == changes_of(3)
    assert done != changes_of(4)
