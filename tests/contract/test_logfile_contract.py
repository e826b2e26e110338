"""Log files in each of their formats keep the contract of sources."""

import gzip
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import orjson
import pytest

from contract import recorded
from contract.source_contract import LogSourceContract, SourceCase
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.errors import DataSourceError


def plain(at: datetime, text: str) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S},000+0000 {text}"


def json_line(at: datetime, text: str) -> str:
    level, message = text.split(" ", 1)
    return orjson.dumps({"ts": at.timestamp(), "level": level, "msg": message}).decode()


def logfmt(at: datetime, text: str) -> str:
    level, message = text.split(" ", 1)
    return f'time={at:%Y-%m-%dT%H:%M:%SZ} level={level.lower()} msg="{message}"'


def as_it_is(data: bytes) -> bytes:
    return data


@pytest.mark.parametrize("pack", [as_it_is, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("form", [plain, json_line, logfmt])
class TestLogFiles(LogSourceContract):
    @pytest.fixture
    def case(  # pyright: ignore[reportIncompatibleMethodOverride] - one format each
        self,
        tmp_path: Path,
        form: Callable[[datetime, str], str],
        pack: Callable[[bytes], bytes],
    ) -> SourceCase:
        files: dict[str, list[Path]] = {}
        for service in ("order", "stock"):
            text = "".join(form(at, text) + "\n" for at, text in recorded.log_lines(service))
            path = tmp_path / (f"{service}.log" if pack is as_it_is else f"{service}.log.1.gz")
            path.write_bytes(pack(text.encode()))
            files[service] = [path]
        missing = {"order": [tmp_path / "nobody.log"]}
        return SourceCase(
            open=lambda: LogFileSource(files),
            unreadable=lambda: LogFileSource(missing),
            data=tmp_path,
        )

    def test_reading_what_is_not_there_is_an_error(self, case: SourceCase) -> None:
        with pytest.raises(DataSourceError, match="no log file could be read"):
            self.read(case.unreadable())
