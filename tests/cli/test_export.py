"""`superbiz trace export --format`: documents that stand alone, whatever the evidence holds."""

import asyncio
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from commanding import Superbiz
from superbizagent.cli.render.document import render_html, render_jira, render_markdown_document
from superbizagent.cli.render.document.elements import element, link
from superbizagent.cli.stored import read_stored
from superbizagent.investigation.dossier import Dossier, dossier_of

GOLDEN = Path(__file__).parents[1] / "replay" / "golden.session"
HOSTILE = (
    "</td><script>alert(1)</script><img src=x onerror=alert(2)> \u202etxt.exe\u202c \x1b[31mred\x07"
    ' "onload=x [a](javascript:alert(3)) ![p](http://x/y.png) {html}x{html} |a|b| h1. _i_ &lt;b&gt;'
)
INERT = ("\u202e", "\u202c", "\x1b", "\x07")

OUTSIDE = ("https://", "http://prometheus.example.com:9090/graph?g0.expr=")
"""The documentation, and the alert's own link to its rule."""


class Page(HTMLParser):
    """What a browser would make of a document: elements, ids, targets, and its text."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(data.decode())
        self.close()
        assert self.open == []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def values(self, name: str) -> list[str]:
        return [value for _, known, value in self.attributes if known == name]

    def assert_inert(self) -> None:
        """No script, no request, no handler, and every inner link has its target."""
        assert not {"script", "img", "iframe", "object", "embed", "link", "form"} & set(self.tags)
        assert not [n for _, n, _ in self.attributes if n.startswith("on") or n in {"src", "style"}]
        ids = self.values("id")
        assert len(ids) == len(set(ids))
        for href in self.values("href"):
            assert href.startswith(OUTSIDE) or href[1:] in ids, href


@pytest.fixture(scope="module")
def dossier(tmp_path_factory: pytest.TempPathFactory) -> Dossier:
    data = str(tmp_path_factory.mktemp("data"))
    with patch.dict(os.environ, {"SUPERBIZ_DATA_DIR": data}):
        return dossier_of(*asyncio.run(read_stored(str(GOLDEN))))


def spoilt(dossier: Dossier) -> Dossier:
    """The same session, whose evidence, statements and names say what an attacker wants."""
    facts = tuple(
        replace(
            call,
            details=(HOSTILE,),
            facts=tuple(
                replace(f, quote=HOSTILE, name=HOSTILE, entity=HOSTILE) for f in call.facts
            ),
        )
        for call in dossier.calls
    )
    claims = tuple(
        c.model_copy(
            update={
                "text": f"{HOSTILE} [E1.1] {c.text}",
                "command": HOSTILE,
                "extras": {"risk": HOSTILE, "links": [[HOSTILE, "javascript:alert(4)"]]},
            }
        )
        for c in dossier.report.claims
    )
    report = dossier.report.model_copy(update={"claims": claims, "title": HOSTILE})
    courses = tuple(replace(c, title=HOSTILE, entity=HOSTILE) for c in dossier.courses)
    return replace(dossier, calls=facts, report=report, courses=courses)


def test_html_stands_alone_and_every_citation_leads_to_its_row(dossier: Dossier) -> None:
    data = render_html(dossier)
    page = Page(data)
    page.assert_inert()
    cited = {i for c in dossier.report.claims for i in c.fact_ids}
    assert cited <= set(page.values("id"))
    links = {h[1:] for h in page.values("href") if h.startswith("#E")}
    assert links == cited
    assert page.tags.count("svg") == 2 * len(dossier.courses) > 0
    assert {"band", "incident", "onset"} <= set(page.values("class"))
    text = "".join(page.text)
    assert dossier.head_hash in text
    assert f"superbiz trace verify {dossier.session_id}" in text
    policy = next(v for v in page.values("content") if "default-src" in v)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert data == render_html(dossier)


def test_a_row_holds_value_unit_time_and_quote_as_stored(dossier: Dossier) -> None:
    page = render_html(dossier).decode()
    facts = [f for call in dossier.calls for f in call.facts]
    fact = next(f for f in facts if f.unit == "s" and f.quote and f.time)
    row = re.search(rf'<tr id="{re.escape(fact.id)}">.*?</tr>', page, re.DOTALL)
    assert row is not None
    for part in (f"{fact.value} s", fact.time, fact.quote):
        assert part in row[0]


def test_hostile_text_is_text_in_html(dossier: Dossier) -> None:
    data = render_html(spoilt(dossier))
    page = Page(data)
    page.assert_inert()
    assert not any(c in data.decode() for c in INERT)
    assert "<script>alert(1)</script>" in "".join(page.text)
    assert "\\u202etxt.exe" in "".join(page.text)


def test_a_mark_inside_hostile_text_is_no_citation(dossier: Dossier) -> None:
    claim = next(c for c in dossier.report.claims if "E1.1" not in c.fact_ids)
    changed = claim.model_copy(update={"text": f"the log says [E1.1] {claim.text}"})
    report = dossier.report.model_copy(update={"claims": (changed,)})
    page = render_html(replace(dossier, report=report)).decode()
    assert "the log says [E1.1]" in page


def test_rows_that_do_not_fit_are_left_out_and_counted(dossier: Dossier) -> None:
    whole = render_html(dossier)
    limit = len(whole) - 20_000
    data = render_html(dossier, limit)
    assert limit - 2_000 < len(data) <= limit
    page = Page(data)
    page.assert_inert()
    facts = [f.id for call in dossier.calls for f in call.facts]
    missing = [i for i in facts if i not in page.values("id")]
    assert missing
    assert f"{len(missing)} rows of evidence were left out" in "".join(page.text)
    first = min(facts, key=lambda i: dossier.order[i])
    assert first in page.values("id")


def tokens(text: str) -> list[Token]:
    parsed = MarkdownIt("commonmark").parse(text)
    return [t for block in parsed for t in (block, *(block.children or ()))]


def test_markdown_is_the_stored_report_with_links(dossier: Dossier) -> None:
    text = render_markdown_document(dossier).decode()
    assert text.replace("] [E", "][E").startswith(dossier.markdown.rstrip("\n"))
    found = tokens(text)
    links = {str(t.attrs["href"]) for t in found if t.type == "link_open"}
    cited = {i for c in dossier.report.claims for i in c.fact_ids}
    assert {f"#{i}" for i in cited} <= links
    anchors = {m[1] for t in found if (m := re.search(r'id="([^"]+)"', t.content))}
    assert cited <= anchors
    assert dossier.head_hash in text


def test_hostile_text_is_text_in_markdown(dossier: Dossier) -> None:
    found = tokens(render_markdown_document(spoilt(dossier)).decode())
    html = [t.content for t in found if t.type in {"html_inline", "html_block"}]
    assert all(re.fullmatch(r'<a id="E[\d.]+">|</a>', part) for part in html)
    assert not [t for t in found if t.type == "image"]
    hrefs = [str(t.attrs["href"]) for t in found if t.type == "link_open"]
    assert all(h.startswith(("#E", *OUTSIDE)) for h in hrefs)


def test_jira_links_citations_and_escapes_all_else(dossier: Dossier) -> None:
    text = render_jira(dossier, 10**6).decode()
    targets = set(re.findall(r"(?<!\\)\[E[\d.]+\|#(E[\d.]+)\]", text))
    assert targets == {i for c in dossier.report.claims for i in c.fact_ids}
    assert targets <= set(re.findall(r"\{anchor:(E[\d.]+)\}", text))
    hostile = render_jira(spoilt(dossier), 10**6).decode()
    assert not re.search(r"(?<!\\)\{html\}", hostile)
    assert not re.search(r"(?<!\\)\[a", hostile)
    assert not re.search(r"(?<!\\)!\[p|(?<!\\)!\\\[p", hostile)
    assert not any(c in hostile for c in INERT)
    rows = [line for line in hostile.splitlines() if re.match(r"\|\{", line)]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_jira_text_fits_a_ticket_and_says_what_is_left_out(dossier: Dossier) -> None:
    for limit in (20_000, 32_767):
        text = render_jira(dossier, limit).decode()
        assert limit * 0.8 < len(text) <= limit
        assert ("fits a ticket: Calls, Findings" in text) == (limit < 32_767)
        missing = re.search(r"(\d+) rows of evidence were left out", text)
        assert missing is not None
        rows = re.findall(r"^\|\{anchor:(E[\d.]+)\}", text, re.MULTILINE)
        assert len(rows) + int(missing[1]) == len(list(dossier.facts()))
        links = set(re.findall(r"\[E[\d.]+\|#(E[\d.]+)\]", text))
        assert links <= set(re.findall(r"\{anchor:(E[\d.]+)\}", text))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//x.y", "data:text/html,x", "https://a b"])
def test_only_web_addresses_become_links(url: str) -> None:
    assert "<a" not in link(url, url)
    assert 'href="https://x.y/?a=1&amp;b=2"' in link("x", "https://x.y/?a=1&b=2")


def test_attributes_are_escaped() -> None:
    assert element("p", "x", title='"><script>') == ('<p title="&quot;&gt;&lt;script&gt;">x</p>')


@pytest.mark.parametrize(
    ("form", "start"), [("html", "<!DOCTYPE html>"), ("md", "# "), ("jira", "h1. ")]
)
def test_the_command_writes_each_form(
    superbiz: Superbiz, tmp_path: Path, form: str, start: str
) -> None:
    ended = superbiz("trace", "export", GOLDEN, "--format", form, "--out", tmp_path / "out")
    assert ended.code == 0
    assert "head sha256:" in ended.err
    assert (tmp_path / "out").read_text(encoding="utf-8").startswith(start)
    assert superbiz("trace", "export", GOLDEN, "--format", form).out.startswith(start)


def test_json_is_what_it_was(superbiz: Superbiz) -> None:
    plain, named = (
        superbiz("trace", "export", GOLDEN, *more) for more in ((), ("--format", "json"))
    )
    assert plain.out == named.out == GOLDEN.read_text(encoding="utf-8")
