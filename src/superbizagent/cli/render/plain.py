"""Markdown and JSON."""

import json

from superbizagent.cli.render.footer import footer_text, track_text
from superbizagent.domain.report import Envelope, Report
from superbizagent.investigation.wording.markdown import report_markdown
from superbizagent.investigation.wording.narrator import narrator_for

__all__ = ["render_json", "render_markdown"]


def render_markdown(report: Report, envelope: Envelope) -> str:
    """Return the canonical Markdown and, below a rule, the footer of the run."""
    narrator = narrator_for(report.language)
    parts = [footer_text(envelope, narrator), track_text(envelope.track_record, narrator)]
    footer = "\n\n".join(part for part in parts if part)
    return f"{report_markdown(report)}\n---\n\n{footer}\n"


def render_json(report: Report, envelope: Envelope) -> str:
    """Return report, envelope and counts as one JSON object, keys sorted, ending in a newline."""
    value = {
        "report": report.model_dump(mode="json"),
        "envelope": envelope.model_dump(mode="json"),
        "stats": report.stats.model_dump(mode="json"),
    }
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
