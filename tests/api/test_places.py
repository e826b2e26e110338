"""Places of streams: how many, whose, and who loses theirs."""

import asyncio

import pytest

from superbizagent.api.problems import Refused
from superbizagent.api.streams.places import Places
from superbizagent.domain.access import ANYBODY, Permission, Principal

ONE = Principal(name="one", token_id="1", permissions=frozenset({Permission.READ}))  # noqa: S106 - an id

pytestmark = pytest.mark.anyio


async def _allowed(caller: Principal) -> bool:
    return caller != ONE


async def test_there_are_as_many_places_as_the_limit_says() -> None:
    places = Places(1, _allowed, lambda: None)
    with places.take(ANYBODY) as place:
        pass
    with pytest.raises(Refused) as refused, places.take(ANYBODY):
        pass
    assert refused.value.status_code == 503
    assert refused.value.headers == {"Retry-After": "10"}
    places.give_back(place)
    with pytest.raises(ValueError, match="no session"), places.take(ANYBODY):
        raise ValueError("no session")
    assert places.taken == 0


async def test_who_is_not_let_in_any_more_loses_the_place() -> None:
    woken = asyncio.Event()
    places = Places(9, _allowed, woken.set, check_seconds=0.01)
    with places.take(ONE) as theirs, places.take(ANYBODY) as other:
        await asyncio.wait_for(woken.wait(), 5)
        assert theirs.over
        assert not other.over
    places.give_back(theirs)
    places.give_back(other)
