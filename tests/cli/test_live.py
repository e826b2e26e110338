"""Live systems on the command line: a first look at somebody's Prometheus, and bad input."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import fault_server
import prometheus_server
import variants
from commanding import Ended, Superbiz
from diagnosing import diagnose, report_of
from fault_server import FaultServer, Reply, failure, success
from prometheus_server import PrometheusServer, VictoriaMetricsServer, write_recording
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import Report, Section

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty

HUSHED = "hushed-word-of-ours"
DURING = ("--from", "2026-11-30T12:38:00Z", "--to", "2026-11-30T12:49:00Z")
"""The incident of the example."""
THEN = ("--from", "2026-03-01T12:00:00Z", "--to", "2026-03-01T12:05:00Z", "--lang", "en")


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that scraped the incident of the example."""
    prometheus_server.need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("pool"))
    write_recording(server, variants.POOL)
    yield server.url
    server.stop()


@pytest.fixture(scope="module")
def victoria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same incident in VictoriaMetrics."""
    prometheus_server.need("victoria-metrics")
    server = VictoriaMetricsServer(tmp_path_factory.mktemp("victoria"))
    write_recording(server, variants.POOL)
    server.flush()
    yield server.url
    server.stop()


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that scraped until now what came before the incident."""
    prometheus_server.need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("quiet"))
    before = datetime(2026, 11, 30, 12, 38, tzinfo=UTC)
    write_recording(server, variants.POOL, before, as_if=datetime.now(UTC))
    yield server.url
    server.stop()


def said(report: Report, *sections: Section) -> list[str]:
    """Sentences of some sections, without citations, dates, and how long ago it was.

    On another day than the incident's a report says the date with each time.
    """
    texts = [claim.text for claim in report.claims if claim.section in sections]
    varying = r"\[E[\d.]+\]|…|, [\dhmins. ]+ ago|\d{4}-\d\d-\d\d (?=\d\d:)"
    return [re.sub(varying, "", text).strip() for text in texts]


# The same incident, live and recorded ------------------------------------------------------------


