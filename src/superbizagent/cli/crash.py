"""An error nobody expected: one line for the user, the traceback in a file with an id."""

import traceback

import click

from superbizagent import __version__
from superbizagent.domain.canonical import digest_bytes
from superbizagent.errors import ConfigError
from superbizagent.settings import load_settings
from superbizagent.storage.installation import private_folder

__all__ = ["report_crash"]


def report_crash(error: Exception) -> int:
    """Write the traceback below the data folder; return the exit code 1."""
    text = "".join(traceback.format_exception(error))
    crash_id = digest_bytes(text.encode())[7:15]
    where = ""
    try:
        folder = load_settings().data_dir / "crash"
        private_folder(folder.parent)
        private_folder(folder)
        path = folder / f"{crash_id}.txt"
        path.touch(mode=0o600)
        path.write_text(f"superbiz {__version__}\n{text}", encoding="utf-8")
        where = f"; details in {path}"
    except (OSError, ConfigError):
        pass  # nowhere to write to: the line below is all there is
    click.echo(
        f"superbiz: internal error {crash_id}: {type(error).__name__}{where};"
        " please report it with that file [internal]",
        err=True,
    )
    return 1
