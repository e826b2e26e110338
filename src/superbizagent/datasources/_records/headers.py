"""What stands before the message: level, thread, logger, process id; and the message itself."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.domain.distinct import digits_alike, joined, lines_of, numbered
from superbizagent.domain.logs import SEVERITIES

from .layouts import FORMS
from .line_bytes import FILLER, LineBytes
from .stamps import NONE, Stamps

__all__ = ["Parsed", "parse_lines", "severity_of_numbers", "severity_of_words"]

Codes = NDArray[np.int8]
Ints = NDArray[np.int64]

_CODE = {name: code for code, name in enumerate(SEVERITIES)}

_WORDS = {
    "trace": ("trace", "trc", "finest", "verbose"),
    "debug": ("debug", "dbg", "fine", "finer", "debug1", "debug2", "debug3", "debug5"),
    "info": ("info", "inf", "information", "informational", "notice", "note", "log", "config"),
    "warn": ("warn", "warning", "wrn"),
    "error": ("error", "err", "severe", "eror"),
    "fatal": ("fatal", "critical", "crit", "panic", "emerg", "emergency", "alert", "ftl"),
}
_WORD_CODES = {word: _CODE[name] for name, words in _WORDS.items() for word in words}

_LETTER_CODES = {
    "V": _CODE["trace"],
    "D": _CODE["debug"],
    "I": _CODE["info"],
    "W": _CODE["warn"],
    "E": _CODE["error"],
    "F": _CODE["fatal"],
}

_LEVELS = "|".join(sorted(_WORD_CODES, key=lambda w: (-len(w), w)))
_UPPER = _LEVELS.upper()
_TITLE = "|".join(w.title() for w in sorted(_WORD_CODES, key=lambda w: (-len(w), w)))

# A level in capitals stands alone; in other spellings it needs a mark that says it is a level,
# because "error connecting" and "Note that" begin messages.
_LEVEL = (
    rf"(?:(?:{_UPPER})\b:?|[\[<(](?i:{_LEVELS})[\]>)]:?|(?i:{_LEVELS})(?::\s|\s?\|)"
    rf"|(?:{_TITLE})\s{{2,}}|[VDIWEF]\s|[VDIWEF]/)"
)

_FURNITURE = (
    r"(?:\s+|\[[^\]\n]{0,120}\]:?|\([^)\n]{0,60}\):?"  # [thread], (process)
    r"|(?:stdout|stderr) [FP]\s"  # container runtimes
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{8,18}Z?"  # the stamp of a wrapped line
    r"|[0-9]+(?:/[0-9]+)?\s"  # process and thread ids
    r"|---\s|-\s|\||:\s|,\s?"
    r"|[a-z][a-z0-9_]*(?:\.[A-Za-z0-9_$]+)+(?:#[0-9]+)?(?:\[[0-9]+\])?(?::\s|\s)"  # a.b.Logger#35
    r"|[A-Z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_$]+){3,}:\s"  # SecurityLogger.a.b.Server:
    r"|[A-Za-z][A-Za-z0-9_./()-]{0,60}\[[0-9]+\]:"  # sshd[123]:
    r"|[A-Za-z0-9_.-]+\.(?:go|cc|cpp|c|py|js|rs|java):[0-9]+(?:\]|:)?)"  # main.go:15]
)

# The stamp may have stood in brackets, whose end comes first then.
# One level: a second word of that sort begins the message, as in ``INFO a.b.C: ERROR IN …``.
_HEADER = rf"^[\])>]?(?:{_FURNITURE})*(?:{_LEVEL})?(?:{_FURNITURE})*"
_HEADER_LEVEL = rf"^[\])>]?(?:{_FURNITURE})*?({_LEVEL})"

_NEAR = 56
"""Letters within which most headers end."""

_FEW = 1000
"""Lines of which it does not pay to look for the distinct beginnings."""

# What of a beginning is surely no header: a word that ends in it, of more than a level's length.
# Only what stands in brackets and a date may hold a blank, and where they begin the end may not be
# in sight.
_MESSAGE = r"^[^\s\[(<][^\s]*\s"
_LEVEL_LENGTH = 16
_DATED = r"^[0-9]{4}-"

_SYSLOG_HOST = r"^ [A-Za-z0-9_.:-]+ "

_FAILURES = (
    r"(?i)\b(?:errors?|fail(?:ed|ure|s|ing)?|exception|refused|denied|unable to|cannot"
    r"|could not|timed out)\b|失败|错误|异常|拒绝"
)
_WORD_HINTS = (
    (r"(?i)\b(?:fatal|panic|out of memory|segfault)\b", _CODE["error"]),
    (_FAILURES, _CODE["warn"]),
    (r"(?i)\b(?:warn(?:ing)?|timeout|retry(?:ing)?|slow)\b|超时|警告", _CODE["info"]),
)
"""Words of a message without a level, each one step lower than a level of that meaning."""

_ANY_HINT = "|".join(f"(?:{pattern})" for pattern, _ in _WORD_HINTS)

BODY_LIMIT = 4096
"""Bytes of a message that are parsed; the tail of a longer one is not read."""

_KLOG = next(k for k, form in enumerate(FORMS) if form.name == "klog")
_CLF = next(k for k, form in enumerate(FORMS) if form.name == "clf")
_SYSLOG = next(k for k, form in enumerate(FORMS) if form.name == "syslog")


class Parsed:
    """Severity and message of each line."""

    __slots__ = ("body", "severity")

    def __init__(self, body: pl.Series, severity: Codes) -> None:
        self.body = body
        self.severity = severity


def parse_lines(lines: pl.Series, stamps: Stamps, text: LineBytes | None = None) -> Parsed:
    """Take the header off each line.

    Args:
        lines: text of each record, its first line being the one with the stamp.
        stamps: of the same records.
        text: the bytes of the same records, where they are at hand.
    """
    ends = np.where(stamps.kind == NONE, 0, stamps.end)
    frame = pl.DataFrame({"line": lines, "begin": stamps.begin, "end": ends})
    if text is None or len(lines) < _FEW or (stamps.form == _SYSLOG).any():
        body, severity = _without_header(_without_host(_from_byte(frame), stamps))
    else:
        body, severity = _without_known_header(frame, text)
    _prefix_levels(frame, stamps, severity)
    _special_forms(frame, stamps, severity)
    body = _with_prose_prefix(frame, body, stamps)
    _hint_levels(body, severity)
    return Parsed(body.str.strip_chars_end(), severity)


def _without_header(rest: pl.Series) -> tuple[pl.Series, Codes]:
    """Take the header off each text; return the level that stands in it too."""
    if len(rest) < _FEW:
        return _parted(rest)
    near = np.frombuffer(joined(rest.str.head(_NEAR)), np.uint8)
    sizes, severity, unsure = _headers(*numbered(lines_of(digits_alike(near))))
    cuts = pl.DataFrame({"rest": rest, "size": sizes})
    body = cuts.select(pl.col("rest").str.slice(pl.col("size")).alias("body")).to_series()
    return _mended(body, severity, unsure, rest.gather(pl.Series(unsure)))


def _without_known_header(frame: pl.DataFrame, text: LineBytes) -> tuple[pl.Series, Codes]:
    """Do the same with the bytes of the lines."""
    ends = frame["end"].to_numpy()
    near = text.lines(ends, frame["line"].str.len_bytes().to_numpy(), _NEAR)
    place, heads = numbered(lines_of(digits_alike(near.reshape(-1))))
    sizes, severity, unsure = _headers(place, heads.str.strip_chars_end(FILLER))
    cuts = frame.select("line", begin=ends + sizes, size=BODY_LIMIT - sizes)
    found = pl.col("line").str.slice(pl.col("begin"), pl.col("size")).alias("body")
    body = cuts.select(found).to_series()
    return _mended(body, severity, unsure, _from_byte(frame[unsure]))


def _headers(place: Ints, heads: pl.Series) -> tuple[Ints, Codes, Ints]:
    """Return the letters and the level of the header of each line, by the forms of beginnings.

    A header depends on the form of a line alone, and with all digits alike the beginnings of few
    lines have a form of their own. Rows whose header may go on behind the beginning come third.

    Args:
        place: which beginning each line has.
        heads: the distinct beginnings.
    """
    behind, codes = _parted(heads)
    length, left = heads.str.len_chars(), behind.str.len_chars()
    sizes = (length - left).to_numpy().astype(np.int64)
    message = behind.str.contains(_MESSAGE) & ~behind.str.contains(_DATED)
    sure = ((length < _NEAR) | (message & (left > _LEVEL_LENGTH))).to_numpy()
    return sizes[place], codes[place], np.flatnonzero(~sure[place])


def _mended(
    body: pl.Series, severity: Codes, rows: Ints, texts: pl.Series
) -> tuple[pl.Series, Codes]:
    """Take the header off some rows by their whole texts."""
    if len(rows):
        bodies, severity[rows] = _parted(texts)
        body = body.scatter(pl.Series(rows), bodies)
    return body, severity


def _parted(rest: pl.Series) -> tuple[pl.Series, Codes]:
    """Return what stands behind each header, and the level in it."""
    body = rest.str.replace(_HEADER, "")
    both = pl.DataFrame({"rest": rest, "body": body})
    size = pl.col("rest").str.len_chars() - pl.col("body").str.len_chars()
    header = both.select(pl.col("rest").str.slice(0, size).alias("header"))
    place, distinct = numbered(header.to_series())
    return body, severity_of_words(distinct.str.extract(_HEADER_LEVEL, 1))[place]


def severity_of_words(words: pl.Series) -> Codes:
    """Return codes of level words such as ``[ERROR]``, ``warn:``, ``E/``; 0 for what is none."""
    distinct = words.unique(maintain_order=True).drop_nulls()
    codes = {word: _word_code(word) for word in distinct.to_list()}
    if not codes:
        return np.zeros(len(words), np.int8)
    mapped = words.replace_strict(codes, default=0, return_dtype=pl.Int8)
    return mapped.fill_null(0).to_numpy().copy()


def _word_code(word: str) -> int:
    bare = word.strip(" \t[]<>():|/-")
    if len(bare) == 1:
        return _LETTER_CODES.get(bare.upper(), 0)
    return _WORD_CODES.get(bare.lower(), 0)


def severity_of_numbers(numbers: pl.Series) -> Codes:
    """Return codes of numeric levels: pino's and bunyan's 10 to 60, else syslog's 0 to 7."""
    value = numbers.to_numpy()
    pino = np.clip(value / 10, 1, 6)
    syslog = np.select(
        [value <= 2, value == 3, value == 4, value <= 6], [6, 5, 4, 3], _CODE["debug"]
    )
    codes = np.where(value >= 10, np.floor(pino), syslog)
    return np.where(np.isnan(value) | (value < 0), 0, codes).astype(np.int8)


