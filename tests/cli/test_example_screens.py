"""The limits of the first screen, held on every recorded example in both languages."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from diagnosing import diagnose, report_of
from superbizagent.cli.render import render_terminal
from superbizagent.domain.report import Envelope, Section

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = sorted(p.parent for p in EXAMPLES.glob("*/source.json"))
ENVELOPE = Envelope(
    session_id="0192e5f0-7b1c-7c7e-b1a2-0123456789ab", seconds=9.99, queries=60, gate="PASS"
)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_the_first_screen_of_an_example_fits(folder: Path, language: str, tmp_path: Path) -> None:
    report = report_of(diagnose(folder, tmp_path, lang=language))
    assert report.rejected == ()
    text = render_terminal(report, ENVELOPE)
    rows = [max(1, -(-cell_len(line) // 100)) for line in text.splitlines()]
    assert sum(rows) <= 25
    for section in (Section.WHY, Section.DO_NOW, Section.CHECK_NEXT):
        assert len(report.section(section)) <= 3
    first = report.section(Section.WHAT)[0]
    assert all(f"[{i}]" in text for i in first.fact_ids[:2])