@pytest.mark.parametrize("server", ["pool", "victoria"])
def test_an_incident_reads_the_same_live_and_recorded(
    server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url: str = request.getfixturevalue(server)
    folder = tmp_path / "recorded"
    folder.mkdir()
    for name in ("metrics.parquet", "alert.json", "source.json"):
        (folder / name).write_bytes((variants.POOL / name).read_bytes())
    recorded = report_of(diagnose(folder, tmp_path / "a"))
    alert = str(variants.POOL / "alert.json")
    live = report_of(diagnose(None, tmp_path / "b", prometheus=url, alert=alert))

    assert (live.verdict, live.entity, live.fault_kind) == (
        recorded.verdict,
        recorded.entity,
        recorded.fault_kind,
    )
    for section in (Section.WHAT, Section.IMPACT, Section.WHY, Section.SURENESS, Section.FINDINGS):
        assert said(live, section) == said(recorded, section)
        assert said(live, section)


def test_a_stored_live_session_is_replayed_without_the_server(
    superbiz: Superbiz, pool: str
) -> None:
    asked = ("diagnose", "--prometheus", pool, "--service", "order-service", *DURING, "-q")
    assert superbiz(*asked).code == 0
    assert superbiz("replay", "last").out.startswith("same bytes: sha256:")


def test_the_alerts_of_the_time_are_listed_for_an_incident_that_is_over(
    superbiz: Superbiz, pool: str
) -> None:
    superbiz("diagnose", "--prometheus", pool, *DURING, "--json", "-q")
    shown = json.loads(superbiz("trace", "show", "last", "--json").out)
    [row] = [r for r in shown["invocations"] if r["tool_name"] == "list_alerts"]
    names = {f["quote"] for f in row["details"]["facts"] if f["statistic"] == "status"}
    assert "OrderServiceConnectionPoolExhausted" in names


# Nothing was said --------------------------------------------------------------------------------


def test_where_no_alert_fires_that_is_said_and_deviations_are_no_causes(
    quiet: str, tmp_path: Path
) -> None:
    report = report_of(diagnose(None, tmp_path, prometheus=quiet))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "No alert is firing in prometheus." in said(report, Section.WHAT)
    deviations = said(report, Section.WHY)
    assert 0 < len(deviations) <= 3
    assert all(text.startswith("A deviation, not a cause: ") for text in deviations)
    assert not any("found nothing" in text for text in said(report, Section.NOT_SEEN))


def test_no_alert_is_said_in_chinese_too(quiet: str, tmp_path: Path) -> None:
    report = report_of(diagnose(None, tmp_path, prometheus=quiet, lang="zh"))
    assert any("没有正在触发的告警" in text for text in said(report, Section.WHAT))


def alert(name: str, **labels: str) -> dict[str, object]:
    return {
        "labels": {"alertname": name, "job": "orders", **labels},
        "annotations": {},
        "state": "firing",
        "activeAt": "2026-03-01T12:03:00Z",
    }


def test_the_firing_alerts_are_taken_where_nothing_else_is_said(
    superbiz: Superbiz, faulty: FaultServer
) -> None:
    rows = [alert("Slow", severity="warning"), alert("Down", severity="critical")]
    faulty.faults["/api/v1/alerts"] = lambda _: success({"alerts": rows})
    faulty.faults["/api/v1/query"] = fault_server.fired("Slow", "Down")
    ended = superbiz("diagnose", "--prometheus", faulty.url, "--lang", "en")
    assert ended.code == 0
    assert "2 firing: Down, Slow" in ended.err
    assert ended.out.startswith("orders: ")
    assert "Also firing: Slow. [E1]" in ended.out
    assert "gate PASS" in ended.out


def test_a_service_narrows_the_alerts(superbiz: Superbiz, faulty: FaultServer) -> None:
    rows = [alert("Slow", job="stock"), alert("Down")]
    faulty.faults["/api/v1/alerts"] = lambda _: success({"alerts": rows})
    ended = superbiz("diagnose", "--prometheus", faulty.url, "--service", "stock")
    assert "1 firing: Slow" in ended.err


def test_alertmanager_is_asked_first_and_what_it_silences_is_left_out(
    superbiz: Superbiz, faulty: FaultServer
) -> None:
    def row(name: str, state: str) -> dict[str, object]:
        about = alert(name) | {"startsAt": "2026-03-01T12:03:00Z", "fingerprint": name}
        del about["state"], about["activeAt"]
        return about | {"status": {"state": state, "silencedBy": ["1"], "inhibitedBy": []}}

    rows = [row("Known", "suppressed"), row("Down", "active")]
    faulty.faults["/api/v2/alerts"] = lambda _: Reply(body=json.dumps(rows).encode())
    faulty.faults["/api/v1/alerts"] = lambda _: success({"alerts": [alert("Other")]})
    live = ("--prometheus", faulty.url, "--alertmanager", faulty.url)
    ended = superbiz("diagnose", *live, "--lang", "en", "--full")
    assert "1 firing: Down" in ended.err
    assert "1 silenced or inhibited alerts were left out" in " ".join(ended.out.split())


def test_without_an_alertmanager_that_answers_prometheus_is_asked(
    superbiz: Superbiz, faulty: FaultServer
) -> None:
    faulty.faults["/api/v2/alerts"] = lambda _: failure(500, "internal", "no quorum")
    faulty.faults["/api/v1/alerts"] = lambda _: success({"alerts": [alert("Other")]})
    live = ("--prometheus", faulty.url, "--alertmanager", faulty.url)
    ended = superbiz("diagnose", *live, "--lang", "en", "--full")
    assert "1 firing: Other" in ended.err
    assert "the firing alerts could not be read: " in " ".join(ended.out.split())


def test_a_time_that_was_given_is_not_about_the_alerts_of_now(
    superbiz: Superbiz, faulty: FaultServer
) -> None:
    superbiz("diagnose", "--prometheus", faulty.url, *THEN)
    assert "/api/v1/alerts" not in faulty.paths()


# Bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(401, b"{}"), "give credentials"),
        (Reply(403, b"{}"), "give credentials"),
        (Reply(429, b"{}", headers={"retry-after": "99"}), "try again later"),
        (failure(500, "internal", "disk"), "disk"),
        (Reply(200, b"<html><title>Sign in", "text/html"), "base address"),
        (Reply(302, headers={"location": "https://sso.example.com/login"}), "sso.example.com"),
        (Reply(200, b'{"status":"succ', missing_bytes=100), "broke off"),
        (Reply(200, b'{"status":"succ'), "damaged JSON"),
        (Reply(200, b"\x00\x01"), "damaged JSON"),
        (success([]), "no samples"),
        (Reply(404, b"404 page not found", "text/plain"), "base address"),
    ],
)
def test_a_server_that_cannot_be_looked_at_is_one_line_and_exit_code_3(
    superbiz: Superbiz, faulty: FaultServer, reply: Reply, words: str
) -> None:
    faulty.faults["*"] = lambda _: reply
    ended = superbiz("diagnose", "--prometheus", faulty.url, *THEN)
    assert ended.code == 3
    assert ended.out == ""
    assert words in ended.error