def _from_byte(frame: pl.DataFrame) -> pl.Series:
    """Return each line from the end of its stamp on, up to the limit of what is parsed."""
    ascii_lines = frame["line"].str.len_bytes() == frame["line"].str.len_chars()
    if ascii_lines.all():
        cut = frame.select(pl.col("line").str.slice(pl.col("end"), BODY_LIMIT))
        return cut.to_series()
    binary = pl.col("line").cast(pl.Binary).bin.slice(pl.col("end"), BODY_LIMIT * 4)
    # The offset is the end of an ASCII stamp and the length is cut again, so no letter is split
    # at the front; at the back a split letter would make the text invalid.
    long = frame["line"].str.len_bytes() > BODY_LIMIT * 4
    if long.any():
        binary = pl.col("line").cast(pl.Binary).bin.slice(pl.col("end"))
    return frame.select(binary.cast(pl.String).str.slice(0, BODY_LIMIT)).to_series()


def _without_host(rest: pl.Series, stamps: Stamps) -> pl.Series:
    syslog = stamps.form == _SYSLOG
    if not syslog.any():
        return rest
    rows = pl.Series(np.flatnonzero(syslog))
    return rest.scatter(rows, rest.gather(rows).str.replace(_SYSLOG_HOST, " "))


def _prefix_levels(frame: pl.DataFrame, stamps: Stamps, severity: Codes) -> None:
    """Use a level that stands before the stamp, as in ``ERROR 2026-…`` or ``<34>Oct …``."""
    rows = np.flatnonzero((severity == 0) & (stamps.begin > 1) & (stamps.kind != NONE))
    if not len(rows):
        return
    some = frame[rows]
    prefix = some.select(pl.col("line").str.slice(0, pl.col("begin"))).to_series()
    words = prefix.str.extract(rf"(?:^|[\s\[<(])((?i:{_LEVELS}))\b", 1)
    codes = severity_of_words(words)
    number = prefix.str.extract(r"^<([0-9]{1,3})>", 1).cast(pl.Float64)
    syslog = severity_of_numbers(number % 8)
    severity[rows] = np.where(codes > 0, codes, np.where(number.is_null().to_numpy(), 0, syslog))


