"""The fixed forms of time stamps that logs carry, as layouts.

A layout is written as the stamp looks. ``YMDhms`` are digits of their field, ``y`` of a year
without a century, ``b`` a letter of an English month name, ``_`` a digit or a space (tens of an
hour or a day), ``T`` what stands between date and time (a ``T`` or a space), ``L`` a klog letter,
``e`` a digit of an epoch number. Anything else stands for itself.
"""

import re
from dataclasses import dataclass
from functools import cached_property

__all__ = ["FORMS", "MAX_LENGTH", "STAMP", "Form"]


@dataclass(frozen=True)
class Form:
    """One layout, and what it leaves out."""

    name: str
    layout: str
    has_year: bool = True
    has_date: bool = True
    epoch_digits: int = 0

    @cached_property
    def telling(self) -> tuple[int, ...]:
        """Columns that few other texts have right: two separators, or the two ends."""
        marks = [k for k, c in enumerate(self.layout) if c not in _CLASSES and c != "e"]
        return tuple(marks[:: max(1, len(marks) - 1)]) or (0, len(self.layout) - 1)

    @property
    def pattern(self) -> str:
        """The regular expression that finds the form."""
        if self.epoch_digits:
            # 1 to 4 as first digit: 2001 to 2128 in seconds; other numbers are sizes and ids.
            return rf"[1-4][0-9]{{{self.epoch_digits - 1}}}"
        return "".join(_CLASSES.get(c, re.escape(c)) for c in self.layout)


_CLASSES = {
    **dict.fromkeys("YMDhmsy", "[0-9]"),
    "_": "[0-9 ]",
    "b": "[A-Za-z]",
    "T": "[T ]",
    "L": "[IWEFD]",
}

# Order decides where one form is the beginning of another: ctime before syslog, and so on.
FORMS: tuple[Form, ...] = (
    Form("iso", "YYYY-MM-DDT_h:mm:ss"),
    Form("slash", "YYYY/MM/DDT_h:mm:ss"),
    Form("dots", "YYYY.MM.DDT_h:mm:ss"),
    Form("day_dots", "DD.MM.YYYYT_h:mm:ss"),
    Form("day_dashes", "DD-MM-YYYYT_h:mm:ss"),
    Form("dashes", "YYYY-MM-DD-hh.mm.ss"),
    Form("compact", "YYYYMMDD-hh:mm:ss"),
    # Programs that forget to pad: each part has one digit or two.
    Form("compact_s", "YYYYMMDD-hh:mm:s"),
    Form("compact_m", "YYYYMMDD-hh:m:ss"),
    Form("compact_ms", "YYYYMMDD-hh:m:s"),
    Form("compact_h", "YYYYMMDD-h:mm:ss"),
    Form("compact_hs", "YYYYMMDD-h:mm:s"),
    Form("compact_hm", "YYYYMMDD-h:m:ss"),
    Form("compact_hms", "YYYYMMDD-h:m:s"),
    Form("compact_t", "YYYYMMDDThh:mm:ss"),
    Form("basic", "YYYYMMDDThhmmss"),
    Form("clf", "DD/bbb/YYYY:hh:mm:ss"),
    Form("day_first", "_D-bbb-YYYY hh:mm:ss"),
    Form("ctime", "bbb _D hh:mm:ss YYYY"),
    Form("syslog", "bbb _D hh:mm:ss", has_year=False),
    Form("klog", "LMMDD hh:mm:ss", has_year=False),
    Form("short_slash", "yy/MM/DD hh:mm:ss"),
    Form("short", "yyMMDD _h:mm:ss"),
    Form("digits", "yyMMDD hhmmss"),
    Form("month_day", "MM-DD hh:mm:ss", has_year=False),
    Form("month_dot_day", "MM.DD hh:mm:ss", has_year=False),
    Form("epoch_ns", "e" * 19, epoch_digits=19),
    Form("epoch_us", "e" * 16, epoch_digits=16),
    Form("epoch_ms", "e" * 13, epoch_digits=13),
    Form("epoch", "e" * 10, epoch_digits=10),
    Form("clock", "hh:mm:ss", has_year=False, has_date=False),
)

MAX_LENGTH = max(len(form.layout) for form in FORMS)

STAMP = r"(?:^|[^0-9A-Za-z.:/_-])(?:" + "|".join(f"{f.pattern}(?:[^0-9]|$)" for f in FORMS) + ")"
"""Finds the first stamp of a line, with the one character before it where there is one."""
