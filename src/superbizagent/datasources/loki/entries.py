"""Entries as Loki prints them, and the records they make."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from superbizagent.datasources._records import continues
from superbizagent.domain.json_values import mapping

__all__ = ["Entry", "decode_streams", "fold_entries", "label_sets"]

_FOLD_NS = 1_000_000_000
"""A stack trace is written at once; a later line that looks like part of one is not."""

_FOLDED_LINES = 500


@dataclass(slots=True)
class Entry:
    """One entry of one stream."""

    ns: int
    """Nanoseconds since the epoch."""
    stream: str
    """The stream's labels, printed: with time and line it identifies the entry."""
    labels: Mapping[str, str]
    line: str
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    """Structured metadata of this entry alone, such as ``trace_id`` or ``detected_level``."""

    @property
    def key(self) -> tuple[int, str, str]:
        """Loki stores an entry of equal stream, time and line once."""
        return self.ns, self.stream, self.line


def decode_streams(data: Any) -> list[Entry]:
    """Read the ``data`` of a log query, oldest first; equal times in order of their streams.

    Raises:
        ValueError: when it has another form.
    """
    if mapping(data).get("resultType") != "streams":
        raise ValueError("no streams of log lines")
    try:
        found = [entry for item in data["result"] or () for entry in _entries(item)]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ValueError(f"log lines in an unknown form: {error!r}") from error
    found.sort(key=lambda entry: (entry.ns, entry.stream))  # stable: a stream keeps its order
    return found


def label_sets(data: Any) -> list[dict[str, str]]:
    """Read the ``data`` of a question for streams; what is no label set is left out."""
    rows = cast("list[Any]", data) if isinstance(data, list) else []
    return [labels for row in rows if (labels := _texts(row))]


def _entries(item: Any) -> Iterable[Entry]:
    labels = _texts(item["stream"])
    stream = repr(sorted(labels.items()))
    values = cast("list[list[Any]]", item["values"])
    if len(values) > 1 and int(values[0][0]) > int(values[-1][0]):
        values = values[::-1]  # asked backwards
    for value in values:
        yield Entry(int(value[0]), stream, labels, str(value[1]), _metadata(value[2:]))


def _metadata(rest: Sequence[Any]) -> dict[str, str]:
    if not rest:
        return {}
    given = mapping(rest[0])
    if not {"structuredMetadata", "parsed"} & set(given):
        return _texts(given)
    return _texts(given.get("structuredMetadata")) | _texts(given.get("parsed"))


def _texts(value: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in mapping(value).items()}


def fold_entries(entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Return the records that entries make, each with its whole text.

    Shippers that know nothing of stack traces send each of their lines as an entry.
    """
    heads: list[Entry] = []
    texts: list[list[str]] = []
    latest: dict[str, int] = {}
    for entry in entries:
        at = latest.get(entry.stream)
        if (
            at is not None
            and continues(entry.line)
            and entry.ns - heads[at].ns <= _FOLD_NS
            and len(texts[at]) < _FOLDED_LINES
        ):
            texts[at].append(entry.line)
            continue
        latest[entry.stream] = len(heads)
        heads.append(entry)
        texts.append([entry.line])
    return [(head, "\n".join(text)) for head, text in zip(heads, texts, strict=True)]
