"""Sentences of Chinese, English, plain and Markdown text, and the citations they carry."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.mentions import Place, Sentence
from superbizagent.analysis.claims.scan.sentences import LONGEST, normalise, split_text


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_text(text)]


def only(text: str) -> Sentence:
    (sentence,) = split_text(text)
    return sentence


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("７１６ 个请求", "716 个请求"),
        ("  two   blanks\tand\na break ", "two blanks and a break"),
        ("7\u200b16\u00ad requests\ufeff", "716 requests"),
        ("\u202e716\u202c requests", "716 requests"),
        ("orders\u2011service", "orders-service"),
        ("\u22125 \u00b0C", "-5 \u00b0C"),
        ("12:41，716 个", "12:41, 716 个"),
        ("31，716", "31, 716"),
        ("３，６９０ 次", "3,690 次"),
        ("12：41", "12:41"),
        ("原因：锁", "原因: 锁"),
        ("½ of them, 3½ s", "1/2 of them, 3.5 s"),
        ("10⁻³ s", "10^-3 s"),
        ("19.4％", "19.4%"),
        ("it wasn\u2019t", "it wasn't"),
        ("20\u202fms", "20 ms"),
        ("5 µs", "5 \u03bcs"),
        ("a\x00b\x1b[0m", "ab[0m"),
        ("plain", "plain"),
    ],
)
def test_one_spelling(written: str, read: str) -> None:
    assert normalise(written) == read


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rose. Then it fell.", ["It rose.", "Then it fell."]),
        ("It rose to 2.6 s. Done.", ["It rose to 2.6 s.", "Done."]),
        ("MySQL 8.0.36 ran. v1.2.3 came.", ["MySQL 8.0.36 ran.", "v1.2.3 came."]),
        ("See db.example.com for it.", ["See db.example.com for it."]),
        ("Open main.py. Then run it.", ["Open main.py.", "Then run it."]),
        ("Some fail, e.g. the pool.", ["Some fail, e.g. the pool."]),
        ("31 ms vs. 2.6 s before.", ["31 ms vs. 2.6 s before."]),
        ("See no. 5 of them.", ["See no. 5 of them."]),
        ("Was it slow? No. It was fine.", ["Was it slow?", "No.", "It was fine."]),
        ("It took 20 sec. The pool was full.", ["It took 20 sec.", "The pool was full."]),
        ("It took 20 min. in all.", ["It took 20 min. in all."]),
        ("It failed; it came back.", ["It failed;", "it came back."]),
        ("It waited... and failed.", ["It waited... and failed."]),
        ("It waited... Then it failed.", ["It waited...", "Then it failed."]),
        ("Really?! Yes!", ["Really?!", "Yes!"]),
        ("GET /x?y=1 failed.", ["GET /x?y=1 failed."]),
        ('It said "failed; retry. Again" twice.', ['It said "failed; retry. Again" twice.']),
        ('It said "it failed." Then it ended.', ['It said "it failed."', "Then it ended."]),
        ("Up (31 ms before; 2.6 s now) again.", ["Up (31 ms before; 2.6 s now) again."]),
        ("延迟上升。随后恢复。", ["延迟上升。", "随后恢复。"]),
        ("延迟上升；随后恢复！真的？是", ["延迟上升;", "随后恢复!", "真的?", "是"]),
        ("报错“连接失败。重试中”两次。", ["报错“连接失败。重试中”两次。"]),
        ("延迟为 2.6 秒。It rose.", ["延迟为 2.6 秒。", "It rose."]),
        ("First line\nof a paragraph that goes on.", ["First line of a paragraph that goes on."]),
        ("连接池已满，后续的请求排队等待，直到超时为止，总共超过了七百\n个请求。",
         ["连接池已满, 后续的请求排队等待, 直到超时为止, 总共超过了七百个请求。"]),
        ("Cause: MySQL\nImpact: 716 requests", ["Cause: MySQL", "Impact: 716 requests"]),
        ("One  \nTwo", ["One", "Two"]),
        ("...", []),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_at_their_stops(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


@pytest.mark.parametrize(
    ("text", "marks", "left"),
    [
        ("It rose [E3.2].", ("E3.2",), "It rose."),
        ("It rose.[E3.2][E4]", ("E3.2", "E4"), "It rose."),
        ("It rose. [E3.2, E4.1]", ("E3.2", "E4.1"), "It rose."),
        ("It rose [E3.2] [E3.2].", ("E3.2",), "It rose."),
        ("[E3.2] It rose.", ("E3.2",), "It rose."),
        ("It rose (see [E3.2]).", ("E3.2",), "It rose (see)."),
        ("It rose ([E3.2]).", ("E3.2",), "It rose."),
        ("It rose `[E3.2]`.", ("E3.2",), "It rose."),
        ("It rose【E3.2】。", ("E3.2",), "It rose。"),
        ("延迟上升到[E1.2]2.6 秒", ("E1.2",), "延迟上升到 2.6 秒"),
        ("It rose.[E1.1][E1.2]…[E9.4]", ("E1.1", "E1.2", "E9.4"), "It rose."),
        ("It rose [E3.2–E3.4].", ("E3.2", "E3.4"), "It rose."),
        ("It rose [3].", (), "It rose [3]."),
    ],
)
def test_marks_are_taken_out(text: str, marks: tuple[str, ...], left: str) -> None:
    sentence = only(text)

    assert (sentence.marks, sentence.text) == (marks, left)


def test_marks_behind_a_stop_belong_to_the_sentence_before() -> None:
    first, second, third = split_text("A rose.[E1.1] B fell. [E2.1]\nC[E3.1] stayed. \n")

    assert (first.text, first.marks) == ("A rose.", ("E1.1",))
    assert (second.text, second.marks) == ("B fell.", ("E2.1",))
    assert (third.text, third.marks) == ("C stayed.", ("E3.1",))


@pytest.mark.parametrize(
    "mark", ["- ", "* ", "+ ", "1. ", "12) ", "(a) ", "a) ", "• ", "① ", "①", "1、", "（二）",
             "二、", "- [ ] ", "- [x] ", "  - ", "\t1. "],
)  # fmt: skip
def test_list_marks_are_taken_off(mark: str) -> None:
    sentence = only(f"{mark}orders-db failed 3 times")

    assert (sentence.text, sentence.place) == ("orders-db failed 3 times", Place.ITEM)


@pytest.mark.parametrize("text", ["3.5 GB were used", "716 failed", "-5 is low", "1.2.3 ran"])
def test_numbers_are_no_list_marks(text: str) -> None:
    assert only(text) == Sentence(text, 1)


def test_headings_stand_over_what_follows() -> None:
    found = split_text("# One\nfirst\n\n**Two**\n\nsecond\n\nThree\n---\nthird\n")

    assert [(s.text, s.place, s.heading) for s in found] == [
        ("One", Place.HEADING, ""),
        ("first", Place.PROSE, "One"),
        ("Two", Place.HEADING, "One"),
        ("second", Place.PROSE, "Two"),
        ("Three", Place.HEADING, "Two"),
        ("third", Place.PROSE, "Three"),
    ]


def test_a_bold_line_that_states_something_is_no_heading() -> None:
    assert only("**orders-db crashed at 12:41**").place is Place.PROSE


def test_rows_of_a_table_are_cells_and_its_header_states_nothing() -> None:
    found = split_text(
        "| name | now |\n|---|---:|\n| `orders-db` | 2.6 s [E1.2] |\n| a \\| b | 1 |\n\nEnd."
    )

    assert [(s.text, s.place, s.marks, s.line) for s in found] == [
        ("name | now", Place.CODE, (), 1),
        ("`orders-db` | 2.6 s", Place.CELL, ("E1.2",), 3),
        ("a \u2223 b | 1", Place.CELL, (), 4),
        ("End.", Place.PROSE, (), 6),
    ]


def test_code_blocks_are_code_line_by_line() -> None:
    found = split_text("It ran\n\n```sh\nkubectl get pods\n\n# 716 failed. Twice.\n```\nDone.")

    assert [(s.text, s.place, s.line) for s in found] == [
        ("It ran", Place.PROSE, 1),
        ("kubectl get pods", Place.CODE, 4),
        ("# 716 failed. Twice.", Place.CODE, 6),
        ("Done.", Place.PROSE, 8),
    ]


def test_an_answer_that_is_wrapped_in_a_fence_is_read() -> None:
    assert [s.place for s in split_text("```markdown\n716 failed.\n```")] == [Place.PROSE]


def test_indentation_hides_no_statement() -> None:
    assert only("    orders-db crashed.").place is Place.PROSE


def test_a_quoted_block_is_prose() -> None:
    assert texts("> > It rose.\n> It fell.") == ["It rose.", "It fell."]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("**orders-db** *failed* __again__ _now_.", "orders-db failed again now."),
        ("~~It rose.~~", "It rose."),
        ("See [the page](https://x.example/a_b) now.", "See the page now."),
        ("It <b>rose</b><br>again<!-- not seen -->.", "It rose again."),
        ("`a_b` and http_requests_total and 2*3*4", "`a_b` and http_requests_total and 2*3*4"),
        ("`**kept**` \\*here\\*", "`**kept**` *here*"),
        ("a &lt; b &amp; c", "a < b & c"),
        ("It rose.[^1]", "It rose."),
    ],
)
def test_only_what_a_reader_sees_is_left(text: str, seen: str) -> None:
    assert texts(text) == [seen]


def test_lines_are_counted_within_a_paragraph() -> None:
    found = split_text(
        "\n\nThe first sentence of it is here. And the second\ngoes on. A third one\n"
    )

    assert [s.line for s in found] == [3, 3, 4]


def test_a_sentence_that_is_too_long_is_cut_and_flagged() -> None:
    sentence = only("word " * 1000)

    assert len(sentence.text) == LONGEST
    assert sentence.too_long
    assert not only("word " * 100).too_long


_HOSTILE = st.text(alphabet="aE1.2 。;[](){}<>\"'`|*_-#>\n\t\\!?“”「」\u202e\u200b\u0300，：½①")


@given(st.one_of(st.text(), _HOSTILE))
def test_any_text_gives_normalised_sentences_with_lines_that_exist(text: str) -> None:
    lines = len(text.splitlines())
    last = 0
    for sentence in split_text(text):
        assert sentence.text == sentence.text.strip() != ""
        assert "  " not in sentence.text
        assert sentence.text.isprintable() or not sentence.text.isascii()
        assert last <= sentence.line <= lines
        last = sentence.line


@given(st.one_of(st.text(), _HOSTILE))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)

    assert normalise(once) == once


@given(st.lists(st.sampled_from(["It rose", "延迟上升", "716 failed at 12:41", "a.b is v1.2"])))
def test_joined_sentences_come_apart_again(parts: list[str]) -> None:
    assert texts(" ".join(f"{part}." for part in parts)) == [f"{part}." for part in parts]


MEGABYTES = 5_000_000
HUGE = {
    "one line": "a" * MEGABYTES,
    "sentences": "It rose again. " * (MEGABYTES // 15),
    "quotes": '"' * MEGABYTES,
    "nested quotes": "“「" * (MEGABYTES // 2),
    "brackets": "[(" * (MEGABYTES // 2),
    "marks": "[E1, " * (MEGABYTES // 5),
    "links": "[a](" * (MEGABYTES // 4),
    "tags": "<br " * (MEGABYTES // 4),
    "comments": "<!--" * (MEGABYTES // 4),
    "stars": "*a _b " * (MEGABYTES // 6),
    "bars": "|" * (MEGABYTES // 2),
    "back-ticks": "a`" * (MEGABYTES // 2),
    "right to left": "\u202e716" * (MEGABYTES // 6),
    "combining": "a" + "\u0300\u0327" * (MEGABYTES // 4),
    "list": "- item of a long list\n" * 100_000,
    "cited list": "1. `orders-db` rose to **31 ms** [E3.2].\n" * 50_000,
}


@pytest.mark.parametrize("kind", HUGE)
def test_huge_text_takes_time_in_proportion(kind: str) -> None:
    began = time.process_time()
    split_text(HUGE[kind])

    # About 1 s at most on one core of 2024; quadratic work on this would take hours.
    assert time.process_time() - began < 4
