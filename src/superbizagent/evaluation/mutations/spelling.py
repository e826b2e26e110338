"""How a number is written in a sentence, and what numbers a written one can stand for."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from superbizagent.domain.fact import Fact

__all__ = ["Sayable", "Spelled", "Speller", "other_unit", "says", "spelled"]

_NUMBER = re.compile(r"([-+]?)(\d[\d,]*)(?:\.(\d+))?(?:e([-+]?\d+))?( ?)(.*)", re.DOTALL)
_PAIRS = 8
"""Of more facts than these no pairs are formed: nobody derives a number from them."""

_FACTORS: dict[str, float] = {
    "ms": 1e-3, "毫秒": 1e-3, "s": 1.0, "秒": 1.0, "min": 60.0, "分钟": 60.0, "h": 3600.0,
    "%": 0.01, "ratio": 1.0,
    "B": 1.0, "bytes": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    "milli": 1e-3,
}  # fmt: skip
"""Unit -> how many of its base unit one is."""

_OTHER_UNITS: dict[str, str] = {
    "ms": "s", "s": "ms", "毫秒": "秒", "秒": "毫秒", "min": "s", "分钟": "秒", "h": "min",
    "小时": "分钟", "B": "KiB", "KiB": "MiB", "MiB": "GiB", "GiB": "MiB", "TiB": "GiB",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spelled:
    """A written number: its digits, how fine it is, its unit."""

    value: float
    step: float
    """One unit of the last written digit."""
    decimals: int
    exponent: int
    grouped: bool
    gap: str
    rest: str
    """The unit, and whatever else the piece says behind the digits."""

    @property
    def unit(self) -> str:
        """The unit alone: ``ms`` of ``ms/s``."""
        match = re.match(r"[^\W\d_]+|%", self.rest)
        return match.group() if match else ""

    @property
    def in_base(self) -> float:
        """The value in the base unit of its unit: seconds, bytes, a ratio."""
        return self.value * _FACTORS.get(self.unit, 1.0)

    def moved(self, steps: int) -> str:
        """Write it again, some steps of the last digit away."""
        scaled = self.value / 10.0**self.exponent + steps * 10.0**-self.decimals
        digits = f"{scaled:{',' if self.grouped else ''}.{self.decimals}f}"
        power = f"e{self.exponent:+03d}" if self.exponent else ""
        return f"{digits}{power}{self.gap}{self.rest}"


def spelled(text: str) -> Spelled | None:
    """Read a written number, None when the text does not begin with one."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, decimals, exponent, gap, rest = match.groups()
    power = int(exponent or 0)
    places = len(decimals or "")
    value = float(f"{sign}{whole.replace(',', '')}.{decimals or 0}e{power}")
    step = 10.0 ** (power - places)
    return Spelled(value, step, places, power, "," in whole, gap, rest)


def other_unit(number: Spelled) -> str | None:
    """Write a number with the neighbouring unit, None when it has none."""
    unit = number.unit
    other = _OTHER_UNITS.get(unit)
    return (
        None
        if other is None
        else number.moved(0).replace(number.rest, number.rest.replace(unit, other, 1))
    )


def says(text: str, facts: Sequence[Fact]) -> bool:
    """Tell whether a written number, with the unit it has, is the value of any of the facts."""
    number = spelled(text)
    if number is None:
        return False
    factor = _FACTORS.get(number.unit, 1.0)
    low = (number.value - number.step / 2) * factor
    high = (number.value + number.step / 2) * factor
    return any(
        low <= float(fact.value) * _FACTORS.get(fact.unit.removesuffix("/s") or "s", 1.0) <= high
        for fact in facts
        if isinstance(fact.value, int | float)
    )


@dataclass(frozen=True, slots=True)
class Sayable:
    """Every number that some facts may bear out: their values in any unit, simple operations.

    Generous on purpose: what could be true is not taken for a mutant.
    """

    values: tuple[float, ...]
    """Ascending, without sign."""

    @classmethod
    def of(cls, facts: Sequence[Fact], *, derived: bool = True) -> "Sayable":
        """Return what can be said of these facts.

        Args:
            facts: what is cited.
            derived: operations over two of them too.
        """
        found = {v for fact in facts for v in _values(fact)}
        if derived and len(facts) <= _PAIRS:
            for one, other in permutations(facts, 2):
                found |= set(_derived(_raw(one), _raw(other)))
                found |= set(_derived(_base(one), _base(other)))
        return cls(tuple(sorted(abs(value) for value in found)))

    def allows(self, text: str) -> bool:
        """Tell whether a written number may be any of these."""
        number = spelled(text)
        if number is None:
            return False
        half = number.step / 2 * (1 + 1e-6)
        low, high = abs(number.value) - half, abs(number.value) + half
        for factor in {1.0, _FACTORS.get(number.unit, 1.0)}:
            first = bisect_left(self.values, low * factor)
            if first < len(self.values) and self.values[first] <= high * factor:
                return True
        return False


def _derived(a: float | None, b: float | None) -> Iterator[float]:
    if a is None or b is None:
        return
    yield from (a - b, a + b)
    if b:
        yield from (a / b, 100 * a / b, (a - b) / b, 100 * (a - b) / b)
    if a + b:
        yield from (a / (a + b), 100 * a / (a + b))


def _raw(fact: Fact) -> float | None:
    return float(fact.value) if isinstance(fact.value, int | float) else None


def _base(fact: Fact) -> float | None:
    """The value in the base unit of its unit."""
    value = _raw(fact)
    return None if value is None else value * _FACTORS.get(fact.unit.removesuffix("/s"), 1.0)


def _values(fact: Fact) -> Iterator[float]:
    raw, base = _raw(fact), _base(fact)
    if raw is not None and base is not None:
        yield from {raw, base, 100 * raw, 1000 * raw}


@dataclass(frozen=True, slots=True)
class Speller:
    """Writes a value with three significant digits in the unit that suits its size."""

    chinese: bool

    def __call__(self, value: float, unit: str) -> str:
        """Write a value of a fact's unit."""
        base, per = (unit[:-2], True) if unit.endswith("/s") and unit != "s/s" else (unit, False)
        text = self._plain(value, base)
        if not per:
            return text
        return f"{text}/秒" if self.chinese else f"{text}/s"

    def _plain(self, value: float, unit: str) -> str:
        match unit:
            case "s" if 0 < abs(value) < 1:
                return f"{_digits(1000 * value)} {'毫秒' if self.chinese else 'ms'}"
            case "s":
                return f"{_digits(value)} {'秒' if self.chinese else 's'}"
            case "ratio":
                return f"{_digits(100 * value)}%"
            case "bytes":
                return _bytes(value)
            case "" | "records" | "s/s" | "{connection}":
                return _digits(value)
            case _:
                return f"{_digits(value)} {unit}"


def _bytes(value: float) -> str:
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    power = 0
    while abs(value) >= 1024 and power < len(units) - 1:
        value, power = value / 1024, power + 1
    return f"{_digits(value)} {units[power]}"


def _digits(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}" if abs(value) >= 10_000 else str(int(value))
    if abs(value) >= 100:
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.2e}"
