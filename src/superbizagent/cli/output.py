"""Print a finished diagnosis in the form that was asked for."""

from collections.abc import Mapping
from typing import Any

import click

from superbizagent.cli.session import envelope_of, finish
from superbizagent.investigation.run import Finished

__all__ = ["diagnose_with", "print_report"]


def diagnose_with(flags: Mapping[str, Any]) -> int:
    """Run ``superbiz diagnose`` and print its report.

    Raises:
        SuperbizError: whatever went wrong; the caller turns it into an exit code.
    """
    print_report(finish(flags), flags)
    return 0


def print_report(finished: Finished, flags: Mapping[str, Any]) -> None:
    """Write the report to standard output."""
    report, envelope = finished.diagnosis.checked.report, envelope_of(finished)
    click.echo(finished.session.final_report)
