"""``superbiz check`` and ``superbiz trace check``: marks, reasons, exit codes, hostile texts."""

import io
import json
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import variants
from commanding import Ended, Superbiz
from diagnosing import diagnose
from superbizagent.analysis.claims.compare.judgement import Mark
from superbizagent.analysis.claims.scan.sentences import LONGEST
from superbizagent.cli.render.checked import render_checked
from superbizagent.domain.incident import Language
from superbizagent.investigation.checked_text import (
    CheckedSentence,
    GivenClaim,
    read_claims,
    tally,
)
from superbizagent.investigation.wording.checking import words_for
from tests.cli.test_render import ANSI, SCREENS

TRUE = "Errors at order-service: 716 of 3690 requests failed."
FALSE = "Errors at order-service: 761 of 3690 requests failed."
NOBODY = "orders-service was hit first."
REMARK = "Thanks to everybody who helped."
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one session, ``pool``, of the example."""
    data = tmp_path_factory.mktemp("recorded") / "data"
    diagnose(variants.POOL, data, session_id="pool")
    return data


@pytest.fixture
def check(superbiz: Superbiz, recorded: Path, tmp_path: Path) -> Superbiz:
    """Check a text against the session; further words are flags."""
    shutil.copytree(recorded, tmp_path / "data")

    def call(text: object, *flags: object) -> Ended:
        file = tmp_path / "answer.md"
        file.write_bytes(text if isinstance(text, bytes) else str(text).encode())
        return superbiz("check", file, "--session", "pool", *flags)

    return call


def parsed(ended: Ended) -> dict[str, Any]:
    return json.loads(ended.out)


def marks(ended: Ended) -> list[str]:
    return [sentence["mark"] for sentence in parsed(ended)["sentences"]]


# -- the session's own report ----------------------------------------------------------------------


def test_a_wrapped_copy_of_its_own_report_stands(superbiz: Superbiz, tmp_path: Path) -> None:
    shown = superbiz("diagnose", variants.POOL, "--full", "--lang", "en").out
    assert "does not hold (7.95/s" in " ".join(shown.split())
    file = tmp_path / "report.txt"

    def saying(words: str, text: str) -> list[dict[str, Any]]:
        file.write_text(text, "utf-8")
        found = parsed(superbiz("check", file, "--session", "last", "--json"))["sentences"]
        return [s for s in found if words in s["text"]]

    ruled_out = saying("load rises", shown)
    assert ruled_out
    assert {(s["mark"], s["own"]) for s in ruled_out} == {("supported", True)}
    # With another number it is nobody's own.
    changed = saying("9.75", shown.replace("7.95/s", "9.75/s"))
    assert changed
    assert all(not s["own"] and s["mark"] != "supported" for s in changed)


# -- marks and exit codes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "mark", "code"),
    [
        (TRUE, "supported", 0),
        (FALSE, "contradicted", 4),
        (NOBODY, "unsupported", 4),
        (REMARK, "not_checkable", 0),
    ],
)
def test_each_mark_and_its_exit_code(check: Superbiz, text: str, mark: str, code: int) -> None:
    ended = check(text, "--json")
    assert (marks(ended), ended.code) == ([mark], code)


def test_a_hypothesis_is_no_failure_and_names_what_decides_it(check: Superbiz) -> None:
    ended = check("A full disk caused the errors of order-service.", "--lang", "en")
    assert ended.code == 0
    assert "~ hypothesis" in ended.out
    assert "the check that decides it: " in ended.out


def test_a_text_is_marked_sentence_by_sentence(check: Superbiz) -> None:
    text = f"# What happened\n\n{TRUE} {FALSE}\n\n- {NOBODY}\n- {REMARK}\n\n```\nkill -9 716\n```\n"
    ended = check(text, "--json")
    assert ended.code == 4
    found = parsed(ended)
    assert [(s["line"], s["mark"]) for s in found["sentences"]] == [
        (3, "supported"),
        (3, "contradicted"),
        (5, "unsupported"),
        (6, "not_checkable"),
    ]
    assert found["session_id"] == "pool"
    assert found["tally"]["sentences"] == 4
    assert found["tally"]["nothing_to_check_ratio"] == 0.25
    assert found["tally"]["marks"]["contradicted"] == 1


def test_parts_say_what_was_compared_and_why_it_fails(check: Superbiz) -> None:
    sentence = parsed(check(FALSE, "--json", "--lang", "en"))["sentences"][0]
    part = next(p for p in sentence["parts"] if p["outcome"] == "fails")
    assert part["kind"] == "number"
    assert "761" in part["text"]
    assert part["reason"].startswith("other_value:E")
    assert re.match(r"the evidence has .+ \[E[\d.]+\]$", part["words"])
    assert part["fact_ids"]
    assert part["words"] in sentence["words"]
    chinese = parsed(check(FALSE, "--json", "--lang", "zh"))["sentences"][0]
    assert "证据中是 " in chinese["words"]


def test_json_is_canonical(check: Superbiz) -> None:
    first, second = check(TRUE, "--json").out, check(TRUE, "--json").out
    assert first == second
    value = json.loads(first)
    again = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert again == first.rstrip("\n")


def test_marks_of_a_text_are_held_to_what_they_cite(check: Superbiz) -> None:
    cited = parsed(check(TRUE, "--json"))["sentences"][0]["found"][0]
    good = parsed(check(f"{TRUE[:-1]} [{cited}][E6].", "--json"))["sentences"][0]
    assert (good["mark"], good["citations"]) == ("supported", [cited, "E6"])
    assert marks(check(f"{TRUE[:-1]} [E99.1].", "--json")) == ["contradicted"]


def test_only_problems_are_shown_when_asked(check: Superbiz) -> None:
    text = f"{TRUE}\n\n{FALSE}\n\n{REMARK}\n"
    ended = check(text, "--json", "--only-problems")
    assert marks(ended) == ["contradicted"]
    assert parsed(ended)["tally"]["sentences"] == 3
    shown = check(text, "--only-problems", "--lang", "en").out
    assert "716 of 3690 requests" not in shown
    assert shown.rstrip().endswith(
        "3 sentences: 1 supported, 1 contradicted, 1 with nothing to check (33 %)"
    )
    assert check(TRUE, "--only-problems", "--lang", "en").out == "1 sentence: 1 supported\n"


def test_the_language_of_marks_follows_flag_then_text(check: Superbiz) -> None:
    assert "supported" in check(TRUE).out
    assert "有据" in check(TRUE, "--lang", "zh").out
    assert "句" in check(f"故障复盘。\n\n{TRUE}").out
    assert "sentences" in check(f"故障复盘。\n\n{TRUE}", "--lang", "en").out


def test_standard_input_is_read(
    superbiz: Superbiz, check: Superbiz, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = io.TextIOWrapper(io.BytesIO(FALSE.encode()))
    monkeypatch.setattr("sys.stdin", piped)
    ended = superbiz("check", "-", "--session", "last", "--json")
    assert (marks(ended), ended.code) == (["contradicted"], 4)


def test_a_bundle_is_diagnosed_and_stored_first(superbiz: Superbiz, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(TRUE, encoding="utf-8")
    ended = superbiz("check", "answer.md", "--bundle", variants.POOL, "--json")
    assert (marks(ended), ended.code) == (["supported"], 0)
    session = parsed(ended)["session_id"]
    assert f"against session {session}" in ended.err
    assert session in superbiz("trace", "list").out
    again = superbiz("check", "answer.md", "--session", session, "--json")
    assert again.out == ended.out


def test_an_exported_session_is_checked_against_too(
    superbiz: Superbiz, check: Superbiz, tmp_path: Path
) -> None:
    expected = check(TRUE, "--json").out
    assert superbiz("trace", "export", "pool", "--out", "pool.export").code == 0
    shutil.rmtree(tmp_path / "data")
    ended = superbiz("check", "answer.md", "--session", "pool.export", "--json")
    assert ended.out == expected


# -- reports -------------------------------------------------------------------------------------


@pytest.fixture
def report(superbiz: Superbiz, check: Superbiz, tmp_path: Path) -> dict[str, Any]:
    """The session's own report, as `diagnose --json` prints it."""
    check(REMARK)
    return json.loads(superbiz("diagnose", "--session", "pool", "--json", "-q").out)


