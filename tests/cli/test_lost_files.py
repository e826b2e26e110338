"""Recordings of which a part is lost: it counts as a failed source and stands on the screen."""

from pathlib import Path

import pytest

from diagnosing import diagnose, report_of
from superbizagent.cli.render import render_terminal
from superbizagent.cli.session import envelope_of
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import Envelope
from variants import POOL, copy


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded incident with one log that is no text and several empty ones."""
    folder = copy(POOL, tmp_path_factory.mktemp("broken") / "incident")
    (folder / "logs" / "payment.log").write_bytes(bytes(range(256)) * 20)
    for name in ("a", "b", "c"):
        (folder / "logs" / f"{name}.log").touch()
    return folder


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lost_file_counts_as_a_failed_source(broken: Path, language: str, tmp_path: Path) -> None:
    finished = diagnose(broken, tmp_path, lang=language)
    report, envelope = report_of(finished), envelope_of(finished)
    assert (envelope.sources_failed, report.verdict) == (1, Verdict.LIKELY)
    assert report.rejected == ()
    text = render_terminal(report, envelope)
    assert len(text.splitlines()) <= 25
    unseen = text[text.index({"en": "Not seen", "zh": "未见"}[language]) :]
    assert unseen.index("logs/payment.log") < unseen.index("logs/a.log")
    assert "list_changes" not in unseen


def test_odd_alerts_are_named_in_the_report(tmp_path: Path) -> None:
    alert = tmp_path / "alert.json"
    alert.write_text('{"alerts": [{"startsAt": "soon", "annotations": {"summary": "slow"}}]}')
    folder = copy(POOL, tmp_path / "incident")
    (folder / "alert.json").unlink()
    text = render_terminal(report_of(diagnose(folder, tmp_path, alert=str(alert))), envelope())
    assert "alert: an alert has no labels" in " ".join(text.split())


def envelope() -> Envelope:
    return Envelope(session_id="s-1", seconds=1.0, queries=1)
