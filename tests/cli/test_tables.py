"""Tables print what stands in the rows, whatever it looks like."""

from superbizagent.cli.tables import call_table
from superbizagent.domain.evaluation import OmittedCalls, ToolTraceEntry, ToolTraceSummary


def test_brackets_in_a_log_line_are_text() -> None:
    entry = ToolTraceEntry(
        n=4, tool="search_logs", status="ok", output_summary="ERROR [order-service] :boom: [/] down"
    )
    table = call_table(ToolTraceSummary(entries=(entry,)))
    assert "ERROR [order-service] :boom: [/] down" in table


def test_what_was_left_out_is_said() -> None:
    left = OmittedCalls(tool="query_metrics", status="ok", count=7)
    assert '"count":7' in call_table(ToolTraceSummary(omitted=(left,)))