def trace_check(superbiz: Superbiz, value: object, tmp_path: Path, *flags: str) -> Ended:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    return superbiz("trace", "check", "pool", "--report", file, *flags)


def test_its_own_report_stands_whole(
    superbiz: Superbiz, report: dict[str, Any], tmp_path: Path
) -> None:
    for value in (report, report["report"]):
        ended = trace_check(superbiz, value, tmp_path, "--json")
        assert ended.code == 0
        found = parsed(ended)
        assert found["tally"]["marks"]["supported"] == len(report["report"]["claims"])
        assert all(sentence["own"] for sentence in found["sentences"])


@pytest.mark.parametrize(("old", "new"), [("716 of", "761 of"), ("2.64 s mean", "26.4 s mean")])
def test_a_changed_statement_is_read_and_marked(
    superbiz: Superbiz, report: dict[str, Any], tmp_path: Path, old: str, new: str
) -> None:
    claim = next(c for c in report["report"]["claims"] if old in c["text"])
    claim["text"] = claim["text"].replace(old, new)
    ended = trace_check(superbiz, report, tmp_path, "--json", "--only-problems")
    assert ended.code == 4
    assert [s["claim"] for s in parsed(ended)["sentences"]] == [claim["id"]]


def test_moved_citations_and_entities_are_marked(
    superbiz: Superbiz, report: dict[str, Any], tmp_path: Path
) -> None:
    claims = report["report"]["claims"]
    claim = next(c for c in claims if "716 of" in c["text"])
    moved = [
        claim | {"id": "X1", "entity": "//database/mysql", "text": "716 of 3690 requests failed."},
        claim | {"id": "X2", "fact_ids": ["E5.1"], "text": "716 of 3690 requests failed."},
    ]
    ended = trace_check(superbiz, {"claims": moved}, tmp_path, "--json", "--only-problems")
    assert [s["claim"] for s in parsed(ended)["sentences"]] == ["X1", "X2"]


