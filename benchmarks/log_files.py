"""Log files made for measuring: a clean service log, and lines of many forms with new numbers."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

__all__ = ["START", "read_samples", "redraw_numbers", "write_mixed", "write_service"]

START = datetime(2026, 3, 1, tzinfo=UTC)
_PART = 50_000
_SPAN = timedelta(hours=2)
_MESSAGES = (
    "order {a} created for user {b} in {c}ms",
    "payment accepted amount={b} pool_active={d}",
    "cache miss key=user:{a}",
    "GET /api/orders/{a} 200 in {c} ms",
    "stock of item {b} is {d}",
    "connection acquired after {c}ms",
    "reservation {a} released by scheduler",
    "session of user {b} renewed",
)
_LEVELS = ("INFO",) * 20 + ("WARN", "WARN", "ERROR", "DEBUG")
_NUMBER = re.compile(rb"(?<![A-Za-z0-9])(?:0x)?[0-9a-f]*[0-9][0-9a-f]*(?![A-Za-z0-9])")


def write_service(path: Path, lines: int) -> None:
    """Write a time-sorted log of one service, a trace id on every line, some 107 bytes a line."""
    random = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, lines, _PART):
            count = min(_PART, lines - first)
            numbers = random.integers(0, (10**6, 10**5, 500, 50), (count, 4)).tolist()
            traces = random.bytes(8 * count).hex()
            step = _SPAN.total_seconds() * 1000 / lines
            file.writelines(
                _service_line(first + k, step, numbers[k], traces[16 * k : 16 * k + 16])
                for k in range(count)
            )


def _service_line(number: int, step: float, values: list[int], trace: str) -> str:
    a, b, c, d = values
    seconds, ms = divmod(int(number * step), 1000)
    minutes, seconds = divmod(seconds, 60)
    text = _MESSAGES[number % len(_MESSAGES)].format(a=a, b=b, c=c, d=d)
    level = _LEVELS[number * 7 % len(_LEVELS)]
    clock = f"2026-03-01 {minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d},{ms:03d}"
    return f"{clock} {level} [exec-{number % 64}] shop.Orders - {text} trace_id={trace}\n"


def read_samples(folder: Path) -> list[bytes]:
    """Return the lines of all ``<System>/*.log`` below a folder, in turn."""
    logs = [p.read_bytes().splitlines() for p in sorted(folder.glob("*/*.log"))]
    return [logs[k % len(logs)][k // len(logs) % len(logs[k % len(logs)])] for k in range(32_000)]


def write_mixed(path: Path, samples: list[bytes], lines: int) -> None:
    """Write sample lines over and over, every number and hex word behind the first 30 bytes new."""
    random = np.random.default_rng(0)
    with path.open("wb") as file:
        done = 0
        while done < lines:
            part = samples[: lines - done]
            file.write(redraw_numbers(part, random, behind=30))
            done += len(part)


def redraw_numbers(lines: list[bytes], random: np.random.Generator, behind: int = 0) -> bytes:
    """Return lines with new numbers and hex words, those of the first bytes left as they are."""
    draws = iter(random.integers(0, 2**32, 40 * len(lines)).tolist())

    def redrawn(match: re.Match[bytes]) -> bytes:
        return _redrawn(match.group(), next(draws))

    return b"".join(
        line[:behind] + _NUMBER.sub(redrawn, line[behind:]) + b"\n" for line in lines
    )


def _redrawn(old: bytes, draw: int) -> bytes:
    """Return another number or hex word; two of five long numbers change in length."""
    if old.isdigit():
        size = len(old) + (len(old) > 3) * ((draw % 5 == 0) - (draw % 5 == 1))
        return str(10 ** (size - 1) + draw % (9 * 10 ** (size - 1))).encode()
    letters = f"{draw:08x}{draw * 7919:016x}" * 2
    prefix = b"0x" if old.startswith(b"0x") else b""
    return prefix + letters[: len(old) - len(prefix)].encode()
