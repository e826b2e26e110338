"""What can be looked at, what not, and what to do about it."""

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import fault_server
import prometheus_server
from commanding import Superbiz
from fault_server import FaultServer, Reply
from loki_server import LokiServer
from prometheus_server import PrometheusServer

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus whose newest sample is of now."""
    prometheus_server.need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("fresh"))
    now = round(datetime.now(UTC).timestamp()) * 1000
    samples = [(now - k * 15_000, 1.0) for k in range(40, -1, -1)]
    labels = (("__name__", "up"), ("instance", "a:1"), ("job", "orders"))
    server.write({labels: samples})
    yield server.url
    server.stop()


@pytest.fixture
def loki() -> Iterator[LokiServer]:
    server = LokiServer()
    now = datetime.now(UTC)
    server.push({"app": "orders"}, [(now - timedelta(seconds=k), f"INFO {k}") for k in range(60)])
    yield server
    server.stop()


def test_every_source_says_how_it_is(superbiz: Superbiz, fresh: str, loki: LokiServer) -> None:
    ended = superbiz("doctor", "--prometheus", fresh, "--loki", loki.url)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert re.fullmatch(
        rf"  ok     prometheus   {fresh}: version 2\S+, series 1, labels 3, services 1,"
        r" scraped every 15 s, newest \d+ s ago, clock \+0 s",
        lines[1],
    ), lines[1]
    assert re.fullmatch(
        rf"  ok     loki         {loki.url}: version 3.4.2, streams 1, lines 60, labels 1,"
        r" services 1, newest \d+ s ago, clock [+-][01] s",
        lines[2],
    ), lines[2]
    assert lines[-1] == "2 of 2 sources can be looked at"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(401, b"{}"), ("denies access (401)", "give credentials")),
        (Reply(500, b"disk", "text/plain"), ("fails with 500: disk", "try again")),
        (Reply(200, b"<html>", "text/html"), ("not with JSON", "is this the base address")),
        (Reply(302, headers={"location": "https://sso.example.com/"}), ("redirects", "login page")),
        (Reply(200, b'{"status"', missing_bytes=9), ("broke off", "check the server")),
    ],
)
def test_what_does_not_answer_is_one_line_with_advice(
    superbiz: Superbiz, loki: LokiServer, faulty: FaultServer, reply: Reply, words: tuple[str, str]
) -> None:
    faulty.faults["*"] = lambda _: reply
    ended = superbiz("doctor", "--prometheus", faulty.url, "--loki", loki.url)
    assert ended.code == 0
    [line] = [line for line in ended.out.splitlines() if line.startswith("  fails")]
    assert all(word in line for word in words), line
    assert "1 of 2 sources can be looked at" in ended.out


def test_with_nothing_to_look_at_the_exit_code_is_3(superbiz: Superbiz) -> None:
    ended = superbiz("doctor", "--prometheus", "http://127.0.0.1:1")
    assert ended.code == 3
    assert "cannot be reached" in ended.out
    ended = superbiz("doctor")
    assert ended.code == 3
    assert "superbiz init URL" in ended.out


def test_stale_samples_and_wrong_clocks_are_warnings(superbiz: Superbiz, loki: LokiServer) -> None:
    loki.clock_ahead = timedelta(seconds=90)
    ended = superbiz("doctor", "--loki", loki.url)
    assert ended.code == 0
    assert "  warn   loki" in ended.out
    assert re.search(r"clock \+(89|90) s; the clock of loki is (89|90) s ahead", ended.out)


def test_what_stopped_coming_in_is_a_warning(superbiz: Superbiz) -> None:
    server = LokiServer()
    try:
        at = datetime.now(UTC) - timedelta(minutes=7)
        server.push({"app": "orders"}, [(at, "INFO last")])
        ended = superbiz("doctor", "--loki", server.url)
    finally:
        server.stop()
    assert ended.code == 0
    assert "nothing new came in since; is it still fed?" in ended.out


def test_nothing_is_made(superbiz: Superbiz, loki: LokiServer, tmp_path: Path) -> None:
    ended = superbiz("doctor", "--loki", loki.url)
    assert "not made yet" in ended.out
    assert "none yet; the first diagnosis makes it (schema 0002)" in ended.out
    assert not (tmp_path / "data").exists()


def test_the_database_is_described(superbiz: Superbiz, loki: LokiServer) -> None:
    assert superbiz("diagnose", "--loki", loki.url, "-q").code == 0
    ended = superbiz("doctor", "--loki", loki.url)
    assert re.search(r"  ok     database     \S+superbiz.db: schema 0002, 1 session, ", ended.out)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE alembic_version SET version_num = '0099'", "schema 0099, this version knows 0002"),
        (b"no database at all, whatever it is called", "is not a database"),
    ],
)
def test_a_database_that_cannot_be_used_is_told(
    superbiz: Superbiz, loki: LokiServer, tmp_path: Path, damage: str | bytes, words: str
) -> None:
    superbiz("diagnose", "--loki", loki.url, "-q")
    path = tmp_path / "data" / "superbiz.db"
    if isinstance(damage, bytes):
        path.write_bytes(damage)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute(damage)
        connection.close()
    ended = superbiz("doctor", "--loki", loki.url)
    assert ended.code == 0
    assert "  fails  database" in ended.out
    assert words in ended.out


def test_json_holds_the_same(superbiz: Superbiz, loki: LokiServer) -> None:
    ended = superbiz("doctor", "--loki", loki.url, "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    [source] = found["sources"]
    assert (source["state"], source["kind"]) == ("ok", "loki")
    assert source["vitals"]["counts"]["lines"] == 60
    assert found["database"]["known_version"] == "0002"


def test_a_missing_variable_is_told_for_its_source_alone(
    superbiz: Superbiz, loki: LokiServer, tmp_path: Path
) -> None:
    text = f'[sources.loki]\nurl = "{loki.url}"\nbearer_token_env = "NOBODYS_TOKEN"\n'
    (tmp_path / "superbiz.toml").write_text(text, encoding="utf-8")
    ended = superbiz("doctor")
    assert ended.code == 3
    assert "export NOBODYS_TOKEN" in ended.out
