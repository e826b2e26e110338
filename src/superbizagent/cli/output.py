"""Print a finished diagnosis in the form that was asked for."""

from collections.abc import Mapping
from typing import Any

import click

from superbizagent.cli.session import envelope_of
from superbizagent.investigation.run import Finished

__all__ = ["print_report"]


def print_report(finished: Finished, flags: Mapping[str, Any]) -> None:
    """Write the report to standard output."""
    report, envelope = finished.diagnosis.checked.report, envelope_of(finished)
    click.echo(finished.session.final_report)
