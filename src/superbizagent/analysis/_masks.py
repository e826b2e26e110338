r"""Variable parts of log messages replaced by one wildcard, on distinct messages only.

The order matters: what is recognised by its form (addresses, paths, dates) goes before words that
merely hold a digit. Rust's regular expressions have no look-around, so a left context is captured
and put back; ``(?-u:\b)`` is the fast ASCII word boundary.
"""

import polars as pl

__all__ = ["HEAD", "KEY", "WILD", "key_of", "mask"]

WILD = "\x00"
"""Stands for a variable part inside the miner; shown as ``<*>``."""

GLUE = "\x01"
"""Splits CJK text, which has no spaces, into tokens; invisible in templates."""

KEY = (
    r"[a-fA-F]*[0-9][0-9A-Za-z_.\-]*"
    r"(?::[0-9][0-9A-Za-z_.\-]*)*"
)
"""Grouping key: numbers and hex words, also inside words such as ``blk_17``.

It takes only what the masks take as well, so eating part of a word is harmless here.
"""

HEAD = 4096
"""Letters of a message that are looked at; the tail of a very long one tells no more."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_UNITS = "(?:B|KB|KiB|MB|MiB|GB|GiB|bytes?|ms|us|ns|s|secs?|seconds?|MHz)"
_PATH = r"[A-Za-z0-9_.@%+~:\-$#*]+"
_STEPS: tuple[tuple[str, str], ...] = (
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),  # colours
    (r"( bytes?) \([0-9][0-9.]* ?[KMGT]i?B\)", "${1}"),  # the same number again
    (r"(?-u:\b)[A-Za-z][A-Za-z0-9+.\-]*://[^\s,;\"'<>)\]}]+", WILD),
    (r"[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+", WILD),
    (
        rf"(^|[\s=:\"'(\[<,>])(?:~|\.{{1,2}})?(?:/{_PATH}){{2,}}/?(?:\?[^\s\"']*)?",
        "${1}" + WILD,
    ),
    (r"(^|[\s=:\"'(\[<,])/[A-Za-z0-9_.\-]{4,}/?", "${1}" + WILD),
    (r"(?-u:\b)[A-Za-z]:\\[^\s\"']+", WILD),
    (r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", WILD),
    (r"(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f]{1,4}(?-u:\b)", WILD),
    (r"[A-Za-z0-9_\-]+(?:\.[A-Za-z0-9_\-]+)+:[0-9]+", WILD),
    (
        (
            rf"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?{_MONTH} +[0-9]{{1,2}}"
            r"(?: +[0-9]{2}:[0-9]{2}:[0-9]{2})?(?: +[A-Z]{3,4})?(?: +[0-9]{4})?"
        ),
        WILD,
    ),
    # Not the name of the next field, as in `status=200 bytes=812`.
    (rf"<?[-+]?(?-u:\b)[0-9][0-9.,]* ?(?:{_UNITS}|%)([^=0-9A-Za-z_]|$)", WILD + "${1}"),
    (r"[A-Za-z0-9_.\-/@%+~$]*[0-9](?:[\w.\-/@%+~$:]*[\w%])?", WILD),
    (r"\x00(?:[\s,.:;/|\-_+*]*\x00)+", WILD),
    (r"([\p{Han}\p{Hiragana}\p{Katakana}])", GLUE + "${1}" + GLUE),
)


def key_of(bodies: pl.Series) -> pl.Series:
    """Return the grouping key of every message or shape: its first 4 kB with numbers as ``#``."""
    return _of(bodies, pl.first().str.head(HEAD).str.replace_all(KEY, "#"))


def mask(messages: pl.Series) -> pl.Series:
    """Return the messages with their variable parts as `WILD`."""
    masked = pl.first().str.head(HEAD)
    for pattern, value in _STEPS:
        masked = masked.str.replace_all(pattern, value)
    return _of(messages, masked)


def _of(texts: pl.Series, expression: pl.Expr) -> pl.Series:
    """Return what becomes of texts; all steps at once start one pass instead of many."""
    return texts.to_frame().select(expression).to_series()
