"""Scores the mining of log templates on labelled logs: how right, and how fast beside drain3.

A folder holds ``<System>/<name>_structured.csv`` with a line a message (``Content``, ``EventId``,
``EventTemplate``), and beside it ``<name>``, the same lines with their headers. One setting serves
all systems. Speed is measured on a system's messages with new numbers in each, in CPU seconds of
this process, the rival on the first of the same lines.
"""

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import polars as pl

from superbizagent.analysis.log_texts import texts_of
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, Windows, from_ms
from superbizagent.errors import UsageError
from superbizagent.evaluation.log_rival import drain3_texts, has_drain3
from superbizagent.evaluation.log_scores import TemplateScore, score_templates

__all__ = ["Raw", "Speed", "SystemScore", "score_logs", "with_new_numbers"]

_LABELS = "_structured.csv"
_COLUMNS = ("Content", "EventId", "EventTemplate")
_OURS = 100_000  # lines whose mining is timed
_RIVAL = 10_000
_NUMBER = re.compile(r"(?<![A-Za-z0-9])(?:0x)?[0-9a-f]*[0-9][0-9a-f]*(?![A-Za-z0-9])")
_EVER = Window(start=from_ms(0), end=from_ms(4_102_444_800_000))  # to the year 2100


@dataclass(frozen=True, slots=True)
class Raw:
    """The same lines read with their headers on."""

    score: TemplateScore
    dated: float
    """Share of lines of which the time was found."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Lines a CPU second."""

    ours: float
    masked: float | None = None
    """The rival's, with masks; None when it is not installed."""
    plain: float | None = None


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system's labelled lines."""

    name: str
    lines: int
    templates: int
    true_templates: int
    message: TemplateScore
    raw: Raw | None
    """None where the lines with their headers are not there."""
    rival: TemplateScore | None
    rival_plain: TemplateScore | None
    speed: Speed


def score_logs(data: Path) -> Iterator[SystemScore]:
    """Yield the score of every system below a folder, in order of their names.

    Raises:
        UsageError: when it holds none, or one that cannot be read.
    """
    found = sorted(data.glob(f"*/*{_LABELS}"))
    if not found:
        raise UsageError(f"no <System>/*{_LABELS} below {str(data)!r}; pass the folder of systems")
    for path in found:
        yield _score(path)


def _score(path: Path) -> SystemScore:
    labels = _labels(path)
    messages, events, templates = (labels[c].fill_null("") for c in _COLUMNS)
    truth = (events.to_list(), templates.to_list())
    texts = _texts(messages)
    rival = plain = None
    if has_drain3():
        rival, plain = (
            score_templates(drain3_texts(messages.to_list(), masks=masks), *truth)
            for masks in (True, False)
        )
    log = path.with_name(path.name.removesuffix(_LABELS))
    return SystemScore(
        name=path.parent.name,
        lines=len(messages),
        templates=len(set(texts)),
        true_templates=events.n_unique(),
        message=score_templates(texts, *truth),
        raw=_raw(log, *truth) if log.is_file() else None,
        rival=rival,
        rival_plain=plain,
        speed=_speed(messages.to_list()),
    )


def _texts(messages: pl.Series) -> list[str]:
    texts, which = texts_of(messages)
    return [texts[k] for k in which.tolist()]


def _labels(path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_csv(path, infer_schema_length=0)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{path.name!r} cannot be read as CSV ({error}); look at it") from error
    missing = [c for c in _COLUMNS if c not in frame.columns]
    if missing or frame.is_empty():
        what = f"no column {missing[0]!r}" if missing else "no line"
        raise UsageError(f"{path.name!r} has {what}; it needs {', '.join(_COLUMNS)}")
    return frame


def _raw(path: Path, events: Sequence[str], templates: Sequence[str]) -> Raw:
    """Read the lines as any log file is read; a line that continues another is part of it."""
    source = LogFileSource({path.parent.name: (path,)})
    query = LogQuery(windows=Windows(incident=_EVER, baselines=()))
    frame = pl.concat([chunk.frame for chunk in source.read_logs(query)])
    sizes = (len(line) + 1 for line in path.read_bytes().split(b"\n"))
    begins = accumulate(sizes, initial=0)
    offsets: list[int] = frame["offset"].to_list()
    found = _texts(frame["body"])
    rows = (max(0, bisect_right(offsets, begin) - 1) for begin in begins)
    texts = [found[row] for row, _ in zip(rows, events, strict=False)]
    dated = float(frame["time"].is_not_null().sum()) / len(events)
    return Raw(score_templates(texts, events, templates), min(1.0, dated))


def _speed(messages: Sequence[str]) -> Speed:
    lines = with_new_numbers([messages[k % len(messages)] for k in range(_OURS)])
    series = pl.Series(lines, dtype=pl.String)
    ours = _OURS / _cpu_seconds(lambda: texts_of(series))
    if not has_drain3():
        return Speed(ours)
    some = lines[:_RIVAL]
    masked, plain = (
        _RIVAL / _cpu_seconds(lambda m=masks: drain3_texts(some, masks=m))
        for masks in (True, False)
    )
    return Speed(ours, masked, plain)


def _cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least of three runs: whatever else the machine does only adds to it."""
    taken: list[float] = []
    for _ in range(3):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def with_new_numbers(lines: Sequence[str], seed: int = 0) -> list[str]:
    """Return lines with every number and hex word drawn anew, some of another length.

    Two of five numbers of more than three digits lose or gain one.
    """
    draws = _draws(seed)
    return [_NUMBER.sub(lambda m: _drawn(m.group(), next(draws)), line) for line in lines]


def _draws(seed: int) -> Iterator[int]:
    """Yield the same 32-bit numbers for the same seed: Knuth's MMIX generator, its upper half."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 32


def _drawn(old: str, draw: int) -> str:
    if old.isdecimal():
        size = len(old) + (len(old) > 3) * ((draw % 5 == 0) - (draw % 5 == 1))
        return str(10 ** (size - 1) + draw % (9 * 10 ** (size - 1)))
    prefix = "0x" if old.startswith("0x") else ""
    digits = f"{draw:08x}{draw * 7919:016x}" * (len(old) // 24 + 1)
    return prefix + digits[: len(old) - len(prefix)]
