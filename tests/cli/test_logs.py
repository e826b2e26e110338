"""`superbiz logs`: what is new, gone or bursting, with counts and places as the file has them."""

import gzip
import io
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commanding import Superbiz

START = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
MESSAGES = (
    "INFO order {} placed in 12ms",
    "INFO cache refreshed for user {}",
    "WARN retry {} of 5",
)


def lines_of(count: int, start: datetime = START, *, stamped: bool = True) -> list[str]:
    """One record a second of the usual messages, in a fixed random order."""
    draw = random.Random(7)  # noqa: S311 - no secret, a fixed choice
    made: list[str] = []
    for k in range(count):
        text = draw.choice(MESSAGES).format(draw.randrange(10_000))
        stamp = f"{start + timedelta(seconds=k):%Y-%m-%dT%H:%M:%SZ} " if stamped else ""
        made.append(f"{stamp}{text}")
    return made


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def found(superbiz: Superbiz, *args: object) -> dict[str, Any]:
    ended = superbiz("logs", *args, "--json", "-q")
    assert ended.code == 0, ended.err
    value: dict[str, Any] = json.loads(ended.out)
    return value


def turned(value: dict[str, Any], turn: str) -> list[dict[str, Any]]:
    return [t for t in value["comparison"]["templates"] if t["turn"] == turn]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """20 minutes; a new error in the last two, one kind stops, one bursts."""
    lines = lines_of(1200)
    for k in range(1090, 1200, 10):
        lines[k] = lines[k][:21] + f"ERROR payment {k} refused: card expired"
    for k in range(5, 900, 30):
        lines[k] = lines[k][:21] + "INFO nightly report page {k} written"
    for k in (100, 400, *range(1101, 1200, 2)):
        lines[k] = lines[k][:21] + f"WARN slow answer from peer after {k}ms"
    return write(tmp_path / "orders.log", lines)


def test_new_bursting_and_vanished_are_told_apart(superbiz: Superbiz, log: Path) -> None:
    value = found(superbiz, log)
    (new,), (burst,), (gone,) = (turned(value, t) for t in ("new", "bursting", "vanished"))
    assert new["text"].startswith("payment <*> refused: card expired")
    assert (new["before"], new["now"], new["severity"]) == (0, 11, "error")
    assert burst["text"].startswith("slow answer from peer")
    assert (burst["before"], burst["now"]) == (2, 50)
    assert gone["text"].startswith("nightly report page")
    assert (gone["before"], gone["now"]) == (30, 0)
    comparison = value["comparison"]
    total = comparison["records_before"] + comparison["records_now"]
    assert total == sum(t["before"] + t["now"] for t in comparison["templates"]) == 1200
    assert burst["now_ratio"] == pytest.approx(50 / comparison["records_now"], rel=1e-5)


def test_places_are_line_numbers_of_the_file(superbiz: Superbiz, log: Path) -> None:
    lines = log.read_text(encoding="utf-8").splitlines()
    for template in found(superbiz, log)["comparison"]["templates"]:
        for seen in (template["first"], template["last"]):
            assert seen["file"] == "orders.log"
            assert lines[seen["line"] - 1] == seen["text"]
            assert lines[seen["line"] - 1][:20] == seen["at"]


def test_the_split_is_said(superbiz: Superbiz, log: Path) -> None:
    text = superbiz("logs", log, "--timezone", "UTC", "--lang", "en").out
    assert "last quarter, 2026-03-04 10:14:59" in " ".join(text.split())
    assert "orders.log:1091 to orders.log:1191" in text
    told = superbiz("logs", log, "--since", "2m", "--until", "10:19:00", "--timezone", "UTC").out
    assert "Compared 2026-03-04 10:17:59 +00:00 to 2026-03-04 10:19:00 +00:00" in told
    assert "最后四分之一" in superbiz("logs", log, "--lang", "zh").out


def test_a_gzipped_file_json_lines_and_logfmt_read_the_same(
    superbiz: Superbiz, log: Path, tmp_path: Path
) -> None:
    plain = found(superbiz, log)
    packed = tmp_path / "packed" / "orders.log.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(log.read_bytes()))
    structured = tmp_path / "json" / "orders.jsonl"
    structured.parent.mkdir()
    logfmt = tmp_path / "logfmt" / "orders.log"
    logfmt.parent.mkdir()
    rows = [line.split(" ", 2) for line in log.read_text(encoding="utf-8").splitlines()]
    write(structured, [json.dumps({"time": t, "level": v, "msg": m}) for t, v, m in rows])
    write(logfmt, [f'time={t} level={v.lower()} msg="{m}"' for t, v, m in rows])
    for path in (packed, structured, logfmt):
        value = found(superbiz, path)
        for turn in ("new", "bursting", "vanished"):
            known = [(t["text"], t["before"], t["now"]) for t in turned(plain, turn)]
            assert [(t["text"], t["before"], t["now"]) for t in turned(value, turn)] == known
        new = turned(value, "new")[0]
        assert new["first"]["line"] == 1091


