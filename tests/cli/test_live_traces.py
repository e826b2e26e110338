"""The command line against a Jaeger: traces alone, replayed without it, and when it fails."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from commanding import Superbiz
from fault_server import Reply
from jaeger_server import JaegerServer
from span_recordings import START, shop

pytestmark = pytest.mark.real_server

THEN = (
    "--from", (START + timedelta(minutes=15)).isoformat(),
    "--to", (START + timedelta(minutes=20)).isoformat(), "--lang", "en",
)  # fmt: skip


@pytest.fixture
def jaeger() -> Iterator[JaegerServer]:
    server = JaegerServer(shop(minutes=20, slow_from=15, per_minute=6))
    yield server
    server.stop()


def plain(text: str) -> str:
    return " ".join(text.split())


def test_traces_alone_are_diagnosed_and_replayed(superbiz: Superbiz, jaeger: JaegerServer) -> None:
    ended = superbiz("diagnose", "--jaeger", jaeger.url, "--service", "storefront", *THEN)
    assert ended.code == 0, ended.err
    assert "from order to payment take" in plain(ended.out)
    assert ended.out.startswith("payment: ")
    jaeger.faults["*"] = lambda _: Reply(500, b"{}")
    assert superbiz("replay", "last").out.startswith("same bytes: sha256:")


def test_a_jaeger_that_fails_alone_is_one_line_and_exit_code_3(
    superbiz: Superbiz, jaeger: JaegerServer
) -> None:
    jaeger.faults["*"] = lambda _: Reply(403, b"{}")
    ended = superbiz("diagnose", "--jaeger", jaeger.url, *THEN)
    assert ended.code == 3
    assert "403" in ended.err
    assert "Traceback" not in ended.err


def test_a_configured_jaeger_needs_no_flag(
    superbiz: Superbiz, jaeger: JaegerServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "superbiz.toml").write_text(f'[sources.jaeger]\nurl = "{jaeger.url}"\n')
    monkeypatch.chdir(tmp_path)
    ended = superbiz("diagnose", "--service", "storefront", *THEN)
    assert "from order to payment take" in plain(ended.out)
    assert '"services":3' in superbiz("doctor", "--json").out
