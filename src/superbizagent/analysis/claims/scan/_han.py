"""Read a number written in Chinese numerals."""

from decimal import Decimal

__all__ = ["DIGITS", "HAN", "PLACES", "han_value"]

DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
PLACES = _SMALL | _LARGE
HAN = "".join(DIGITS) + "".join(PLACES)

# A run of more characters is no number: 10**16 takes fewer than 30.
_LONGEST = 32


class _Reader:
    """The state of reading from left to right."""

    def __init__(self) -> None:
        self.total = 0
        """What stands before the last 万 or 亿, multiplied."""
        self.section = 0
        """What stands behind it, up to 9999."""
        self.digit: int | None = None
        """A digit whose place is not read yet."""
        self.place = 10**12
        """The last place in this section; places must fall."""
        self.last = 1
        """The last place that was written."""
        self.zero = False
        """Whether the digit came behind a 零, so that it counts ones."""

    def take_digit(self, digit: int) -> bool:
        if digit == 0:
            self.zero = True
            return self.digit is None
        if self.digit is not None:
            return False
        self.digit = digit
        return True

    def take_small(self, place: int) -> bool:
        if place >= self.place or (self.digit is None and place != 10):
            return False
        # 十 without a digit before it is one ten: 十六, 七百十六.
        self.section += (1 if self.digit is None else self.digit) * place
        self.digit, self.place, self.last, self.zero = None, place, place, False
        return True

    def take_large(self, place: int) -> bool:
        section = self.section + (self.digit or 0)
        # 一万亿: the 亿 multiplies all that stands before it; 一亿二千万: the 万 does not.
        whole = place > self.last and 0 < self.total < place
        if section == 0 and not whole:
            return False
        if whole:
            self.total = (self.total + section) * place
        else:
            self.total += section * place
        self.section, self.digit, self.zero = 0, None, False
        self.place, self.last = 10**12, place
        return True

    def finish(self) -> tuple[int, int]:
        """Return the value and the place of the last written digit."""
        if self.digit is None:
            return self.total + self.section, self.last
        # 七百一 is 710 and 一万二 is 12000; 七百零一 is 701 and 二十一 is 21.
        place = self.last // 10 if self.last >= 100 and not self.zero else 1
        return self.total + self.section + self.digit * place, place


def _positional(run: str) -> tuple[Decimal, Decimal] | None:
    """Read digits side by side: 二〇二六. Without a zero they are a list: 一二三."""
    if len(run) < 3 or not {"零", "〇"} & set(run) or any(c in PLACES for c in run):
        return None
    digits = "".join(str(DIGITS[c]) for c in run)
    return Decimal(int(digits)), Decimal(1)


def han_value(run: str) -> tuple[Decimal, Decimal] | None:
    """Read a run of Chinese numerals, with or without decimals behind 点.

    Args:
        run: Characters of `HAN` and at most one 点.

    Returns:
        The value and the place of the last written digit (七百一十六: 716 and 1; 两千: 2000 and
        1000; 七百: 700 and 1, for hundreds and tens are spoken of exactly), or nothing when
        the run is no number.
    """
    whole, point, decimals = run.partition("点")
    if len(run) > _LONGEST or not whole:
        return None
    if point:
        if not decimals or any(c not in DIGITS for c in decimals):
            return None
        part = Decimal("0." + "".join(str(DIGITS[c]) for c in decimals))
        read = han_value(whole)
        return None if read is None else (read[0] + part, Decimal(1).scaleb(-len(decimals)))
    if (positional := _positional(whole)) is not None:
        return positional
    reader = _Reader()
    for c in whole:
        if c in DIGITS:
            fits = reader.take_digit(DIGITS[c])
        elif c in _SMALL:
            fits = reader.take_small(_SMALL[c])
        else:
            fits = reader.take_large(_LARGE[c])
        if not fits:
            return None
    value, place = reader.finish()
    return Decimal(value), Decimal(place if place >= 1000 else 1)
