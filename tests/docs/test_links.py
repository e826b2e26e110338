"""Links inside the documentation lead somewhere, and every page can be found."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]

LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and MkDocs both make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page), flags=re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower().replace("`", "")).strip().replace(" ", "-")
        for heading in headings
    }


def dead_links(name: str, page: str) -> list[str]:
    """The relative links of one page that lead nowhere."""
    dead: list[str] = []
    for target in LINK.findall(FENCE.sub("", page)):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / name).parent / file
        exists = not file or path.exists()
        if exists and anchor:
            exists = anchor in anchors(path.read_text(encoding="utf-8") if file else page)
        if not exists:
            dead.append(target)
    return dead


def test_no_link_is_dead(pages: dict[str, str]) -> None:
    assert "README.md" in pages
    dead = {name: links for name, page in pages.items() if (links := dead_links(name, page))}
    assert dead == {}


def test_a_dead_link_is_found() -> None:
    page = "# One\n[a](nowhere.md) [b](#one) [c](#two) [d](README.md)\n"
    assert dead_links("new.md", page) == ["nowhere.md", "#two"]


def test_every_page_is_in_the_navigation(pages: dict[str, str]) -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"(\S+\.md)$", text.split("\nnav:\n")[1], flags=re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == {name.removeprefix("docs/") for name in pages if name.startswith("docs/")}
    assert yaml.safe_load(text)["strict"] is True


def test_decisions_are_numbered_and_complete(pages: dict[str, str]) -> None:
    records = sorted(name for name in pages if name.startswith("docs/adr/"))
    for number, name in enumerate(records, start=1):
        assert Path(name).name.startswith(f"{number:04d}-"), name
        assert pages[name].startswith(f"# {number}. "), name
        for heading in ("**Status:** ", "## Context", "## Decision", "## Consequences"):
            assert heading in pages[name], f"{name} lacks {heading}"


def test_the_architecture_names_what_exists(pages: dict[str, str]) -> None:
    page = pages["docs/architecture.md"]
    stages = re.findall(r"investigation/(\w+)\.py +([a-z]+_[a-z_]+)", page)
    assert len(stages) == 9
    for module, function in stages:
        path = ROOT / "src" / "superbizagent" / "investigation" / f"{module}.py"
        source = path.read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {function}\b", source, flags=re.MULTILINE), function
    for module in re.findall(r"((?:cli|investigation)/\w+\.py)", page):
        assert (ROOT / "src" / "superbizagent" / module).exists(), module