def test_against_another_file_of_any_time_and_name(
    superbiz: Superbiz, log: Path, tmp_path: Path
) -> None:
    old = write(tmp_path / "monday.log", lines_of(600, START - timedelta(days=2)))
    value = found(superbiz, log, "--against", old)
    assert {t["text"].split()[0] for t in turned(value, "new")} == {"payment", "nightly", "slow"}
    assert not turned(value, "vanished")
    back = found(superbiz, old, "--against", log)
    assert not turned(back, "new")
    gone: list[dict[str, Any]] = turned(back, "vanished")
    assert {t["first"]["file"] for t in gone} == {"orders.log"}
    lines = log.read_text(encoding="utf-8").splitlines()
    for template in gone:
        assert lines[template["first"]["line"] - 1] == template["first"]["text"]


def test_files_of_one_name_are_not_mixed_up(superbiz: Superbiz, log: Path, tmp_path: Path) -> None:
    old = tmp_path / "old" / "orders.log"
    old.parent.mkdir()
    write(old, [*lines_of(300), "2026-03-04T10:05:01Z INFO legacy job ran"] * 4)
    value = found(superbiz, log, "--against", old)
    lines = old.read_text(encoding="utf-8").splitlines()
    (gone,) = turned(value, "vanished")
    assert lines[gone["first"]["line"] - 1] == gone["first"]["text"]


def test_without_times_another_file_is_needed(superbiz: Superbiz, tmp_path: Path) -> None:
    bare = write(tmp_path / "bare.log", [*lines_of(200, stamped=False), "ERROR disk gone"])
    ended = superbiz("logs", bare)
    assert ended.code == 2
    assert "no times were found" in ended.error
    assert "--against OLD" in ended.error
    old = write(tmp_path / "old.log", lines_of(200, stamped=False))
    (new,) = turned(found(superbiz, bare, "--against", old), "new")
    assert (new["now"], new["first"]["line"], new["first"]["at"]) == (1, 201, None)
    assert "bare.log:201" in superbiz("logs", bare, "--against", old).out


def test_standard_input_and_several_files(
    superbiz: Superbiz, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(log.read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    (new,) = turned(found(superbiz, "-"), "new")
    assert (new["service"], new["first"]["line"]) == ("stdin", 1091)
    other = write(tmp_path / "web.log", lines_of(1200))
    value = found(superbiz, log, other)
    assert {t["service"] for t in value["comparison"]["templates"]} == {"orders", "web"}
    assert len(turned(value, "new")) == 1


def test_what_cannot_be_read_is_said_in_one_line(superbiz: Superbiz, tmp_path: Path) -> None:
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "binary.log").write_bytes(bytes(range(256)) * 40)
    empty = superbiz("logs", "empty.log")
    assert empty.code == 3
    assert "the file is empty" in empty.error
    binary = superbiz("logs", "binary.log")
    assert binary.code == 3
    assert "binary file: not read" in binary.error
    absent = superbiz("logs", "absent.log")
    assert absent.code == 2
    assert "matches no file" in absent.error
    assert superbiz("logs").code == 2


def test_a_bad_file_beside_a_good_one_is_a_note(
    superbiz: Superbiz, log: Path, tmp_path: Path
) -> None:
    (tmp_path / "binary.log").write_bytes(bytes(range(256)) * 40)
    ended = superbiz("logs", log, "binary.log")
    assert ended.code == 0
    assert "! binary.log: binary file: not read" in ended.out
    assert "New: 1" in ended.out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--since", "10h"), "is not after the first record"),
        (("--since", "5m", "--until", "8m"), "choose another --since or --until"),
        (("--since", "soon"), "is no time"),
    ],
)
def test_a_split_that_leaves_nothing_is_refused(
    superbiz: Superbiz, log: Path, flags: tuple[str, ...], words: str
) -> None:
    ended = superbiz("logs", log, *flags)
    assert ended.code == 2
    assert words in ended.error


def test_secrets_and_control_characters_do_not_reach_the_screen(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    lines = lines_of(400)
    lines[390] = lines[390][:21] + "ERROR login failed password=hunter2hunter2 \x1b]0;owned\x07 x"
    text = superbiz("logs", write(tmp_path / "app.log", lines)).out
    assert "login failed" in text
    assert "hunter2hunter2" not in text
    assert "\x1b" not in text


def test_a_quiet_log_says_that_nothing_changed(superbiz: Superbiz, tmp_path: Path) -> None:
    path = write(tmp_path / "app.log", lines_of(1000))
    assert "Nothing new, nothing bursting, nothing vanished." in superbiz("logs", path).out
