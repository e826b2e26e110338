"""Numbers that no stored fact has: what counters showed, counts of samples, two times compared."""

from collections.abc import Callable

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

_NUMBERS = (PartKind.NUMBER, PartKind.DERIVED)

Judged = Callable[..., list[str]]


@pytest.fixture(scope="module")
def stands(judged: Judged) -> Callable[..., bool]:
    """Return ``text -> whether every number of it holds``, at least one."""

    def hold(text: str, **more: str) -> bool:
        found = [outcome for kind in _NUMBERS for outcome in judged(text, kind=kind, **more)]
        return bool(found) and set(found) == {"holds"}

    return hold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db_client_connection_timeouts_total stood at 716 at the end.", True),
        ("db_client_connection_timeouts_total stood at 715 at the end.", False),
        ("The timeouts counter of order-service's pool stood at 716 at the end.", True),
        # Born in the incident: none before.
        ("Requests of order-service that failed with 503 went from 0 to 716.", True),
        ("Requests of order-service that failed with 503 went from 716 to 0.", False),
    ],
)
def test_what_a_counter_showed(stands: Callable[..., bool], text: str, *, expected: bool) -> None:
    assert stands(text) is expected


def test_what_a_counter_shows_is_no_number_of_events(stands: Callable[..., bool]) -> None:
    # Its counter shows that many: most of them are older than the look.
    assert not stands("mysql opened 2,597 files.")
    assert stands("The counter of opened files of mysql began at 2,597.")
