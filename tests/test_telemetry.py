"""Our own log lines go where standard error leads when they are written."""

import io
import sys

import pytest
import structlog

from superbizagent.telemetry import configure_logging, get_logger


def test_a_line_goes_to_the_stream_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = io.StringIO(), io.StringIO()
    try:
        monkeypatch.setattr(sys, "stderr", before)
        configure_logging("info")
        log = get_logger("part")
        log.info("first")
        before_text = before.getvalue()
        before.close()
        monkeypatch.setattr(sys, "stderr", after)
        log.warning("second", error="none")
    finally:
        structlog.reset_defaults()
    assert "first" in before_text
    assert "second" in after.getvalue()
    assert "component=part" in after.getvalue()
