"""Several servers of a kind: an alert uses those that its labels agree with."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commanding import Superbiz
from contract.recorded import END
from fault_server import FaultServer, Reply, success
from superbizagent.cli.servers import Server, choose_servers
from superbizagent.domain.alert import Alert
from superbizagent.domain.incident import Incident

pytestmark = pytest.mark.real_server

THEN = ("--from", "2026-03-01T12:00:00Z", "--to", "2026-03-01T12:05:00Z", "--lang", "en")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[FaultServer, FaultServer]]:
    """Two Prometheus servers with the same services, of two clusters."""
    servers = FaultServer(), FaultServer()
    lines: list[str] = []
    for name, server in zip(("eu", "us"), servers, strict=True):
        lines += ["[[sources.prometheus]]", f'name = "{name}"', f'url = "{server.url}"']
        lines += [f'match = {{ cluster = "{name}" }}']
    (tmp_path / "superbiz.toml").write_text("\n".join(lines), encoding="utf-8")
    yield servers
    for server in servers:
        server.stop()


def alert(folder: Path, **labels: str) -> Path:
    body = {
        "labels": {"alertname": "Slow", "job": "orders", **labels},
        "startsAt": "2026-03-01T12:03:00Z",
    }
    path = folder / "alert.json"
    path.write_text(json.dumps([body]), encoding="utf-8")
    return path


def plain(text: str) -> str:
    return " ".join(text.split())


def asked(server: FaultServer) -> bool:
    return "/api/v1/query" in server.paths()


def test_the_server_of_the_alerts_cluster_is_asked_and_no_other(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer], tmp_path: Path
) -> None:
    ended = superbiz("diagnose", "--alert", alert(tmp_path, cluster="us"), "--lang", "en")
    assert ended.code == 0
    assert [asked(server) for server in pair] == [False, True]
    shown = json.loads(superbiz("trace", "show", "last", "--json").out)
    sweeps = [r for r in shown["invocations"] if r["purpose"].startswith("sweep:")]
    assert {r["purpose"] for r in sweeps} == {
        "sweep:us/shop/service/orders",
        "sweep:us/shop/service/stock",
    }
    assert 'cluster="us"' in superbiz("explain", "last", "E2").out


def test_an_alert_without_the_label_asks_all_and_says_so(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer], tmp_path: Path
) -> None:
    ended = superbiz("diagnose", "--alert", alert(tmp_path), "--lang", "en", "--full")
    assert ended.code == 0
    assert [asked(server) for server in pair] == [True, True]
    assert "the alert has no label cluster: eu, us were all asked" in plain(ended.out)


def test_an_alert_of_a_cluster_nobody_knows_is_one_line_and_exit_code_3(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer], tmp_path: Path
) -> None:
    ended = superbiz("diagnose", "--alert", alert(tmp_path, cluster="mars"), "--lang", "en")
    assert ended.code == 3
    assert "no prometheus is for cluster=mars (known: cluster=eu; cluster=us)" in ended.error
    assert not any(asked(server) for server in pair)


def test_firing_alerts_of_all_are_taken_each_with_the_cluster_of_its_server(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer]
) -> None:
    def row(name: str) -> dict[str, object]:
        return {
            "labels": {"alertname": name, "job": "orders", "severity": "critical"},
            "annotations": {},
            "state": "firing",
            "activeAt": f"{END:%Y-%m-%dT%H:%M:%SZ}",
        }

    pair[1].faults["/api/v1/alerts"] = lambda _: success({"alerts": [row("Down")]})
    ended = superbiz("diagnose", "--lang", "en", "--full")
    assert "1 firing: Down" in ended.err
    assert [asked(server) for server in pair] == [False, True]


def test_one_of_two_that_fails_is_told_by_its_name(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer]
) -> None:
    pair[0].faults["*"] = lambda _: Reply(401, b"{}")
    ended = superbiz("diagnose", "--service", "orders", *THEN, "--full")
    assert ended.code == 0
    assert "a source failed: eu: " in plain(ended.out)


def test_equal_names_in_two_clusters_are_two_entities(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer]
) -> None:
    assert superbiz("diagnose", "--service", "orders", *THEN).code == 0
    shown = json.loads(superbiz("trace", "show", "last", "--json").out)
    sweeps = [
        (r["data_source"], r["purpose"]) for r in shown["invocations"] if "sweep:" in r["purpose"]
    ]
    assert len(set(sweeps)) == len(sweeps) == 4
    for source, purpose in sweeps:
        assert purpose.startswith(f"sweep:{source}/shop/service/")


def test_an_address_on_the_command_line_replaces_them_all(
    superbiz: Superbiz, pair: tuple[FaultServer, FaultServer]
) -> None:
    server = FaultServer()
    try:
        assert superbiz("diagnose", "--prometheus", server.url, *THEN).code == 0
        assert asked(server)
        assert not any(asked(other) for other in pair)
    finally:
        server.stop()


def test_a_session_is_gone_on_with_at_its_servers(
    superbiz: Superbiz,
    pair: tuple[FaultServer, FaultServer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("superbizagent.cli.running.run_session", stop)
        superbiz("diagnose", "--alert", alert(tmp_path, cluster="us"), "--session", "case-1")
    assert superbiz("diagnose", "--session", "case-1").code == 0
    assert [asked(server) for server in pair] == [False, True]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['url = "http://a"', "", "[[sources.prometheus]]", 'url = "http://b"'], "name of its own"),
        (['name = "logs"', 'url = "http://a"'], "name of its own"),
        (['name = "loki"', 'url = "http://a"'], "name of its own"),
        (['url = "http://a"', 'match = ["a"]'], "sources.prometheus.0.match"),
    ],
)
def test_servers_that_cannot_be_told_apart_are_one_line(
    superbiz: Superbiz, tmp_path: Path, lines: list[str], words: str
) -> None:
    text = "\n".join(["[[sources.prometheus]]", *lines])
    (tmp_path / "superbiz.toml").write_text(text, encoding="utf-8")
    ended = superbiz("diagnose", *THEN)
    assert ended.code == 2
    assert words in ended.error


def test_a_variable_for_one_server_does_not_replace_several(
    superbiz: Superbiz,
    pair: tuple[FaultServer, FaultServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SUPERBIZ_SOURCES__PROMETHEUS__BEARER_TOKEN", "x")
    ended = superbiz("diagnose", *THEN)
    assert ended.code == 2
    assert "names several; write bearer_token_env" in ended.error


# The choice alone --------------------------------------------------------------------------------

SERVERS = {
    "eu": Server("prometheus", {"cluster": "eu"}),
    "eu-db": Server("prometheus", {"cluster": "eu", "team": "db"}),
    "everything": Server("prometheus", {}),
    "eu-logs": Server("loki", {"cluster": "eu"}),
}


def incident(**labels: str) -> Incident:
    return Incident(alerts=(Alert(labels={"alertname": "Slow", **labels}),), received_at=END)


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        ({"cluster": "eu", "team": "db"}, {"eu", "eu-db", "everything", "eu-logs"}),
        ({"cluster": "eu", "team": "shop"}, {"eu", "everything", "eu-logs"}),
        ({"cluster": "us"}, {"everything"}),
        ({"team": "db"}, {"eu", "eu-db", "everything", "eu-logs"}),
    ],
)
def test_every_match_label_must_agree_that_the_alert_carries(
    labels: dict[str, str], kept: set[str]
) -> None:
    assert choose_servers(SERVERS, incident(**labels)).kept == kept


def test_a_kind_of_which_no_server_is_left_is_told() -> None:
    choice = choose_servers(SERVERS, incident(cluster="us"))
    assert choice.notes == (
        "no loki is for cluster=us (known: cluster=eu); add one under [[sources.loki]]",
    )


def test_without_an_alert_all_are_asked() -> None:
    choice = choose_servers(SERVERS, Incident(question="why?", received_at=END))
    assert choice.kept == set(SERVERS)
    assert choice.notes == ()
