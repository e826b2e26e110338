"""Regular expressions of the server, as Python writes them.

The server uses RE2. Most text means the same to both; what differs is rewritten to a form that is
valid, and means the same, in both: flags in the middle, ASCII classes, named classes, ends of text.
"""

import re
from dataclasses import dataclass, field

from superbizagent.errors import UnsupportedQueryError

__all__ = ["compile_whole", "portable"]

_CLASSES = {
    "d": r"0-9",
    "s": r"\t\n\f\r ",
    "w": r"0-9A-Za-z_",
}
_NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "digit": "0-9",
    "lower": "a-z",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_REPEAT = re.compile(r"\*|\+|\?|\{\d+(?:,\d*)?\}")
_FLAGS = re.compile(r"\(\?([a-zA-Z-]+)([:)])")
_GROUP = re.compile(r"\(\?(?:P?<([A-Za-z_]\w*)>|:)")
_HEX = re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")


def compile_whole(pattern: str, *, dot_is_newline: bool = True) -> re.Pattern[str]:
    """Compile a pattern of the server; use it with ``fullmatch``.

    Raises:
        UnsupportedQueryError: when it has no equal here.
    """
    flags = re.DOTALL if dot_is_newline else 0
    return re.compile(portable(pattern), flags)


def portable(pattern: str) -> str:
    """Rewrite a pattern of the server so that Python reads it the same way.

    Raises:
        UnsupportedQueryError: when it has no equal here.
    """
    writer = _Writer(pattern)
    try:
        written = writer.write()
        re.compile(written)
    except (ValueError, OverflowError, re.error) as error:
        construct = f"the regular expression {pattern!r}"
        raise UnsupportedQueryError(
            f"{construct} cannot be evaluated offline: {error}; write it with plain groups,"
            " classes and repetitions",
            construct,
        ) from error
    return written


