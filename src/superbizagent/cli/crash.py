"""An error nobody expected: one line for the user, the traceback in a file with an id."""

import tempfile
import traceback
from pathlib import Path

import click

from superbizagent import __version__
from superbizagent.domain.canonical import digest_bytes

__all__ = ["report_crash"]


def report_crash(error: Exception) -> int:
    """Write the traceback where the user can find it; return the exit code 1."""
    text = "".join(traceback.format_exception(error))
    crash_id = digest_bytes(text.encode())[7:15]
    path = Path(tempfile.gettempdir()) / f"superbiz-{crash_id}.txt"
    where = f"; details in {path}"
    try:
        path.write_text(f"superbiz {__version__}\n{text}", encoding="utf-8")
    except OSError:
        where = ""  # no disk to write to: the line below is all there is
    click.echo(
        f"superbiz: internal error {crash_id}: {type(error).__name__}{where};"
        " please report it with that file [internal]",
        err=True,
    )
    return 1
