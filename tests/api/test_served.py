"""The service as a process: `superbiz serve` on a recording, asked over real HTTP."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from serving import serving

pytestmark = [pytest.mark.real_server, pytest.mark.timeout(180)]

RECORDING = Path(__file__).resolve().parents[2] / "examples" / "mysql-connection-pool"


@dataclass
class Served:
    """A running service."""

    client: httpx2.Client
    environment: dict[str, str]

    def get(self, path: str, **query: Any) -> Any:
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def post(self, path: str, body: Any = None) -> tuple[int, Any]:
        answer = self.client.post(path, json=body)
        return answer.status_code, answer.json()["data"]

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run the command line on the same data."""
        command = [sys.executable, "-m", "superbizagent", *args]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        )

    def wait_for(self, test: Callable[[], Any]) -> Any:
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            if found := test():
                return found
            time.sleep(0.2)
        pytest.fail("it did not happen within a minute")

    def ended(self, session_id: str) -> dict[str, Any]:
        """Wait until a session has ended; return its trace."""

        def final() -> Any:
            trace = self.get(f"/api/traces/{session_id}")
            final = trace["session"]["status"] in {"completed", "failed", "cancelled"}
            return trace if final and trace["integrity"]["sealed"] else None

        return self.wait_for(final)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("served") / "data"
    own = {"XDG_CONFIG_HOME": str(data / "config"), "TZ": "UTC", "LANG": "C"}
    with (
        serving(data, LANG="C") as service,
        httpx2.Client(base_url=service.url, timeout=30) as client,
    ):
        yield Served(client, os.environ | {"SUPERBIZ_DATA_DIR": str(data)} | own)


@pytest.fixture(scope="module")
def first(served: Served) -> str:
    """A session that the command line has diagnosed."""
    done = served.run("diagnose", str(RECORDING), "--session", "first", "--json", "-q")
    assert done.returncode == 0, done.stderr
    return "first"


def test_a_stored_diagnosis_is_read_whole(served: Served, first: str) -> None:
    trace = served.get(f"/api/traces/{first}", verify=1)
    assert trace["session"]["verdict"] == "root_cause_found"
    assert trace["integrity"]["ok"]
    assert trace["integrity"]["checked"] == "full"
    assert trace["evaluations"]["aiops_rule_evaluation"]["verdict"] == "PASS"
    shown = json.loads(served.run("trace", "show", first, "--json").stdout)
    assert trace["tool_trace_summary"] == shown["tool_trace_summary"]  # one and the same code
    for row in trace["invocations"]:
        evidence = served.get(f"/api/traces/{first}/evidence/{row['id']}", limit=1000)
        assert evidence["total"] >= len(evidence["items"])
        assert bool(evidence["output"]) == bool(row["output_digest"])
    [listed] = served.get("/api/traces", gate="PASS", tool="query_metrics")["items"]
    assert listed["session_id"] == first
    assert listed["title"]


def test_the_worker_says_how_the_sources_are(served: Served) -> None:
    items = served.wait_for(lambda: served.get("/api/sources")["items"])
    assert [(item["kind"], item["state"]) for item in items] == [("recording", "ok")]
    assert served.get("/readyz")["sources"] == {"bundle": "ok"}


def test_playbooks_are_those_of_the_command_line(served: Served) -> None:
    told = json.loads(served.run("skills", "list", "--json").stdout)["skills"]
    assert served.get("/api/skills")["items"] == told
    name = told[0]["name"]
    whole = json.loads(served.run("skills", "show", name, "--json").stdout)
    assert served.get(f"/api/skills/{name}") == whole


def test_a_fork_is_diagnosed_by_the_worker_in_its_language(served: Served, first: str) -> None:
    status, new = served.post(f"/api/sessions/{first}/fork", {"language": "zh"})
    assert status == 200
    trace = served.ended(new["session_id"])
    session = trace["session"]
    assert (session["status"], session["language"]) == ("completed", "zh")
    assert session["verdict"] == "root_cause_found"
    assert session["parent_session_id"] == first
    status, problem = served.post(f"/api/sessions/{new['session_id']}/requeue")
    assert status == 409
    assert "fork" in problem["hint"]


def test_sessions_are_cancelled_wherever_they_are(served: Served, first: str) -> None:
    names = [served.post(f"/api/sessions/{first}/fork")[1]["session_id"] for _ in range(5)]
    answers = [served.post(f"/api/sessions/{name}/cancel") for name in reversed(names)]
    assert {status for status, _ in answers} <= {200, 202, 409}
    ends = {name: served.ended(name) for name in names}
    states = [end["session"]["status"] for end in ends.values()]
    assert states.count("cancelled") >= 3  # two at a time are worked on
    for name, end in ends.items():
        assert served.get(f"/api/traces/{name}", verify=1)["integrity"]["ok"], end["session"]


def test_judgements_stand_below_later_reports_and_change_none(served: Served, first: str) -> None:
    before = served.run("replay", first)
    assert before.returncode == 0, before.stderr
    assert served.post(f"/api/sessions/{first}/feedback", {"judgement": "confirm"})[0] == 200
    told = served.run("feedback", first, "--right", "--comment", "seen in the pool's log")
    assert told.stdout == "noted; 2 of the 3 judgements that a later report needs\n"
    few = served.run("diagnose", str(RECORDING), "-q", "--session", "few")
    assert "fewer than 3 answers like this were judged" in few.stdout
    wrong = ("--wrong", "--cause", "orders", "--kind", "slow_query")
    assert "right in 2 of 3" in served.run("feedback", "few", *wrong).stdout
    flags = ("diagnose", str(RECORDING), "-q")
    assert "answers like this were right in 2 of 3" in served.run(*flags).stdout
    assert "right in 2 of 3" in served.run(*flags, "--markdown").stdout
    assert "同类结论在 3 次评判中有 2 次正确" in served.run(*flags, "--lang", "zh").stdout
    told = json.loads(served.run(*flags, "--json", "--session", "last-one").stdout)
    assert told["envelope"]["track_record"]["right"] == 2
    assert served.get("/api/traces/last-one")["track_record"]["judged"] == 3
    shown = served.run("trace", "show", "few").stdout
    assert "reject; it was slow_query orders" in shown
    assert served.run("replay", first).returncode == 0


def test_feedback_says_what_is_missing(served: Served, first: str) -> None:
    for args, words in (
        ((first,), "--right or --wrong"),
        ((first, "--right", "--kind", "cpu"), "go with --wrong"),
        ((first, "--wrong", "--kind", "gremlins"), "take one of cpu,"),
        (("nothing", "--right"), "there is no session 'nothing'"),
    ):
        ended = served.run("feedback", *args)
        assert ended.returncode == 2
        assert words in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


def test_metrics_show_what_was_asked(served: Served, first: str) -> None:
    served.get(f"/api/traces/{first}")
    text = served.client.get("/metrics").text
    assert 'superbiz_http_requests_total{method="GET",route="/api/traces/{session_id}"' in text
    assert re.search(r"superbiz_worker_seen_seconds [\d.]+", text)
    assert 'superbiz_sessions{status="completed",verdict="root_cause_found"}' in text
