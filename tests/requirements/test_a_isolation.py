"""What the gate cannot reach and what it leaves as it was: network, schema (document A)."""

import asyncio
import socket
from dataclasses import fields
from pathlib import Path
from typing import Any

import grimp
import pytest
from inline_snapshot import snapshot
from sqlalchemy import text

from gate_rows import NOW, ROWS, gate, judged
from stored_session import open_storage
from superbizagent.analysis.trace_summary import ToolTraceSummaryService
from superbizagent.investigation.finalise import AiopsRuleEvaluator, RuleEvaluator
from superbizagent.investigation.gate.rule_score import evaluate_rules
from superbizagent.storage.schema import REVISIONS

GATE = "superbizagent.investigation.gate"
MODELS = {"pydantic_ai", "openai", "mistralai", "ollama", "litellm", "transformers"}
NETWORK = {"httpx2", "httpx", "requests", "aiohttp", "urllib3", "socket", "ssl", "http", "urllib"}
EFFECTS = {"asyncio", "subprocess", "os", "pathlib", "io", "time", "random", "sqlalchemy"}
PARTS_WITH_EFFECTS = ("agents", "storage", "datasources", "cli", "settings", "api", "workers")

VERSIONS = (
    Path(__file__).resolve().parents[2] / "src" / "superbizagent" / "storage" / "migrations"
) / "versions"


@pytest.fixture(scope="module")
def reached() -> set[str]:
    """Every module the gate imports, directly or through others."""
    graph = grimp.build_graph("superbizagent", include_external_packages=True, cache_dir=None)
    return graph.find_upstream_modules(GATE, as_package=True)


def test_a05_gate_reaches_no_model_and_no_network(reached: set[str]) -> None:
    assert reached & MODELS == set()
    assert reached & NETWORK == set()
    assert "superbizagent.domain.evaluation" in reached  # the walk does find imports


def test_a05_gate_reaches_nothing_with_effects(reached: set[str]) -> None:
    assert reached & EFFECTS == set()
    inside = {name.split(".")[1] for name in reached if name.startswith("superbizagent.")}
    assert inside & set(PARTS_WITH_EFFECTS) == set()


def test_a05_evaluators_are_built_without_a_client() -> None:
    assert [f.name for f in fields(AiopsRuleEvaluator)] == ["fail_off_target", "key"]
    assert vars(RuleEvaluator()) == {}


def test_a09_connections_are_refused_in_every_test() -> None:
    with socket.socket() as client, pytest.raises(pytest.fail.Exception, match="connect"):
        client.connect(("127.0.0.1", 9))
    with socket.socket() as client, pytest.raises(pytest.fail.Exception, match="connect"):
        client.connect_ex(("192.0.2.1", 443))


@pytest.mark.real_server
def test_a09_a_marked_test_still_reaches_no_other_host() -> None:
    with socket.socket() as client, pytest.raises(pytest.fail.Exception, match="connect"):
        client.connect(("192.0.2.1", 443))
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", 9)) != 0  # refused by the system, not by the guard


def test_a09_gates_and_summaries_open_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert gate().verdict == "PASS"
    assert evaluate_rules(judged(), NOW).grade
    assert ToolTraceSummaryService().summarise(ROWS).entries


def test_a12_columns_of_tool_invocation_are_unchanged(tmp_path: Path) -> None:
    async def read() -> list[str]:
        async with open_storage(tmp_path) as storage, storage.database.read() as connection:
            rows = await connection.execute(text("pragma table_info(tool_invocation)"))
            return [f"{row[1]} {row[2]}{' not null' if row[3] else ''}" for row in rows]

    assert asyncio.run(read()) == snapshot(
        [
            "id VARCHAR(64) not null",
            "session_id VARCHAR(128) not null",
            "journal_key VARCHAR(200) not null",
            "attempt INTEGER not null",
            "number INTEGER not null",
            "round INTEGER not null",
            "agent VARCHAR(64) not null",
            "tool_name VARCHAR(64) not null",
            "source VARCHAR(8) not null",
            "data_source VARCHAR(255) not null",
            "purpose TEXT not null",
            "input JSON not null",
            "status VARCHAR(16) not null",
            "truncated BOOLEAN not null",
            "attempts INTEGER not null",
            "error TEXT not null",
            "started_at DATETIME not null",
            "finished_at DATETIME not null",
            "duration_us BIGINT not null",
            "output_preview TEXT not null",
            "output_digest VARCHAR(80) not null",
            "output_bytes BIGINT not null",
            "details JSON not null",
            "retrieval_details JSON",
            "retrieval_query TEXT",
            "retrieval_hit_count INTEGER",
            "retrieval_top_score DOUBLE",
            "reused_from VARCHAR(64) not null",
        ]
    )


def test_a13_list_of_migrations_is_unchanged() -> None:
    """What is evaluated fits the base: no later revision touches the tables of a session."""
    assert REVISIONS == ("0001", "0002")
    later = [path for path in sorted(VERSIONS.glob("r*.py")) if path.name != "r0001_base.py"]
    assert [path.name for path in later] == ["r0002_service.py"]
    for path in later:
        text = path.read_text(encoding="utf-8")
        assert "add_column" not in text
        assert "alter_column" not in text
        assert '_table("diagnosis_session"' not in text
        assert '_table("tool_invocation"' not in text