def test_a_server_that_is_not_there_is_one_line_and_exit_code_3(superbiz: Superbiz) -> None:
    ended = superbiz("diagnose", "--prometheus", "http://127.0.0.1:1", *THEN)
    assert ended.code == 3
    assert "http://127.0.0.1:1 cannot be reached" in ended.error


@pytest.mark.parametrize(
    "flags",
    [
        ("--prometheus", "metrics:9090"),
        ("--prometheus", "ftp://metrics"),
        ("--alertmanager", "http://"),
        ("--prometheus", "http://metrics", "--header", "no colon"),
        ("--prometheus", "http://metrics", "--header", ": value"),
        ("--header", "X-Scope-OrgID: shop", "--question", "why?"),
    ],
)
def test_flags_that_cannot_be_meant_are_one_line_and_exit_code_2(
    superbiz: Superbiz, flags: tuple[str, ...]
) -> None:
    ended = superbiz("diagnose", *flags)
    assert ended.code == 2
    assert ended.error


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(403, b"{}"), "denies access"),
        (failure(422, "execution", "too many samples"), "too many samples"),
        (failure(503, "timeout", "query timed out"), "timed out"),
        (Reply(200, b"<html>", "text/html"), "not with JSON"),
    ],
)
def test_questions_that_fail_after_a_good_first_look_are_told_in_the_report(
    superbiz: Superbiz, faulty: FaultServer, reply: Reply, words: str
) -> None:
    def answer(params: dict[str, str]) -> Reply:
        mine = params["query"].startswith('{job="orders"')
        return reply if mine else fault_server.GOOD["/api/v1/query"](params)

    faulty.faults["/api/v1/query"] = answer
    ended = superbiz("diagnose", "--prometheus", faulty.url, *THEN, "--full")
    assert ended.code == 0
    assert words in " ".join(ended.out.split())


