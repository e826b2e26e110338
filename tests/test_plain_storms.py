"""Storms of unrelated services come apart by labels and groups alone."""

from itertools import count

import pytest

from benchmarks.grouping import pairwise
from benchmarks.plain_storms import PLAIN_SHAPES, make_plain_storm
from superbizagent.analysis.incidents.grouper import Grouper
from superbizagent.domain.intake import IntakeConfig
from superbizagent.domain.payload import parse_payload
from superbizagent.settings import Settings


@pytest.mark.parametrize("shape", PLAIN_SHAPES)
@pytest.mark.parametrize("seed", [1, 2])
def test_unrelated_services_come_apart_without_a_call_graph(shape: str, seed: int) -> None:
    numbers = count()
    labels = Settings.model_fields["entity_labels"].default
    grouper = Grouper(IntakeConfig(), labels, lambda: f"i{next(numbers)}")
    truth: dict[str, str] = {}
    guess: dict[str, str] = {}
    for one in make_plain_storm(seed, shape, count=1000):
        placed = grouper.place(parse_payload(one.body).alerts[0], one.received_at)
        if one.truth:
            truth[placed.fingerprint] = one.truth
            guess[placed.fingerprint] = placed.incident_id
    found = pairwise(list(truth.values()), [guess[f] for f in truth])
    assert found[2] >= 0.99, found
