"""What the trace says of how a session was judged."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from api_client import Api, opened_api
from journaling import new_session

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def api(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Api]:
    async with opened_api(tmp_path) as opened:
        yield opened


async def test_a08_the_trace_shows_pass_warn_or_fail_with_the_reason_of_each_check(
    api: Api,
) -> None:
    await new_session(api.storage)
    checks = [
        {"id": "report_presence", "status": "PASS", "rule_id": "r", "message": "there"},
        {"id": "evidence_coverage", "status": "FAIL", "rule_id": "e", "message": "no evidence"},
    ]
    gate = {"verdict": "FAIL", "checks": checks}
    await api.storage.sessions.merge_self_evaluation("s-1", "aiops_rule_evaluation", gate)
    score = {"grade": "LOW", "score": 40, "deductions": [{"rule_id": "blank", "points": 50}]}
    await api.storage.sessions.merge_self_evaluation("s-1", "rule_evaluation", score)
    evaluations = (await api.get("/api/traces/s-1"))["evaluations"]
    assert evaluations["aiops_rule_evaluation"] == {
        "verdict": "FAIL",
        "score": None,
        "reasons": checks,
    }
    assert evaluations["rule_evaluation"]["verdict"] == "LOW"
    assert evaluations["rule_evaluation"]["score"] == 40
    assert evaluations["rule_evaluation"]["reasons"][0]["rule_id"] == "blank"
    [row] = (await api.get("/api/traces"))["items"]
    assert row["gate"] == "FAIL"