def test_one_source_that_fails_leaves_a_report_of_the_others(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    log = tmp_path / "orders.log"
    lines = [f"2026-03-01T12:0{k // 60}:{k % 60:02}Z INFO request {k}\n" for k in range(280)]
    log.write_text("".join(lines), encoding="utf-8")
    faulty.faults["*"] = lambda _: Reply(401, b"{}")
    flags = ("--prometheus", faulty.url, "--logs", f"orders={log}")
    ended = superbiz("diagnose", *flags, *THEN, "--full")
    assert ended.code == 0
    assert "a source failed: prometheus: " in " ".join(ended.out.split())


def test_a_name_nobody_knows_is_answered_with_near_ones(
    superbiz: Superbiz, faulty: FaultServer
) -> None:
    ended = superbiz("diagnose", "--prometheus", faulty.url, "--service", "ordesr", *THEN)
    assert ended.code == 0
    assert "near names: orders" in " ".join(ended.out.split())


def test_a_session_is_gone_on_with_at_the_same_server_only(
    superbiz: Superbiz, faulty: FaultServer
) -> None:
    superbiz("diagnose", "--prometheus", faulty.url, *THEN, "--session", "case-1")
    ended = superbiz("diagnose", "--prometheus", "http://other:9090", "--session", "case-1")
    assert ended.code == 2
    assert "other sources" in ended.error


# Secrets -----------------------------------------------------------------------------------------


def everything_written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def with_credentials(server: FaultServer) -> str:
    return server.url.replace("http://", f"http://ops:{HUSHED}@")


def test_secrets_are_sent_and_neither_stored_nor_printed(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    header = f"X-Api-Key: {HUSHED}-2"
    flags = ("--prometheus", with_credentials(faulty), "--header", header)
    ended: Ended = superbiz("diagnose", *flags, *THEN)
    assert ended.code == 0
    assert all(headers["x-api-key"] == f"{HUSHED}-2" for _, _, headers in faulty.asked)
    assert all(headers["authorization"].startswith("Basic ") for _, _, headers in faulty.asked)
    shown = superbiz("trace", "show", "last", "--json").out
    for text in (
        ended.out,
        ended.err,
        shown,
        everything_written(tmp_path / "data").decode("latin-1"),
    ):
        assert HUSHED not in text


def test_a_resume_asks_for_the_secrets_again(
    superbiz: Superbiz, faulty: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ("--prometheus", with_credentials(faulty), "--header", f"X-Api-Key: {HUSHED}", *THEN)
    with monkeypatch.context() as patch:
        patch.setattr("superbizagent.cli.running.run_session", _stop)
        superbiz("diagnose", *flags, "--session", "case-1")
    ended = superbiz("diagnose", "--session", "case-1")
    assert ended.code == 2
    assert "--header 'X-Api-Key: …'" in ended.error
    assert "--prometheus with its user name" in ended.error
    assert HUSHED not in ended.error
    assert superbiz("diagnose", "--session", "case-1", *flags).code == 0


async def _stop(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


# Settings ----------------------------------------------------------------------------------------


def configured(tmp_path: Path, url: str, *lines: str) -> None:
    text = "\n".join(["[sources.prometheus]", f'url = "{url}"', *lines])
    (tmp_path / "superbiz.toml").write_text(text, encoding="utf-8")


def test_a_configured_server_needs_no_flag(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(tmp_path, faulty.url, 'headers = { "X-Scope-OrgID" = "shop" }')
    monkeypatch.setenv("SUPERBIZ_SOURCES__PROMETHEUS__BEARER_TOKEN", HUSHED)
    assert superbiz("diagnose", "--service", "orders", *THEN).code == 0
    sent = faulty.asked[0][2]
    assert sent["authorization"] == f"Bearer {HUSHED}"
    assert sent["x-scope-orgid"] == "shop"


def test_a_recording_is_read_without_the_configured_server(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    configured(tmp_path, faulty.url)
    assert superbiz("diagnose", variants.POOL, "-q").code == 0
    assert faulty.asked == []


def test_credentials_of_the_settings_go_to_no_other_host(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    configured(tmp_path, "https://metrics.example.com", f'bearer_token = "{HUSHED}"')
    assert superbiz("diagnose", "--prometheus", faulty.url, *THEN).code == 0
    assert not any("authorization" in headers for _, _, headers in faulty.asked)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['bearer = "x"'], "sources.prometheus.bearer"),
        (['username = "a"', 'bearer_token_file = "b"'], "give one of"),
        (["timeout_seconds = 0"], "timeout_seconds"),
    ],
)
def test_wrong_settings_are_one_line_that_names_the_key(
    superbiz: Superbiz, tmp_path: Path, lines: list[str], words: str
) -> None:
    configured(tmp_path, "http://metrics", *lines)
    ended = superbiz("diagnose", *THEN)
    assert ended.code == 2
    assert words in ended.error


def test_a_token_file_that_is_missing_is_one_line(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    configured(tmp_path, faulty.url, f'bearer_token_file = "{tmp_path}/no"')
    ended = superbiz("diagnose", *THEN)
    assert ended.code == 3
    assert "bearer_token_file" in ended.error