@dataclass(slots=True)
class _Writer:
    pattern: str
    place: int = 0
    out: list[str] = field(default_factory=list[str])
    open_flags: list[list[str]] = field(default_factory=lambda: [[]])
    """For each open group the flag groups inside it, which end with it or begin anew at ``|``."""
    multiline: list[bool] = field(default_factory=lambda: [False])
    endless: list[bool] = field(default_factory=lambda: [False])
    """Whether an open group holds a repetition without limit."""
    closed_endless: bool = False
    """Whether what was just written is a group that holds one."""

    def write(self) -> str:
        while self.place < len(self.pattern):
            self._next()
        self.out.append(")" * len(self.open_flags[0]))
        if len(self.open_flags) != 1:
            raise ValueError("a group is not closed")
        return "".join(self.out)

    def _next(self) -> None:
        character = self.pattern[self.place]
        if character not in "*+?{)":
            self.closed_endless = False
        match character:
            case "\\":
                self._emit(*self._escape(inside=False))
            case "[":
                self._class()
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                again = self.open_flags[-1]
                self._emit(")" * len(again) + "|" + "".join(again), 1)
            case "$":
                self._emit(self._end(self.place + 1), 1)
            case "*" | "+" | "?" | "{":
                self._repeat()
            case _:
                self._emit(character, 1)

    def _emit(self, text: str, length: int) -> None:
        self.out.append(text)
        self.place += length

    def _end(self, after: int) -> str:
        """Return an end of text; Python's ``$`` also stands before a last line break."""
        # Where nothing follows, `fullmatch` makes both the same, and RE2 knows no such escape;
        # before a letter both match nothing, and templates write their variables so.
        rest = self.pattern[after:].lstrip(")")
        same = not rest or rest[0].isalnum()
        return "$" if self.multiline[-1] or same else r"\Z"

    def _repeat(self) -> None:
        found = _REPEAT.match(self.pattern, self.place)
        if found is None:
            self._emit(r"\{", 1)
            return
        if found[0] in {"*", "+"} or found[0].endswith(",}"):
            if self.closed_endless:
                # RE2 takes time in proportion to the text; here it can double with each character.
                raise ValueError("a repetition of a group that holds one, both without limit")
            self.endless[-1] = True
        self._emit(found[0], len(found[0]))
        if self.pattern.startswith("?", self.place):
            self._emit("?", 1)
        if _REPEAT.match(self.pattern, self.place):
            raise ValueError("a repetition of a repetition")

    def _open(self) -> None:
        flags = _FLAGS.match(self.pattern, self.place)
        if flags is not None:
            if set(flags[1]) - set("ims-"):
                raise ValueError(f"the flags {flags[1]!r}")
            on, _, off = flags[1].partition("-")
            if flags[2] == ":":
                self._enter()
            else:
                self.open_flags[-1].append(f"(?{flags[1]}:")
            self.multiline[-1] = ("m" in on) or (self.multiline[-1] and "m" not in off)
            self._emit(f"(?{flags[1]}:", len(flags[0]))
            return
        group = _GROUP.match(self.pattern, self.place)
        if group is None and self.pattern.startswith("(?", self.place):
            raise ValueError("a kind of group that the server does not know")
        self._enter()
        if group is None:
            self._emit("(", 1)
        else:
            self._emit(f"(?P<{group[1]}>" if group[1] else "(?:", len(group[0]))

    def _enter(self) -> None:
        self.open_flags.append([])
        self.multiline.append(self.multiline[-1])
        self.endless.append(False)

    def _close(self) -> None:
        if len(self.open_flags) == 1:
            raise ValueError("a parenthesis too many")
        self._emit(")" * len(self.open_flags.pop()) + ")", 1)
        self.multiline.pop()
        self.closed_endless = self.endless.pop()
        self.endless[-1] |= self.closed_endless

    def _escape(self, *, inside: bool) -> tuple[str, int]:
        """Return what an escape says, and its length; ``inside`` a class it gives its content."""
        following = self.pattern[self.place + 1 : self.place + 2]
        number = _HEX.match(self.pattern, self.place)
        if number is not None:
            return re.escape(chr(int(number[1] or number[2], 16))), len(number[0])
        if following in _CLASSES:
            content = _CLASSES[following]
            return (content if inside else f"[{content}]"), 2
        if following and following in "afnrtv":
            return f"\\{following}", 2
        if following and not following.isalnum():
            return re.escape(following), 2
        if inside:
            raise ValueError(f"the escape \\{following} in a class")
        return self._escape_outside(following)

    def _escape_outside(self, following: str) -> tuple[str, int]:
        if following and following in "DSW":
            return f"[^{_CLASSES[following.lower()]}]", 2
        if following == "Q":
            end = self.pattern.find(r"\E", self.place)
            stop = len(self.pattern) if end < 0 else end
            after = stop if end < 0 else end + 2
            return re.escape(self.pattern[self.place + 2 : stop]), after - self.place
        if following == "z":
            return self._end(self.place + 2), 2
        if following in {"b", "B", "A"}:
            return f"\\{following}", 2
        raise ValueError(f"the escape \\{following}")

    def _class(self) -> None:
        self._emit("[", 1)
        if self.pattern.startswith("^", self.place):
            self._emit("^", 1)
        first = True
        while first or not self.pattern.startswith("]", self.place):
            if self.place >= len(self.pattern):
                raise ValueError("a class is not closed")
            self._member()
            first = False
        self._emit("]", 1)

    def _member(self) -> None:
        character = self.pattern[self.place]
        named = re.compile(r"\[:(\w+):\]").match(self.pattern, self.place)
        if named is not None and named[1] in _NAMED:
            self._emit(_NAMED[named[1]], len(named[0]))
        elif character == "\\":
            self._emit(*self._escape(inside=True))
        elif character == "-":
            self._emit("-", 1)
        else:
            # Python warns about characters that may one day mean set operations.
            self._emit(re.escape(character), 1)
