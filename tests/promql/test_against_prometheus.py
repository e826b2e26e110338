"""The same random questions to a real Prometheus and to the evaluator.

``python -m benchmarks.promql --queries 5000`` asks more of them.
"""

import pytest

import prometheus_server
from benchmarks.promql.compare import differential
from prometheus_server import PrometheusServer

pytestmark = pytest.mark.real_server
prometheus = prometheus_server.prometheus

QUERIES = 300


def test_random_queries_have_the_answer_of_a_real_server(prometheus: PrometheusServer) -> None:
    outcomes = differential(prometheus, QUERIES)
    differing = [outcome for outcome in outcomes if outcome.difference]
    assert differing == []
    assert sum(outcome.rounded for outcome in outcomes) <= 2, "sums that nearly cancel are rare"
    with_series = [o for o in outcomes if not o.empty and not o.refused]
    assert len(with_series) > QUERIES / 2, "most questions must have an answer to compare"
