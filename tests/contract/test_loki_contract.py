"""A Loki keeps the contract of sources, whichever label names the service and whatever is in it."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import orjson
import pytest

from contract import recorded
from contract.source_contract import LogSourceContract, SourceCase
from loki_server import LokiServer
from superbizagent.cli.clock import SystemClock
from superbizagent.datasources.loki import HttpAccess, LokiLimits, LokiSource
from superbizagent.domain.window import Window
from superbizagent.errors import DataSourceError

pytestmark = pytest.mark.real_server

SPAN = Window(start=recorded.START - timedelta(hours=1), end=recorded.END + timedelta(hours=1))
KINDS = {"service_name": "service", "app": "service", "job": "service"}

Form = Callable[[datetime, str], str]


def plain(at: datetime, text: str) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S},000 {text}"


def bare(_: datetime, text: str) -> str:
    return text


def json_line(at: datetime, text: str) -> str:
    level, message = text.split(" ", 1)
    return orjson.dumps({"ts": at.timestamp(), "level": level, "msg": message}).decode()


def logfmt(at: datetime, text: str) -> str:
    level, message = text.split(" ", 1)
    return f'time={at:%Y-%m-%dT%H:%M:%SZ} level={level.lower()} msg="{message}"'


def wrapped(at: datetime, text: str) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S.000000000Z} stdout F {json_line(at, text)}"


@pytest.fixture(scope="module", params=[plain, bare, json_line, logfmt, wrapped])
def filled(request: pytest.FixtureRequest) -> Iterator[LokiServer]:
    server = LokiServer()
    form: Form = request.param
    for service, label in (("order", "app"), ("stock", "service_name")):
        lines = [(at, form(at, text)) for at, text in recorded.log_lines(service)]
        server.push({label: service, "namespace": "shop", "job": f"shop/{service}"}, lines)
    yield server
    server.stop()


class TestLoki(LogSourceContract):
    PAGE_LINES = 5000

    @pytest.fixture
    def case(self, filled: LokiServer, tmp_path: Path) -> SourceCase:  # pyright: ignore[reportIncompatibleMethodOverride] - needs a server
        def source(url: str) -> LokiSource:
            limits = LokiLimits(page_lines=self.PAGE_LINES)
            return LokiSource(
                HttpAccess(url), SPAN, SystemClock(), label_entities=KINDS, limits=limits
            )

        return SourceCase(
            open=lambda: source(filled.url),
            unreadable=lambda: source("http://127.0.0.1:1"),
            data=tmp_path,
        )

    def test_reading_what_is_not_there_is_an_error(self, case: SourceCase) -> None:
        with pytest.raises(DataSourceError, match="cannot be reached"):
            self.read(case.unreadable())


@pytest.mark.parametrize("filled", [plain], indirect=True)
class TestSmallPages(TestLoki):
    """Lines of one time lie on both sides of a page's end."""

    PAGE_LINES = 97
