"""The file of an embedded database: made private, and read where it cannot be written."""

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.engine import URL

__all__ = ["make_private", "read_only_url"]


def make_private(path: Path) -> None:
    """Make an empty file that only its owner reads; one that is there stays as it is.

    SQLite takes an empty file for a new database, and gives the files it makes beside it (``-wal``,
    ``-shm``) the same mode. What cannot be made is left to SQLite, which says why.
    """
    with suppress(OSError):
        # 0600 from the start: there is no moment at which others can open it
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.fchmod(handle, 0o600)  # the umask may have taken away even the owner's right
        finally:
            os.close(handle)


def read_only_url(url: URL) -> URL | None:
    """Return the URL that reads a file which cannot be written; None when it can, or is not there.

    A reader of a WAL database makes files beside it. Where it may not, SQLite reads the file alone
    (``immutable``): right as long as no other process has written what is still in the WAL only.
    """
    path = Path(url.database or "")
    if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return None
    wal = path.with_name(f"{path.name}-wal")
    query = dict(url.query) | {"mode": "ro", "uri": "true"}
    if not (wal.is_file() and wal.stat().st_size):
        query["immutable"] = "1"
    return url.set(database=f"file:{quote(str(path.absolute()))}", query=query)