def test_a_foreign_report_is_read_claim_by_claim(
    superbiz: Superbiz, check: Superbiz, tmp_path: Path
) -> None:
    check(REMARK)
    claims = [{"text": TRUE}, {"text": FALSE, "model": "x"}, {"text": "x" * (LONGEST + 1)}]
    ended = trace_check(superbiz, {"claims": claims, "confidence": 0.99}, tmp_path, "--json")
    assert marks(ended) == ["supported", "contradicted", "not_checkable"]
    assert [s["line"] for s in parsed(ended)["sentences"]] == [1, 2, 3]
    assert parsed(ended)["sentences"][2]["words"].startswith("longer than")


def test_markdown_with_marks_is_read_by_sentence(
    superbiz: Superbiz, check: Superbiz, tmp_path: Path
) -> None:
    check(REMARK)
    page = tmp_path / "report.md"
    page.write_text(f"# Report\n\n- {TRUE} [E6]\n- {FALSE} [E6]\n", encoding="utf-8")
    ended = superbiz("trace", "check", "pool", "--report", page, "--lang", "en")
    assert ended.code == 4
    assert ended.out.rstrip().endswith("2 sentences: 1 supported, 1 contradicted")


@pytest.mark.parametrize("text", ["{", "{}", '{"claims": []}', '{"report": 3}', "[1]", '{"a": '])
def test_json_that_is_no_report_is_text(text: str) -> None:
    assert read_claims(text) is None
    assert read_claims('{"claims": [{"text": "a"}]}') == (GivenClaim(text="a"),)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is no text in UTF-8"),
        ("故障".encode("gb18030"), "iconv -f gb18030"),
        (b"abc\x00def", "is no text in UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(check: Superbiz, data: bytes, says: str) -> None:
    ended = check(data)
    assert (ended.code, says in ended.error) == (2, True), ended.err
    assert ended.out == ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(check: Superbiz, encoding: str) -> None:
    assert marks(check(TRUE.encode(encoding), "--json")) == ["supported"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("check", "no-such-file", "--session", "pool"), "cannot be read"),
        (("check", ".", "--session", "pool"), "cannot be read"),
        (("check", "answer.md", "--session", "nope"), "there is no session 'nope'"),
        (("check", "answer.md"), "say what to check against"),
        (("check", "answer.md", "--session", "pool", "--bundle", "x"), "say what to check against"),
        (("trace", "check", "nope", "--report", "answer.md"), "there is no session 'nope'"),
        (("trace", "check", "pool", "--report", "no-such-file"), "cannot be read"),
    ],
)
def test_what_cannot_be_checked_is_one_line_that_says_what_to_do(
    superbiz: Superbiz, check: Superbiz, args: Sequence[str], says: str
) -> None:
    check(TRUE)
    ended = superbiz(*args)
    assert (ended.code, says in ended.error) == (2, True), ended.err
    assert ended.out == ""


