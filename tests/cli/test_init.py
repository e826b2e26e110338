"""A first configuration file, from addresses alone."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import fault_server
from commanding import Superbiz
from fault_server import FaultServer, Reply
from loki_server import LokiServer

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty

HUSHED = "hushed-word-of-ours"


@pytest.fixture
def loki() -> Iterator[LokiServer]:
    server = LokiServer()
    yield server
    server.stop()


def written(folder: Path) -> str:
    return (folder / "superbiz.toml").read_text(encoding="utf-8")


def test_servers_are_written_down_and_read_back(
    superbiz: Superbiz, faulty: FaultServer, loki: LokiServer, tmp_path: Path
) -> None:
    ended = superbiz("init", f"{faulty.url}/graph", loki.url, "--header", "X-Scope-OrgID: shop")
    assert ended.code == 0
    assert ended.out == (
        f"{faulty.url}  Prometheus 3.4.0\n{loki.url}  Loki 3.4.2\nwrote superbiz.toml (7 lines)\n"
    )
    assert ended.err == "next: superbiz doctor\n"
    assert written(tmp_path) == (
        "# What superbiz reads. Check it: superbiz config check; ask it: superbiz doctor\n"
        "[sources.prometheus]\n"
        f'url = "{faulty.url}"\n'
        'headers = { "X-Scope-OrgID" = "shop" }\n'
        "[sources.loki]\n"
        f'url = "{loki.url}"\n'
        'headers = { "X-Scope-OrgID" = "shop" }\n'
    )
    assert superbiz("config", "check").code == 0


def test_secrets_are_named_and_not_written(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    url = faulty.url.replace("http://", f"http://ops:{HUSHED}@")
    ended = superbiz("init", url, "--header", f"X-Api-Key: {HUSHED}")
    text = written(tmp_path)
    assert HUSHED not in text + ended.out + ended.err
    assert 'username = "ops"\npassword_env = "PROMETHEUS_PASSWORD"\n' in text
    assert "# X-Api-Key: SUPERBIZ_SOURCES__PROMETHEUS__HEADERS as a JSON object" in text
    assert "export PROMETHEUS_PASSWORD=…" in ended.err


def test_data_sources_of_grafana_share_its_token(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    rows = [
        {"uid": k, "type": t, "name": n}
        for k, t, n in (("a", "prometheus", "M"), ("b", "loki", "L"))
    ]
    pages = {"/api/health": {"database": "ok"}, "/api/datasources": rows}
    faulty.faults = {path: lambda _: Reply(404, b"", "text/plain") for path in fault_server.GOOD}
    for path, body in pages.items():
        faulty.faults[path] = lambda _, body=body: Reply(body=json.dumps(body).encode())
    ended = superbiz("init", faulty.url, "--header", f"Authorization: Bearer {HUSHED}")
    found = tomllib.loads(written(tmp_path))["sources"]
    assert found == {
        kind: {
            "url": f"{faulty.url}/api/datasources/proxy/uid/{uid}",
            "bearer_token_env": "GRAFANA_TOKEN",
        }
        for kind, uid in (("prometheus", "a"), ("loki", "b"))
    }
    assert ended.err.count("export GRAFANA_TOKEN=…") == 1


def test_several_of_a_kind_get_names_and_the_file_stays_short(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    servers = [FaultServer() for _ in range(6)]
    try:
        ended = superbiz("init", *(server.url for server in servers))
    finally:
        for server in servers:
            server.stop()
    assert ended.code == 0
    text = written(tmp_path)
    assert len(text.splitlines()) <= 15
    names = [row["name"] for row in tomllib.loads(text)["sources"]["prometheus"]]
    assert names == ["127.0.0.1", "127.0.0.1-2", "127.0.0.1-3", "127.0.0.1-4"]
    assert ended.err.count("left out, to keep it short: ") == 2
    assert superbiz("config", "check").code == 0


def test_a_file_that_is_there_is_not_replaced(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    (tmp_path / "superbiz.toml").write_text('lang = "zh"\n', encoding="utf-8")
    ended = superbiz("init", faulty.url)
    assert ended.code == 2
    assert "--force replaces it" in ended.error
    assert faulty.asked == []
    assert written(tmp_path) == 'lang = "zh"\n'
    assert superbiz("init", faulty.url, "--force").code == 0
    assert "[sources.prometheus]" in written(tmp_path)


def test_without_an_address_it_says_what_to_give(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("init")
    assert ended.code == 2
    assert "give the addresses of your systems" in ended.error
    assert not (tmp_path / "superbiz.toml").exists()


def test_what_does_not_answer_is_told_and_the_rest_written(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    ended = superbiz("init", "http://127.0.0.1:1", faulty.url)
    assert ended.code == 0
    assert "http://127.0.0.1:1  not known: http://127.0.0.1:1 cannot be reached" in ended.out
    assert faulty.url in written(tmp_path)


def test_where_nothing_can_be_read_nothing_is_written(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("init", "http://127.0.0.1:1")
    assert ended.code == 3
    assert "nothing was found that can be read" in ended.error
    assert not (tmp_path / "superbiz.toml").exists()


@pytest.mark.parametrize("flags", [("localhost:9090",), ("http://a", "--header", "x")])
def test_flags_that_cannot_be_meant_are_one_line(
    superbiz: Superbiz, flags: tuple[str, ...]
) -> None:
    ended = superbiz("init", *flags)
    assert ended.code == 2
    assert ended.error


def test_a_folder_that_cannot_be_written_is_one_line(
    superbiz: Superbiz, faulty: FaultServer, tmp_path: Path
) -> None:
    (tmp_path / "superbiz.toml.new").mkdir()
    ended = superbiz("init", faulty.url)
    assert ended.code == 2
    assert "cannot be written" in ended.error
