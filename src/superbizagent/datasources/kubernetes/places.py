"""Which sort of place a path is: saved output, or the way in to a live cluster."""

from pathlib import Path

__all__ = ["is_kubeconfig"]

_LARGEST = 4 * 1024 * 1024


def is_kubeconfig(path: Path) -> bool:
    """Tell whether a file is a kubeconfig."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            whole = stream.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return False
    return "\nkind: Config" in f"\n{whole}" and "clusters:" in whole
