"""What may be asked of a source holds for a whole session, whatever the rounds want."""

from pathlib import Path

import pytest

import variants
from diagnosing import diagnose
from superbizagent.domain.plan import ToolName


@pytest.mark.parametrize("most", [3, 5, 6])
def test_all_rounds_together_ask_no_more_than_the_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setenv("SUPERBIZ_CAPS__MAX_QUERIES", str(most))
    done = diagnose(variants.POOL, tmp_path).diagnosis
    asked = [
        row.call.purpose.partition(":")[0]
        for row in done.evidence.invocations
        if row.tool is ToolName.QUERY_METRICS
    ]
    assert len(asked) <= most
    assert "sweep" in asked
    left_out = [purpose for plan in done.plans for purpose in plan.left_out]
    assert left_out
    # A sweep that was cut leaves something for the checks of the next round.
    assert "check" in asked or most < 5
