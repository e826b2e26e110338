"""Regular expressions of the server mean the same here."""

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.errors import UnsupportedQueryError
from superbizagent.promql._regex import compile_whole, portable


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("a|b", ["a", "b"], ["ab", ""]),
        ("(?i)api|web", ["API", "Web"], ["apiweb"]),
        ("a(?i)b|c", ["ab", "aB", "C", "c"], ["Ab", "aC"]),
        ("(a(?i)b)c", ["abc", "aBc"], ["abC", "Abc"]),
        ("(?i:a)b", ["Ab"], ["aB"]),
        ("(?i)a(?-i)b", ["Ab"], ["AB"]),
        ("(?s).+", ["a\nb"], [""]),
        (".+", ["a\nb"], [""]),
        ("(?-s).+", ["ab"], ["a\nb"]),
        (r"\d+", ["12"], ["٣", "a"]),
        (r"\w+", ["a_1"], ["é", "-"]),
        (r"\W", ["é", "-"], ["a"]),
        (r"[\d.]+", ["1.2"], ["a"]),
        (r"[^\s]+", ["ab"], ["a b"]),
        ("[[:alpha:]_]+", ["a_B"], ["1"]),
        ("[]a]+", ["]a"], ["b"]),
        ("[a&&b~|[]+", ["a&b~|["], ["c"]),
        ("[^]]", ["a"], ["]"]),
        ("[a-c]x{2}", ["bxx"], ["bx"]),
        ("x{,2}", ["x{,2}"], ["xx"]),
        ("x{2,}?y", ["xxxy"], ["xy"]),
        ("{a", ["{a"], ["a"]),
        (r"a\.b\-c\/d", ["a.b-c/d"], ["axb-c/d"]),
        (r"\Qa.b\E+", ["a.b", "a.bb"], ["axb"]),
        (r"a\z", ["a"], ["a\n"]),
        ("a$", ["a"], ["a\n"]),
        ("^a$", ["a"], ["a\n", "ba"]),
        (r"(a$|b)\n", ["b\n"], ["a\n", "a\n\n"]),
        (r"(a\z|b)\n", ["b\n"], ["a\n"]),
        (r"(?m)a\z", ["a"], ["a\n"]),
        (r"(?m)a$\nb", ["a\nb"], ["ab"]),
        (r"\x41\x{1F600}", ["A\U0001f600"], ["a"]),
        (r"(?P<n>a)(?:b)(?<m>c)", ["abc"], ["ab"]),
        (r"\bfoo\b", ["foo"], ["food"]),
        (r"a\tb", ["a\tb"], ["atb"]),
        ("", [""], ["a"]),
        ("(a+)?b", ["aab", "b"], ["a"]),
        ("(a+){2}", ["aa"], ["a"]),
        ("(a+)b*(c)+", ["abcc"], ["ab"]),
        ("(ab?)+", ["aba"], ["b"]),
        ("(a|)(b|)", ["", "a", "b", "ab"], ["ba"]),
    ],
)
def test_a_pattern_matches_the_same_texts(pattern: str, yes: list[str], no: list[str]) -> None:
    compiled = compile_whole(pattern)
    assert [text for text in yes if compiled.fullmatch(text) is None] == []
    assert [text for text in no if compiled.fullmatch(text) is not None] == []


@pytest.mark.parametrize(
    "pattern",
    ["a**", "a*+", "a{2}{3}", r"\pL", r"\1", r"(?=a)", "(?U)a*", "(a", "a)", "[a", r"\C",
     r"[\D]", "(a+)+b", "((a*)b?)*", "(a{2,})*", "(x|y+)+", "((a+))?*",
     "(?>a)", "a" + chr(92), "[b-a]", r"\x{FFFFFFFF}", "*a"],
)  # fmt: skip
def test_what_has_no_equal_is_refused(pattern: str) -> None:
    with pytest.raises(UnsupportedQueryError, match="cannot be evaluated offline"):
        portable(pattern)


def test_what_templates_put_a_variable_into_stays_as_it_is() -> None:
    assert portable("$entity-.*$") == "$entity-.*$"


def test_an_old_server_lets_a_dot_stop_at_a_line() -> None:
    assert compile_whole("a.b").fullmatch("a\nb")
    assert compile_whole("a.b", dot_is_newline=False).fullmatch("a\nb") is None


@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_quoted_text_matches_itself_alone(text: str) -> None:
    compiled = compile_whole(re.escape(text))
    assert compiled.fullmatch(text)
    assert compiled.fullmatch(text + "x") is None


@given(st.text("ab|()[]{}*+?.^$\\-:iPQEdwz,1", max_size=10))
def test_any_text_is_read_or_refused(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            written = portable(pattern)
        except UnsupportedQueryError:
            return
    # What was written once is written the same again, so that it may be handed on.
    assert re.compile(written).pattern == written
