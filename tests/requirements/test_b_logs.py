"""B-26: log lines of the parts of a run carry its session id."""

import json
from pathlib import Path

import pytest

from serving import serving

pytestmark = [pytest.mark.real_server, pytest.mark.timeout(120)]


def test_b26_the_lines_of_worker_and_tools_carry_the_session(tmp_path: Path) -> None:
    chatty = {"SUPERBIZ_LOG_LEVEL": "debug", "SUPERBIZ_LOG_JSON": "1"}
    with serving(tmp_path / "data", **chatty) as one, one.client() as client:
        asked = {"Id": "logged", "Question": "why is order-service slow?"}
        assert client.post("/api/chat", json=asked).json()["data"]["success"]
        one.stop()
        lines = [json.loads(t) for t in one.log.read_text().splitlines() if t.startswith("{")]
    mine = [line for line in lines if line.get("session_id") == "logged"]
    assert {"session", "tools"} <= {line["component"] for line in mine}
    stored = {line["tool"] for line in mine if line["component"] == "tools"}
    assert {"query_metrics", "search_logs"} <= stored
    assert not [line for line in lines if line["component"] == "tools" and line not in mine]
