"""How well templates that were found agree with those that people wrote.

GA: share of lines whose group is exactly a true one. FGA: F1 over groups. PA: share of lines whose
text is the true one. FTA: F1 over groups that are right in their text too. Texts are compared as
they read once both follow one convention of what a variable part looks like.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["TemplateScore", "score_templates"]

_WILD = "<*>"
_DELIMITER = re.compile(r"([\s,;:=\[\](){}'\"|]+)")
_VALUE = re.compile(r"[+-]?[0-9]+(?:[.:][0-9]+)*|(?i:true|false|null|root|admin)|(?:/[^/]+)+/?")
_RUN = re.compile(r"<\*>(?:[\s,.:;/|\-_+*#@%]*<\*>)+")
_UNIT = re.compile(r"<\*> ?(?:[KMGT]?i?B|bytes?|ms|us|ns|secs?|seconds?|s|MHz|%)(?![\w])")


@dataclass(frozen=True, slots=True)
class TemplateScore:
    """Shares from 0 to 1."""

    ga: float
    fga: float
    pa: float = 0.0
    fta: float = 0.0


def score_templates(
    found: Sequence[str], events: Sequence[str], templates: Sequence[str]
) -> TemplateScore:
    """Score the template texts of some lines.

    Args:
        found: of each line.
        events: true group of each line.
        templates: true text of each line.
    """
    if not found:
        return TemplateScore(0.0, 0.0)
    wanted = Counter(events)
    groups: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(found):
        groups[text].append(row)
    read = {text: _as_read(text) for text in {*found, *templates}}
    right = [
        rows
        for rows in groups.values()
        if len({events[row] for row in rows}) == 1 and len(rows) == wanted[events[rows[0]]]
    ]
    exact = [r for r in right if read[found[r[0]]] == read[templates[r[0]]]]
    same = sum(read[f] == read[t] for f, t in zip(found, templates, strict=True))
    return TemplateScore(
        ga=sum(map(len, right)) / len(found),
        fga=2 * len(right) / (len(groups) + len(wanted)),
        pa=same / len(found),
        fta=2 * len(exact) / (len(groups) + len(wanted)),
    )


def _as_read(text: str) -> str:
    """Return a template in one convention: no values spelled out, one wildcard for a run of them.

    A word with a wildcard in it is a wildcard; so is a number, a path, a user that is always there.
    """
    parts = _DELIMITER.split(" ".join(text.split()))
    words = [_WILD if _WILD in part or _VALUE.fullmatch(part) else part for part in parts[::2]]
    gaps = [" " if gap.isspace() else gap for gap in parts[1::2]]
    joined = "".join(w + g for w, g in zip(words, [*gaps, ""], strict=True))
    while (shorter := _RUN.sub(_WILD, _UNIT.sub(_WILD, joined))) != joined:
        joined = shorter
    return joined.strip()