def _special_forms(frame: pl.DataFrame, stamps: Stamps, severity: Codes) -> None:
    klog = np.flatnonzero(stamps.form == _KLOG)
    if len(klog):
        letters = frame[klog].select(pl.col("line").str.slice(pl.col("begin"), 1)).to_series()
        severity[klog] = severity_of_words(letters)
    access = np.flatnonzero((stamps.form == _CLF) & (severity == 0))
    if len(access):
        # An access log has no level; its status is one: the server failed, or it did not.
        status = _from_byte(frame[access]).str.extract(r'" ([1-5])[0-9]{2} ', 1)
        codes = np.where(
            status.is_null().to_numpy(),
            0,
            np.where((status == "5").fill_null(value=False).to_numpy(), 5, 3),
        )
        severity[access] = codes


def _with_prose_prefix(frame: pl.DataFrame, body: pl.Series, stamps: Stamps) -> pl.Series:
    """Keep what stands before a stamp in the middle of a sentence."""
    rows = np.flatnonzero((stamps.begin > 8) & (stamps.kind != NONE) & (stamps.form != _CLF))
    if not len(rows):
        return body
    some = frame[rows].with_columns(body=body.gather(pl.Series(rows)))
    some = some.with_columns(prefix=pl.col("line").str.slice(0, pl.col("begin")))
    prose = some["prefix"].str.contains(r"^[^|\[]*[a-z]{2,} [a-z]{2,}")
    some = some.filter(prose)
    whole = pl.concat_str(pl.col("prefix").str.strip_chars_end(), pl.lit(" "), pl.col("body"))
    joined = some.select(whole.alias("body")).to_series()
    return body.scatter(pl.Series(rows).filter(prose), joined)


def _hint_levels(body: pl.Series, severity: Codes) -> None:
    rows = np.flatnonzero(severity == 0)
    if not len(rows):
        return
    # Most messages hold no such word, and one search tells.
    rows = rows[body.gather(pl.Series(rows)).str.contains(_ANY_HINT).to_numpy()]
    for pattern, code in _WORD_HINTS:
        if not len(rows):
            return
        hit = body.gather(pl.Series(rows)).str.contains(pattern).to_numpy()
        severity[rows[hit]] = code
        rows = rows[~hit]
