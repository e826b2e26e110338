"""Learn what a system is like, and hold it against that."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import prometheus_server
from commanding import Superbiz
from prometheus_server import PrometheusServer
from shop_history import span_before, write_history

pytestmark = pytest.mark.real_server

CALM_UNTIL = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=20)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    """A Prometheus with three good days until twenty minutes ago."""
    prometheus_server.need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("shop"))
    write_history(server, *span_before(CALM_UNTIL, days=3))
    yield server
    server.stop()


def calm_hour(question: str) -> tuple[str, ...]:
    start = CALM_UNTIL - timedelta(hours=1)
    span = ("--from", start.isoformat(), "--to", CALM_UNTIL.isoformat())
    return ("diagnose", "--question", question, *span, "--lang", "en", "-q")


def test_a_calm_system_is_healthy_once_it_was_learnt_and_a_broken_one_is_not(
    superbiz: Superbiz, shop: PrometheusServer
) -> None:
    url = ("--prometheus", shop.url)
    before = superbiz(*calm_hour("is all well?"), *url)
    print(before.out)
    learnt = superbiz("baseline", "learn", *url, "--since", "3d")
    print(learnt.out, learnt.err)
    print(superbiz("baseline", "show").out)
    after = superbiz(*calm_hour("is all well?"), *url)
    print(after.out, after.err)
    assert 0
