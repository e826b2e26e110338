"""Links of an alert: whoever can fire one can write them."""

import pytest

from superbizagent.cli.render import render_terminal
from superbizagent.domain.alert import Alert
from superbizagent.domain.report import Envelope, Report, Section
from superbizagent.investigation.wording.links import is_link, links_of_alert, shown_link
from superbizagent.investigation.wording.markdown import report_markdown
from tests.investigation.incidents import ALERT, Diagnosed, load_skills, pool_incident

GENERATOR = "http://prometheus:9090/graph?g0.expr=pool+%3E+1"


def report_with(**more: object) -> Report:
    found = Diagnosed.of(pool_incident(alert=ALERT.model_copy(update=more)), load_skills())
    return found.verified().report


def links(report: Report) -> dict[str, str]:
    [claim] = [c for c in report.section(Section.CHECK_NEXT) if c.extras.get("links")]
    return dict(claim.extras["links"])


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example.com/x?y=1#z",
        "http://prometheus:9090/graph?g0.expr=a%3E1",
        "https://[::1]/",
    ],
)
def test_web_addresses_are_links(text: str) -> None:
    assert is_link(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//evil.example.com",
        "https://",
        "https://a.example.com/> [x](javascript:y)",
        "https://a.example.com/\u202e",
        "https://a.example.com\n# Done",
        "https://[bad",
        "ask the team",
    ],
)
def test_all_else_is_text(text: str) -> None:
    assert not is_link(text)


def test_all_links_of_the_alert_are_shown_in_their_order() -> None:
    report = report_with(
        panel_url="https://g.example.com/p",
        silence_url="https://g.example.com/s",
        generator_url=GENERATOR,
    )
    assert list(links(report)) == ["runbook", "dashboard", "panel", "silence", "owner", "rule"]
    assert links(report)["rule"] == GENERATOR
    assert report.rejected == ()
    text = report_markdown(report)
    assert f"- rule: <{GENERATOR}>" in text
    assert "- panel: <https://g.example.com/p>" in text


def test_a_hostile_link_is_text_everywhere() -> None:
    hostile = "javascript:alert(1)//\x1b]8;;https://x\x07 [click](https://evil.example.com)"
    report = report_with(silence_url=hostile, panel_url="data:text/html,<script>x</script>")
    text = report_markdown(report)
    assert "<javascript" not in text
    assert "[click](" not in text
    assert "<script>" not in text.replace("\\<", "")
    assert "\x1b" not in render_terminal(report, Envelope(session_id="x"))
    assert report.rejected == ()


def test_the_long_link_to_a_rule_is_left_to_those_who_ask_for_all() -> None:
    report = report_with(generator_url=GENERATOR + "a" * 400)
    envelope = Envelope(session_id="x")
    assert "g0.expr" not in render_terminal(report, envelope)
    assert "g0.expr" in render_terminal(report, envelope, full=True)


def test_only_what_is_there_is_listed() -> None:
    assert links_of_alert(Alert()) == {}
    assert links_of_alert(Alert(annotations={"runbook": " https://r "})) == {"runbook": "https://r"}
    assert len(shown_link("https://" + "a" * 5000)) == 2000