def test_a_session_without_evidence_has_nothing_to_check_against(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    (tmp_path / "answer.md").write_text(TRUE, encoding="utf-8")
    assert superbiz("diagnose", "gone", "--session", "dead", "-q").code == 3
    for args in (("check", "answer.md", "--session", "dead"), ("why", "dead", "x")):
        ended = superbiz(*args)
        assert (ended.code, "has no evidence; diagnose again" in ended.error) == (2, True)


def test_a_bundle_that_cannot_be_read_ends_as_diagnose_does(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    (tmp_path / "answer.md").write_text(TRUE, encoding="utf-8")
    assert superbiz("check", "answer.md", "--bundle", "gone").code == 3


# -- hostile texts -------------------------------------------------------------------------------


def test_control_characters_never_reach_the_terminal(check: Superbiz) -> None:
    hostile = (
        f"\x1b]0;owned\x07\x1b[2J{FALSE}\u202e\n\n`\x1b[31morders\u200b-service\x1b[0m` failed.\x9b"
        f"\n\n“\u2066log \x08line\u2069” was seen.\u2028{TRUE}\x7f"
    )
    ended = check(hostile)
    assert ended.code == 4
    assert not CONTROL.findall(ended.out + ended.err)
    for text in (check(hostile, "--json").out, check(hostile, "--only-problems").out):
        assert not CONTROL.findall(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 3000,
        "(" * 3000 + "1" + ")" * 3000,
        '"' * 3001,
        "`" * 3001,
        "> " * 2000 + FALSE,
        "| a " * 1500 + "|\n" + "|---" * 1500 + "|\n",
        "1" * 3000,
        "1e" * 1500 + "9",
        "E" + "9" * 3000,
        "[E" + "9" * 3000 + ".1]",
        "# " * 1500,
        "𝟕𝟏𝟔 of 𝟑𝟔𝟗𝟎 requests failed.",
        "\ufffd" * 100,
        "一" * 3000,
        "not " * 1000,
    ],
    ids=lambda t: repr(str(t)[:12]),
)
def test_odd_texts_are_checked_without_a_crash(check: Superbiz, text: str) -> None:
    ended = check(text, "--json")
    assert ended.code in {0, 4}
    assert parsed(ended)["tally"]["sentences"] >= 0


@pytest.mark.slow
def test_time_grows_with_the_length_of_the_text(check: Superbiz) -> None:
    """Twice the text, about twice the time; a square would be four times."""

    def seconds(times: int) -> float:
        began = time.process_time()
        assert check(f"{TRUE} {FALSE} {REMARK}\n\n" * times, "--json").code == 4
        return time.process_time() - began

    seconds(10)
    small, large = seconds(100), seconds(400)
    assert large < 8 * small


# -- the screen ----------------------------------------------------------------------------------


def sentence(line: int, mark: Mark, text: str, **more: Any) -> CheckedSentence:
    given: dict[str, Any] = {
        "place": "prose",
        "citations": (),
        "reason": "",
        "words": "",
        "fact_ids": (),
        "found": (),
        "parts": (),
        **more,
    }
    return CheckedSentence(line=line, mark=mark, text=text, **given)


SHOWN = (
    sentence(3, Mark.SUPPORTED, TRUE, found=("E4.169", "E4.171")),
    sentence(3, Mark.CONTRADICTED, FALSE, words="761: 716 [E4.169]", citations=("E4.169",)),
    sentence(12, Mark.UNSUPPORTED, "很长的一句话，" * 20, words="orders-service: ?"),
    sentence(40, Mark.HYPOTHESIS, "It was the deploy.", words="deploy: ?"),
    sentence(112, Mark.NOT_CHECKABLE, REMARK),
)


@pytest.mark.parametrize("language", list(Language))
def test_the_screen_is_as_drawn(language: Language) -> None:
    text = render_checked(SHOWN, tally(SHOWN), words_for(language))
    assert text == (SCREENS / f"check.{language.value}.txt").read_text(encoding="utf-8")
    assert max(cell_len(line) for line in text.splitlines()) <= 100


def test_colours_change_nothing_else() -> None:
    words = words_for(Language.EN)
    plain = render_checked(SHOWN, tally(SHOWN), words)
    colored = render_checked(SHOWN, tally(SHOWN), words, color=True)
    assert ANSI.search(colored)
    assert [line.rstrip() for line in ANSI.sub("", colored).splitlines()] == plain.splitlines()


def test_a_text_without_sentences_says_so(check: Superbiz) -> None:
    ended = check("# A heading\n\n```\ncode\n```\n", "--lang", "en")
    assert (ended.out, ended.code) == ("no sentence\n", 0)
