"""What belongs to one installation: its folder and its secret key.

The key makes the pseudonyms of redaction. Without it two installations would show the same secret
by the same name, and a guess at a secret could be proved by anybody.
"""

import os
import secrets
from pathlib import Path

from superbizagent.errors import StorageError

__all__ = ["KEY_NAME", "installation_key", "private_folder"]

KEY_NAME = "installation.key"

_KEY_BYTES = 32


def private_folder(path: Path) -> None:
    """Make a folder that only its owner opens; one that is there stays as it is.

    Raises:
        OSError: when it cannot be made.
    """
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)  # the umask may have taken away even the owner's right


def installation_key(data_dir: Path, *, reading: bool = False) -> bytes:
    """Return the key of this installation, making it on first use.

    Safe when several processes start at once on an empty folder: a finished file is linked into
    place, which only one of them can do, and everybody reads what is there.

    Args:
        data_dir: The folder of the installation.
        reading: Nothing will be redacted, so where there is no key and none can be made, any will
            do.

    Raises:
        StorageError: when the folder cannot be written, or the file is not a key.
    """
    path = data_dir / KEY_NAME
    try:
        if not path.exists():
            _create(path)
        key = path.read_bytes()
    except OSError as error:
        if reading:
            return secrets.token_bytes(_KEY_BYTES)
        raise StorageError(
            f"the key {str(path)!r} cannot be used ({error.strerror}): make the folder writable "
            "or point SUPERBIZ_DATA_DIR elsewhere"
        ) from error
    if len(key) != _KEY_BYTES:
        raise StorageError(
            f"the key {str(path)!r} is damaged: restore it, or move it away for a new one (secrets "
            "redacted before and after will then have different names)"
        )
    return key


def _create(path: Path) -> None:
    private_folder(path.parent)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    # 0600 from the start: there is no moment at which others can read it
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.fchmod(handle, 0o600)  # whatever the umask has taken away
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return  # another process was faster; its key is the one
    finally:
        draft.unlink()
