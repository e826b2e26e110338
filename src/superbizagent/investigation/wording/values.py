"""How numbers, times and spans read in a report: one way each, so that code can check a text.

Writing and checking use these same functions: a text is right when writing it again from the facts
gives the same characters.
"""

import math
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from superbizagent.investigation.wording.narrator import Narrator

__all__ = [
    "clock_time",
    "date_time",
    "flat",
    "instant",
    "quantity",
    "quoted",
    "quoted_ends",
    "short_name",
    "span",
    "zone_of",
]

_DIGITS = 3  # what a reader can use; the fact itself keeps six
_IDENTITY = frozenset(
    {
        "app",
        "app_kubernetes_io_name",
        "application",
        "container",
        "instance",
        "job",
        "service",
        "service_name",
    }
)
_LABEL = re.compile(r'([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")
_QUOTE_LIMIT = 160
_ENDS_LIMIT, _HEAD = 130, 64
_PRINTED = "Output: "
# Terminal sequences whole, then what is left of control, zero-width and direction characters.
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    r"|[\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)


def quantity(value: float | str | None, unit: str, narrator: Narrator) -> str:
    """Return a value with its unit: ``10``, ``3.03 s``, ``50 ms``, ``1.2 GiB``, ``4.5 %``."""
    if value is None:
        return narrator.say("value.none")
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return str(value)
    base, per = (unit[:-2], "/s") if unit.endswith("/s") else (unit, "")
    match base:
        case "s":
            text = _seconds(value)
        case "bytes":
            text = _bytes(value)
        case "ratio":
            text = f"{_number(100 * value)} %"
        case "" | "records" | "{connection}":
            text = _number(value)
        case _ if narrator.knows(f"unit.{base}"):
            text = narrator.say(f"unit.{base}", n=_number(value))
        case _:
            text = f"{_number(value)} {base}"
    return text + per


def _number(value: float) -> str:
    """Three significant digits, whole numbers whole, no exponent below a million."""
    if value == round(value) and abs(value) < 1e6:
        return str(round(value))
    if abs(value) >= 1e6 or 0 < abs(value) < 1e-4:
        return f"{value:.{_DIGITS}g}"
    digits = max(0, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _seconds(value: float) -> str:
    """Milliseconds below a tenth of a second; longer spans stay seconds, for comparing."""
    return f"{_number(1000 * value)} ms" if 0 < abs(value) < 0.1 else f"{_number(value)} s"


def _bytes(value: float) -> str:
    power = 0
    while abs(value) >= 1024 and power < len(_BINARY) - 1:
        value, power = value / 1024, power + 1
    return f"{_number(value)} {_BINARY[power]}"


def span(length: timedelta, narrator: Narrator) -> str:
    """Return a span in its two largest units: ``4 min``, ``2 h 5 min``, ``50 s``."""
    seconds = max(0, round(length.total_seconds()))
    # Below three minutes seconds matter; above, they are noise.
    if seconds < 180:
        return narrator.say("span.seconds", n=str(seconds))
    minutes = round(seconds / 60)
    if minutes < 60:
        return narrator.say("span.minutes", n=str(minutes))
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return narrator.say("span.hours", n=str(hours), m=str(minutes))
    return narrator.say("span.days", n=str(hours // 24), m=str(hours % 24))


def zone_of(name: str) -> tzinfo:
    """Return a zone by its IANA name or ``+08:00``; UTC when nobody knows it."""
    offset = _OFFSET.fullmatch(name)
    if offset:
        sign = -1 if offset[1] == "-" else 1
        return timezone(sign * timedelta(hours=int(offset[2]), minutes=int(offset[3])))
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def instant(at: datetime, zone: tzinfo) -> str:
    """Return date, time and offset: ``2026-03-04 12:00:15 +08:00``."""
    return date_time(at, zone) + _offset(at, zone)


def date_time(at: datetime, zone: tzinfo) -> str:
    """Return date and time: ``2026-03-04 12:00:15``."""
    return at.astimezone(zone).isoformat(sep=" ", timespec="seconds")[:19]


def clock_time(at: datetime, zone: tzinfo) -> str:
    """Return the time of day: ``12:00:15``."""
    return at.astimezone(zone).strftime("%H:%M:%S")


def _offset(at: datetime, zone: tzinfo) -> str:
    text = at.astimezone(zone).strftime("%z")
    return f" {text[:3]}:{text[3:5]}"


def short_name(name: str) -> str:
    """Return a series name with the labels that tell it from its siblings, identity left out."""
    metric, brace, rest = name.removeprefix("field:").partition("{")
    if not brace:
        return metric
    kept = [f'{k}="{v}"' for k, v in _LABEL.findall(rest) if k not in _IDENTITY]
    return f"{metric}{{{','.join(kept)}}}" if kept else metric


def quoted(text: str) -> str:
    """Return verbatim text for a sentence: one line, no control characters, cut if long."""
    line = flat(text)
    return line if len(line) <= _QUOTE_LIMIT else line[: _QUOTE_LIMIT - 1] + "…"


def quoted_ends(text: str) -> str:
    """Return verbatim text as `quoted` does, but cut in the middle if long.

    What Kubernetes says is a chain of errors: whom it is about stands first, and why stands last,
    or after the word that begins what a program printed.
    """
    line = flat(text)
    if len(line) <= _ENDS_LIMIT:
        return line
    head = line[:_HEAD].rpartition(" ")[0] or line[:_HEAD]
    room = _ENDS_LIMIT - len(head) - 3
    _, printed, why = line[len(head) :].rpartition(_PRINTED)
    if printed:
        return f"{head} … {why if len(why) <= room else why[: room - 1] + '…'}"
    tail = line[-room:]
    return f"{head} … {tail.partition(' ')[2] or tail}"


def flat(text: str) -> str:
    """Return a text as one line without control characters."""
    return " ".join(_CONTROL.sub("", text).split())
