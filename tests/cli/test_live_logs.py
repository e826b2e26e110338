"""Loki on the command line, beside a Prometheus and alone, and where it misbehaves."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import fault_server
from commanding import Superbiz
from contract.recorded import START
from fault_server import FaultServer, Reply
from loki_server import LokiServer

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty

THEN = ("--from", "2026-03-01T12:03:00Z", "--to", "2026-03-01T12:05:00Z", "--lang", "en")
HUSHED = "hushed-word-of-ours"


@pytest.fixture
def loki() -> Iterator[LokiServer]:
    """Lines of two services; one of them loses its database three minutes in."""
    server = LokiServer()
    for service in ("orders", "stock"):
        lines = [
            (START + timedelta(seconds=k), f"INFO handled request {k} in {k % 7} ms")
            for k in range(300)
        ]
        server.push({"app": service, "namespace": "shop"}, lines)
    failures = [
        (START + timedelta(seconds=k), f"ERROR no connection to mysql after {k} ms")
        for k in range(200, 300)
    ]
    server.push({"app": "orders", "namespace": "shop", "pod": "orders-2"}, failures)
    yield server
    server.stop()


def plain(text: str) -> str:
    return " ".join(text.split())


def test_logs_alone_are_diagnosed(superbiz: Superbiz, loki: LokiServer) -> None:
    flags = ("--loki", loki.url, "--question", "why does orders fail?")
    ended = superbiz("diagnose", *flags, *THEN)
    assert ended.code == 0
    assert "no connection to mysql" in plain(ended.out)
    assert superbiz("replay", "last").out.startswith("same bytes: sha256:")


def test_metrics_and_logs_name_one_entity(
    superbiz: Superbiz, loki: LokiServer, faulty: FaultServer
) -> None:
    live = ("--prometheus", faulty.url, "--loki", loki.url, "--service", "orders")
    assert superbiz("diagnose", *live, *THEN).code == 0
    shown = json.loads(superbiz("trace", "show", "last", "--json").out)
    asked = [(r["tool_name"], r["input"].get("services")) for r in shown["invocations"]]
    assert ("search_logs", ["orders", "stock"]) in asked
    purposes = [r["purpose"] for r in shown["invocations"] if r["tool_name"] == "query_metrics"]
    assert purposes.count("sweep:/shop/service/orders") == 1
    assert not any(purpose.startswith("sweep://") for purpose in purposes)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(401, b"no org id", "text/plain"), "X-Scope-OrgID"),
        (Reply(429, b"too many outstanding requests", "text/plain"), "too many outstanding"),
        (Reply(500, b"ring is empty", "text/plain"), "ring is empty"),
        (Reply(200, b"<html>", "text/html"), "base address"),
        (Reply(302, headers={"location": "https://sso.example.com/"}), "sso.example.com"),
    ],
)
def test_a_loki_that_fails_leaves_a_report_of_the_metrics(
    superbiz: Superbiz, loki: LokiServer, faulty: FaultServer, reply: Reply, words: str
) -> None:
    loki.faults["*"] = lambda _: reply
    live = ("--prometheus", faulty.url, "--loki", loki.url)
    ended = superbiz("diagnose", *live, *THEN, "--full")
    assert ended.code == 0
    assert "a source failed: loki: " in plain(ended.out)
    assert words in plain(ended.out)


def test_a_loki_that_fails_alone_is_one_line_and_exit_code_3(
    superbiz: Superbiz, loki: LokiServer
) -> None:
    loki.faults["*"] = lambda _: Reply(403, b"{}")
    ended = superbiz("diagnose", "--loki", loki.url, *THEN)
    assert ended.code == 3
    assert ended.out == ""
    assert "denies access (403)" in ended.error


def test_what_was_left_out_is_told(superbiz: Superbiz, loki: LokiServer) -> None:
    loki.warnings = ["2 of 3 ingesters did not answer"]
    ended = superbiz("diagnose", "--loki", loki.url, "--service", "orders", *THEN, "--full")
    assert ended.code == 0
    assert "2 of 3 ingesters did not answer" in plain(ended.out)


def test_a_configured_loki_needs_no_flag(
    superbiz: Superbiz, loki: LokiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'[sources.loki]\nurl = "{loki.url}"\nbearer_token_env = "LOKI_TOKEN"\n'
    (tmp_path / "superbiz.toml").write_text(text, encoding="utf-8")
    missing = superbiz("diagnose", "--service", "orders", *THEN)
    assert missing.code == 2
    assert "export LOKI_TOKEN" in missing.error
    monkeypatch.setenv("LOKI_TOKEN", HUSHED)
    ended = superbiz("diagnose", "--service", "orders", *THEN)
    assert ended.code == 0
    assert {headers["authorization"] for _, _, headers in loki.asked} == {f"Bearer {HUSHED}"}
    written = b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    assert HUSHED.encode() not in written
    assert HUSHED not in ended.out + ended.err + superbiz("trace", "show", "last", "--json").out
