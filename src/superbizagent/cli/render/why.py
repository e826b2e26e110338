"""What became of a name, on a terminal."""

from collections.abc import Sequence

from rich.text import Text

from superbizagent.cli.render.layout import labelled, lines_text, printable
from superbizagent.cli.render.terminal import WIDTH
from superbizagent.investigation.why import Seen, Why, WhyFinding, WhyLook
from superbizagent.investigation.wording.checking import words_for
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.slots import marks
from superbizagent.investigation.wording.values import quantity, quoted, short_name

__all__ = ["render_why"]

_FINDINGS = 5
_CALLS = 6
_NAME = 110
"""Characters of a finding's name: one line and a bit, so that its values are seen."""
_STYLES = {Seen.ABNORMAL: "bold red", Seen.NORMAL: "bold green"}


def render_why(why: Why, narrator: Narrator, *, color: bool = False) -> str:
    """Return the answer in some lines: what became of it, why one may say so, what includes it.

    Args:
        why: the answer.
        narrator: the report's words in the reader's language.
        color: whether the reader's terminal shows styles.
    """
    words = words_for(narrator.language)
    say = words.say
    kind = f" ({say(f'kind.{why.kind}')})" if why.kind else ""
    head = Text(printable(f"{why.name}{kind}: "), style="bold")
    lines = [head + Text(say(f"why.{why.seen.value}"), _STYLES.get(why.seen, "bold yellow"))]
    lists = {
        "about": [", ".join(why.entities)] if why.entities else [],
        "findings": _cut(_findings(why, words, narrator), _FINDINGS, words),
        "counts": _counts(why, words),
        "looks": _cut([_look(look, words) for look in why.looks], _CALLS, words),
        "reason": [quoted(why.reason)] if why.reason else [],
        "near": [", ".join(why.near)] if why.near else [],
        "include": list(why.include),
    }
    for name, texts in lists.items():
        if texts:
            lines += labelled(say(f"label.{name}"), texts, WIDTH)
    return lines_text(lines, WIDTH, color=color)


def _cut(texts: Sequence[str], most: int, words: Narrator) -> list[str]:
    left = len(texts) - most
    return [*texts[:most], *([words.say("why.more", n=str(left))] if left > 0 else [])]


def _findings(why: Why, words: Narrator, narrator: Narrator) -> list[str]:
    """What is abnormal; of several entities with the name of each."""
    several = len({f.entity for f in why.findings}) > 1
    return [
        (f"{f.entity.rsplit('/', 1)[-1]}: " if several else "") + _finding(f, words, narrator)
        for f in why.findings
    ]


def _finding(finding: WhyFinding, words: Narrator, narrator: Narrator) -> str:
    before = finding.baseline is not None
    after = finding.incident is not None
    key = "moved" if before and after else "new" if after else "gone" if before else "other"
    text = words.say(
        f"find.{key}",
        name=_short(short_name(finding.subject)),
        before=quantity(finding.baseline, finding.unit, narrator),
        after=quantity(finding.incident, finding.unit, narrator),
    )
    return f"{text} {marks(finding.citations)}"


def _short(name: str) -> str:
    """The head of a name: what it came to must not be cut off behind it."""
    line = quoted(name)
    return line if len(line) <= _NAME else line[: _NAME - 1] + "…"


def _counts(why: Why, words: Narrator) -> list[str]:
    """What was counted, one line a call."""
    by_call: dict[str, list[str]] = {}
    for count in why.counts:
        said = words.say(f"count.{count.what}", n=f"{count.value:g}")
        mark = f" [{count.citation}]" if count.citation else ""
        by_call.setdefault(count.citation.partition(".")[0], []).append(said + mark)
    texts = [words.say("count.separator").join(each) for each in by_call.values()]
    return _cut(texts, _CALLS, words)


def _look(look: WhyLook, words: Narrator) -> str:
    narrator = narrator_for(words.language)
    text = words.say(
        "why.call",
        look=narrator.say(f"look.{look.tool}"),
        source=quoted(look.source),
        status=narrator.say(f"status.{look.status}"),
    )
    more = [words.say("why.truncated")] if look.truncated else []
    more += [quoted(look.error)] if look.error else []
    return words.say("reasons").join([text, *more]) + f" [{look.citation}]"
