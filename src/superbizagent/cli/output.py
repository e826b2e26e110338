"""Print a finished diagnosis in the form that was asked for."""

import sys
from collections.abc import Mapping
from typing import Any

import click

from superbizagent.cli.render import render_json, render_markdown, render_terminal
from superbizagent.cli.session import envelope_of, finish, nothing_answered
from superbizagent.errors import NothingReadableError
from superbizagent.investigation.run import Finished
from superbizagent.settings import no_color

__all__ = ["diagnose_with", "print_report"]


def diagnose_with(flags: Mapping[str, Any]) -> int:
    """Run ``superbiz diagnose``, print its report and return the exit code.

    Raises:
        SuperbizError: whatever went wrong; the caller turns it into an exit code.
    """
    finished = finish(flags)
    print_report(finished, flags)
    return NothingReadableError.exit_code if nothing_answered(finished) else 0


def print_report(finished: Finished, flags: Mapping[str, Any]) -> None:
    """Write the report to standard output: terminal text unless a flag says otherwise."""
    report, envelope = finished.diagnosis.checked.report, envelope_of(finished)
    if flags.get("as_json"):
        text = render_json(report, envelope)
    elif flags.get("markdown"):
        text = render_markdown(report, envelope)
    else:
        color = sys.stdout.isatty() and not no_color()
        text = render_terminal(report, envelope, full=bool(flags.get("full")), color=color)
    click.echo(text.rstrip("\n"))
