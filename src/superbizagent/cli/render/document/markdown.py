"""CommonMark: the canonical Markdown as it was stored, and below it what each citation is.

A definition a citation (``[E3.2]: #E3.2``) makes every mark of the report a link, without a change
to the report itself but a blank between two marks: ``[a][b]`` would be one link, to the second.
"""

import re
from collections.abc import Iterator

from superbizagent.cli.render.document.elements import shown
from superbizagent.investigation.dossier import Dossier, FactShown
from superbizagent.investigation.wording.markdown import escaped

__all__ = ["render_markdown_document"]

_NEIGHBOURS = re.compile(r"\](?=\[E\d)")


def render_markdown_document(dossier: Dossier) -> bytes:
    """Return the document as UTF-8; the same dossier gives the same bytes."""
    report = _NEIGHBOURS.sub("] ", dossier.markdown.rstrip("\n"))
    lines = [report, "", *_evidence(dossier), *_integrity(dossier), ""]
    ids = [i for call in dossier.calls for i in (call.id, *(f.id for f in call.facts))]
    lines += [f"[{i}]: #{i}" for i in ids]
    return ("\n".join(lines) + "\n").encode()


def _evidence(dossier: Dossier) -> Iterator[str]:
    yield f"## {dossier.words.say('section.evidence')}"
    for call in dossier.calls:
        details = dossier.say.say("list.or").join(call.details)
        yield from ("", f'<a id="{call.id}"></a>**{call.id}** {_text(f"{call.title}: {details}")}')
        if call.facts:
            yield ""
        for fact in call.facts:
            yield f'- <a id="{fact.id}"></a>**{fact.id}** {_text(_fact(fact))}'


def _fact(fact: FactShown) -> str:
    value = f"{fact.value} {fact.unit}".strip()
    what = f"{fact.entity} {fact.name} {fact.statistic} = {value}".strip()
    parts = [what, *([fact.time] if fact.time else [])]
    # A log line's value is its quote: once is enough.
    if fact.quote and fact.quote != fact.value:
        parts.append(f"“{fact.quote}”")
    return "; ".join(parts)


def _integrity(dossier: Dossier) -> Iterator[str]:
    words = dossier.words
    yield from ("", f"## {words.say('section.integrity')}", "")
    if not dossier.head_hash:
        yield words.say("integrity.none")
        return
    yield from (words.say("integrity.head"), "", f"    {dossier.head_hash}", "")
    yield from (words.say("integrity.verify"), "", f"    {dossier.verify_command}")


def _text(text: str) -> str:
    return escaped(shown(text))
