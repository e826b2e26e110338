"""What a turn is about: what it says, and for the rest what the session before was about."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from stored_session import START, open_storage, scope_of
from superbizagent.domain.entity import Entity
from superbizagent.domain.incident import Channel, Incident, Language
from superbizagent.domain.scope import Assumption, Scope
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.window import Window
from superbizagent.investigation.conversation import (
    Turn,
    TurnKind,
    incident_of_turn,
    prepare_turn,
)

LATER = START + timedelta(hours=3)
HOUR = Window(start=LATER - timedelta(hours=1), end=LATER)


def asked(text: str = "and?", **fields: object) -> Incident:
    told = {"channel": Channel.CHAT, "question": text, "received_at": LATER, **fields}
    return Incident.model_validate(told)


def before(*names: str, takes_everything: bool = False) -> DiagnosisSession:
    scope: Scope = scope_of().model_copy(
        update={
            "entities": tuple(Entity(kind="service", name=name) for name in names),
            "assumptions": (Assumption(code="all_entities"),) if takes_everything else (),
        }
    )
    incident = scope.incident.model_copy(update={"timezone": "+08:00"})
    return DiagnosisSession(
        session_id="s-0",
        payload={"incident": incident.model_dump(mode="json")},
        scope=scope.model_dump(mode="json"),
        created_at=START,
        updated_at=START,
    )


def test_another_time_is_asked_of_the_same_services_in_the_same_zone() -> None:
    turn = Turn(kind=TurnKind.LOOK, window=HOUR, session_id="s-0", language=Language.ZH)
    found = incident_of_turn(turn, asked(), before("orders", "mysql"))
    assert (found.services, found.start, found.end) == (("orders", "mysql"), HOUR.start, HOUR.end)
    assert (found.timezone, found.language, found.carried) == ("+08:00", "zh", ("service",))


def test_another_service_is_asked_about_the_same_time() -> None:
    turn = Turn(kind=TurnKind.LOOK, names=("payment",), session_id="s-0")
    found = incident_of_turn(turn, asked(), before("orders"))
    assert (found.services, found.carried) == (("payment",), ("window",))
    assert (found.start, found.end) == (START, START + timedelta(minutes=10))


def test_where_all_was_looked_at_all_is_looked_at_again() -> None:
    turn = Turn(kind=TurnKind.LOOK, window=HOUR, session_id="s-0")
    found = incident_of_turn(turn, asked(), before("a", "b", takes_everything=True))
    assert (found.services, found.carried) == ((), ())


def test_a_question_of_its_own_takes_nothing_but_the_zone() -> None:
    turn = Turn(kind=TurnKind.DIAGNOSE, session_id="s-0")
    found = incident_of_turn(turn, asked("why is payment slow"), before("orders"))
    assert (found.services, found.start, found.carried) == ((), None, None)
    assert found.timezone == "+08:00"


def test_it_is_the_service_that_was_spoken_of() -> None:
    turn = Turn(kind=TurnKind.DIAGNOSE, names=("orders",), pronoun="it", session_id="s-0")
    found = incident_of_turn(turn, asked("why is it slow"), before("orders"))
    assert (found.services, found.carried) == (("orders",), ("service",))


def test_what_the_caller_narrowed_down_stands() -> None:
    turn = Turn(kind=TurnKind.LOOK, window=HOUR, session_id="s-0")
    told = asked(services=("mysql",), start=START, end=LATER)
    found = incident_of_turn(turn, told, before("orders"))
    assert (found.services, found.start, found.end) == (("mysql",), START, LATER)


def test_the_first_turn_has_nothing_before_it() -> None:
    turn = Turn(kind=TurnKind.DIAGNOSE, window=HOUR)
    found = incident_of_turn(turn, asked("why is it slow"), None)
    assert (found.start, found.carried, found.timezone) == (HOUR.start, None, "UTC")


@pytest.mark.parametrize(
    ("columns", "is_read"),
    [
        ({"conversation_id": "c"}, True),
        ({"conversation_id": None}, False),
        ({"conversation_id": "c", "channel": Channel.AIOPS}, False),
        ({"conversation_id": "c", "parent_session_id": "s-0"}, False),
    ],
)
def test_only_a_turn_that_waits_is_read(
    tmp_path: Path, columns: dict[str, object], *, is_read: bool
) -> None:
    async def run() -> DiagnosisSession:
        told = {
            "session_id": "s-1",
            "channel": Channel.CHAT,
            "payload": {"incident": asked("hello").model_dump(mode="json")},
            "created_at": LATER,
            "updated_at": LATER,
            **columns,
        }
        async with open_storage(tmp_path) as storage:
            stored = await storage.sessions.create(DiagnosisSession.model_validate(told))
            first = await prepare_turn(storage, stored)
            assert await prepare_turn(storage, first) == first
            return first

    assert ("turn" in asyncio.run(run()).payload) is is_read
