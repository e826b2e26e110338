"""Where a cluster is found, and where in it: sorts of paths, and namespaces that somebody names."""

import re
from collections.abc import Sequence
from pathlib import Path

from superbizagent.domain.alert import Alert

__all__ = ["is_kubeconfig", "namespaces_of"]

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


_LABELS = ("namespace", "exported_namespace", "kubernetes_namespace")
_NAME = r"[`'\"“「]?([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)[`'\"”」]?"
_SPOKEN = (
    re.compile(rf"(?<![\w-])(?:namespace|project|ns)[ :=/]+{_NAME}(?![\w-])"),
    re.compile(
        rf"(?:命名空间|名字空间|项目)[ :：]?{_NAME}"
        rf"|(?<![\w-]){_NAME} ?(?:这个)?(?:命名空间|名字空间)"
        rf"|(?<![\w-]){_NAME} (?:namespace|ns)(?![\w-])"
    ),
)
"""The name behind the word says it more surely than one before it."""
_NO_NAMES = frozenset(
    {
        "the",
        "this",
        "that",
        "a",
        "our",
        "my",
        "every",
        "each",
        "is",
        "in",
        "of",
        "at",
        "to",
        "are",
        "has",
        "which",
        "whole",
        "and",
        "or",
        "for",
        "with",
        "whose",
        "same",
    }
)


def namespaces_of(alerts: Sequence[Alert], question: str) -> tuple[str, ...]:
    """Return the namespaces that alerts carry as a label or a question speaks of, each once."""
    found = [a.labels[key] for a in alerts for key in _LABELS if a.labels.get(key)]
    for pattern in _SPOKEN:
        names = [name for spoken in pattern.finditer(question) for name in spoken.groups()]
        if told := [name for name in names if name and name not in _NO_NAMES]:
            return tuple(dict.fromkeys([*found, *told]))
    return tuple(dict.fromkeys(found))
