"""``superbiz why``: what the command prints, and what bad input gets."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import variants
from commanding import Superbiz
from diagnosing import diagnose
from superbizagent.cli.render.why import render_why
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.incident import Language
from superbizagent.investigation.why import Seen, Why, WhyCount, WhyFinding, WhyLook
from superbizagent.investigation.wording.narrator import narrator_for
from tests.cli.test_check import CONTROL
from tests.cli.test_render import ANSI, SCREENS


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one session, ``pool``, of the example."""
    data = tmp_path_factory.mktemp("recorded") / "data"
    diagnose(variants.POOL, data, session_id="pool")
    return data


@pytest.fixture
def stored(superbiz: Superbiz, recorded: Path, tmp_path: Path) -> Superbiz:
    shutil.copytree(recorded, tmp_path / "data")
    return superbiz


@pytest.mark.parametrize(
    ("name", "kind", "seen"),
    [
        ("order-service", "entity", "abnormal"),
        ("order-1", "label", "abnormal"),
        ("order-service.log", "log_file", "abnormal"),
        ("process_resident_memory_bytes", "metric", "normal"),
        ("bundle", "source", "abnormal"),
        ("orders-service", "", "unknown"),
    ],
)
def test_a_name_of_a_real_session_is_told(
    stored: Superbiz, name: str, kind: str, seen: str
) -> None:
    ended = stored("why", "pool", name, "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    assert (found["name"], found["kind"], found["seen"]) == (name, kind, seen)
    assert canonical_bytes(found).decode() == ended.out.rstrip("\n")


def test_what_it_cites_can_be_explained(stored: Superbiz) -> None:
    told = stored("why", "last", "order-service")
    assert told.out.startswith("order-service (entity): looked at, and abnormal\n")
    marks = set(re.findall(r"\[(E\d+(?:\.\d+)?)\]", told.out))
    assert len(marks) > 5
    for mark in sorted(marks)[:3]:
        assert stored("explain", "pool", mark).code == 0


def test_an_unknown_name_is_told_in_both_languages(stored: Superbiz) -> None:
    english = stored("why", "pool", "orders-service", "--lang", "en").out
    assert english.startswith("orders-service: no source knows this name\nnear      order-service")
    chinese = stored("why", "pool", "orders-service", "--lang", "zh").out
    assert chinese.startswith("orders-service: 没有数据源知道这个名称")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("why", "nope", "mysql"), "there is no session 'nope'"),
        (("why", "pool", " "), "NAME is empty"),
    ],
)
def test_what_cannot_be_told_is_one_line(
    stored: Superbiz, args: tuple[str, ...], says: str
) -> None:
    ended = stored(*args)
    assert (ended.code, says in ended.error, ended.out) == (2, True, "")


def test_a_hostile_name_does_nothing_to_the_terminal(stored: Superbiz) -> None:
    ended = stored("why", "pool", "\x1b]0;owned\x07\u202e" + "x" * 500)
    assert ended.code == 0
    assert not CONTROL.findall(ended.out)
    assert "NAME=GLOB" in ended.out


# -- the screen ----------------------------------------------------------------------------------


def shown() -> Why:
    common: dict[str, Any] = {"kind": "metric_deviation", "direction": 1, "unit": "s"}
    findings = [
        WhyFinding(
            id=f"F{n}",
            entity="//service/checkout",
            subject=f'seconds_sum{{path="/{n}",job="checkout"}}' + "很" * (60 * (n == 1)),
            baseline=before,
            incident=after,
            citations=(f"E4.{n}", "E4.9"),
            **common,
        )
        for n, (before, after) in enumerate(
            (
                (0.03, 2.5),
                (None, 2.5),
                (0.03, None),
                (None, None),
                (1.0, 2.0),
                (1.0, 2.0),
                (1.0, 3.0),
            )
        )
    ]
    look = {"tool": "query_metrics", "source": "prom", "purpose": "sweep:x"}
    return Why(
        name="checkout",
        kind="entity",
        seen=Seen.ABNORMAL,
        entities=("//service/checkout",),
        findings=tuple(findings),
        counts=(
            WhyCount(what="series_examined", value=212, citation="E4.1"),
            WhyCount(what="series_abnormal", value=7, citation="E4.2"),
            WhyCount(what="record_kinds", value=3, citation="E5"),
        ),
        looks=(
            WhyLook(citation="E4", status="ok", truncated=True, error="", **look),
            WhyLook(citation="E5", status="denied", truncated=False, error="403\x1b[2J", **look),
        ),
        include=("SUPERBIZ_CAPS__MAX_SERIES=9000",),
    )


@pytest.mark.parametrize("language", list(Language))
def test_the_screen_is_as_drawn(language: Language) -> None:
    text = render_why(shown(), narrator_for(language))
    assert text == (SCREENS / f"why.{language.value}.txt").read_text(encoding="utf-8")
    assert max(cell_len(line) for line in text.splitlines()) <= 100


def test_colours_change_nothing_else() -> None:
    narrator = narrator_for(Language.EN)
    colored = render_why(shown(), narrator, color=True)
    assert ANSI.search(colored)
    plain = render_why(shown(), narrator).splitlines()
    assert [line.rstrip() for line in ANSI.sub("", colored).splitlines()] == plain


@pytest.mark.parametrize("seen", list(Seen))
@pytest.mark.parametrize("language", list(Language))
def test_every_answer_has_words(seen: Seen, language: Language) -> None:
    text = render_why(Why(name="x", kind="source", seen=seen), narrator_for(language))
    assert text.count("\n") == 1
    assert len(text) > 12
