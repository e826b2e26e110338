"""Jira's wiki markup, for the description or a comment of a ticket.

In it a backslash before a character takes its meaning away, but two of them are a line break: so a
backslash of the text is written as its entity.
"""

import re
from collections.abc import Iterator, Sequence

from superbizagent.cli.render.document.elements import shown
from superbizagent.domain.report import Claim, RejectedClaim, Section
from superbizagent.investigation.dossier import Dossier, FactShown
from superbizagent.investigation.wording.markdown import rejection_text, standing_text

__all__ = ["LIMIT", "render_jira"]

LIMIT = 32_767
"""Characters that Jira takes in a description or comment unless its owner allows more."""
_LONG = (Section.CALLS, Section.FINDINGS, Section.TIMELINE, Section.CANDIDATES)
"""Sections that may go, the one that is missed least first."""
_ROWS = 0.4
"""Share of the limit that rows of evidence get before sections have to go."""
_NOTE = 200

_NUMBERED = frozenset({Section.WHY, Section.DO_NOW, Section.CHECK_NEXT, Section.CANDIDATES})
_MARK = re.compile(r"\[(E\d+(?:\.\d+)?)\]")
_ACTIVE = re.compile(
    r"[{}\[\]|!]"  # macros, links, cells, pictures
    r"|(?<!\w)[*_^~+?-](?=\S)|(?<=\S)[*_^~+?-](?!\w)"  # formats, dashes: at the edge of a word
    r"|^(?:#|bq\.|h[1-6]\.)"  # what begins a line
    r"|\((?=(?:[xyni/!?+*-]|on|off|\*[rgby])\))|[:;](?=-?[)(DPp])"  # what becomes an icon
)


def render_jira(dossier: Dossier, limit: int = LIMIT) -> bytes:
    """Return the document as UTF-8, at most ``limit`` characters.

    Of what does not fit, long sections go first, then rows of evidence, those cited last before
    the others; a line says so. The same dossier gives the same bytes.
    """
    kept = frozenset(dossier.order)
    text = _document(dossier, kept, (), limit)
    left_out: list[Section] = []
    rows = {fact.id: len(_row(fact)) + 1 for fact in dossier.facts()}
    while len(text) > limit and len(left_out) < len(_LONG):
        if len(text) - sum(rows.values()) <= limit * (1 - _ROWS):
            break
        left_out.append(_LONG[len(left_out)])
        text = _document(dossier, kept, left_out, limit)
    if len(text) > limit:
        calls = frozenset(call.id for call in dossier.calls)
        # The line that says so is about as long as two rows.
        room = limit - (len(text) - sum(rows.values())) - 2 * _NOTE
        text = _document(dossier, dossier.first_rows(rows, room) | calls, left_out, limit)
    return text.encode()


def _document(
    dossier: Dossier, kept: frozenset[str], left_out: Sequence[Section], limit: int
) -> str:
    say = dossier.say
    lines = [f"h1. {_text(dossier.report.title)}", ""]
    lines.append(f"*{_text(say.say(f'verdict.{dossier.report.verdict.value}'))}*")
    for section, claims in dossier.sections():
        if section in left_out:
            continue
        lines += ["", f"h2. {_text(say.say(f'section.{section.value}'))}", ""]
        bullet = "#" if section in _NUMBERED else "*"
        for claim in claims:
            lines += _claim(dossier, claim, bullet, kept)
    if dossier.report.rejected:
        lines += ["", f"h2. {_text(say.say('section.rejected'))}", ""]
        lines += [_rejected(dossier, item, kept) for item in dossier.report.rejected]
    if left_out:
        names = say.say("list.and").join(say.say(f"section.{s.value}") for s in left_out)
        words = dossier.words.say("sections.cut", sections=names, session=dossier.session_id)
        lines += ["", _text(words)]
    lines += [*_evidence(dossier, kept, limit), *_integrity(dossier)]
    return "\n".join(lines) + "\n"


def _claim(dossier: Dossier, claim: Claim, bullet: str, kept: frozenset[str]) -> Iterator[str]:
    say = dossier.say
    yield f"{bullet} {_cited(claim, kept)}"
    inner = f"{bullet}*"
    for key in ("risk", "undo"):
        if claim.extras.get(key):
            yield f"{inner} {say.say(key)}: {_text(str(claim.extras[key]))}"
    if standing := standing_text(claim, say):
        yield f"{inner} {_text(standing)}"
    for label, text in claim.extras.get("links", ()):
        yield f"{inner} {_text(str(label))}: {_text(str(text))}"
    if claim.command:
        yield f"{inner} {{{{{_text(claim.command)}}}}}"


def _rejected(dossier: Dossier, item: RejectedClaim, kept: frozenset[str]) -> str:
    reason = _text(rejection_text(item, dossier.say))
    return f"* {_cited(item.claim, kept)} ({reason})"


def _cited(claim: Claim, kept: frozenset[str]) -> str:
    parts = _MARK.split(claim.text)
    return "".join(
        f"[{part}|#{part}]"
        if n % 2 and part in claim.fact_ids and part in kept
        else _text(f"[{part}]" if n % 2 else part)
        for n, part in enumerate(parts)
    )


def _evidence(dossier: Dossier, kept: frozenset[str], limit: int) -> Iterator[str]:
    words, say = dossier.words, dossier.say
    yield from ("", f"h2. {_text(words.say('section.evidence'))}", "")
    yield _text(words.say("evidence.intro"))
    if missing := sum(fact.id not in kept for fact in dossier.facts()):
        size = f"{limit:,}"
        said = words.say("rows.cut", n=str(missing), limit=size, session=dossier.session_id)
        yield from ("", _text(said))
    names = ("fact", "what", "value", "time", "quote")
    head = "||".join(_text(words.say(f"column.{name}")) for name in names)
    for call in dossier.calls:
        details = say.say("list.or").join(call.details)
        yield ""
        yield f"{{anchor:{call.id}}}*{call.id}* {_text(f'{call.title}: {details}')}"
        rows = [_row(fact) for fact in call.facts if fact.id in kept]
        if rows:
            yield from ("", f"||{head}||", *rows)


def _row(fact: FactShown) -> str:
    value = f"{fact.value} {fact.unit}".strip()
    what = f"{fact.entity} {fact.name} {fact.statistic}".strip()
    # A cell without content is taken for a heading's mark: it holds a blank.
    cells = [_text(text) or " " for text in (what, value, fact.time, fact.quote)]
    return f"|{{anchor:{fact.id}}}{fact.id}|{'|'.join(cells)}|"


def _integrity(dossier: Dossier) -> Iterator[str]:
    words = dossier.words
    yield from ("", f"h2. {_text(words.say('section.integrity'))}", "")
    if not dossier.head_hash:
        yield _text(words.say("integrity.none"))
        return
    yield _text(words.say("integrity.head"))
    yield f"{{noformat}}{dossier.head_hash}{{noformat}}"
    yield _text(words.say("integrity.verify"))
    yield f"{{noformat}}{dossier.verify_command}{{noformat}}"


def _text(text: str) -> str:
    """Return one line in which nothing is markup."""
    line = " ".join(shown(text).split())
    return "".join(_plain(piece) for piece in re.split(r"(\\)", line))


def _plain(piece: str) -> str:
    return "&#92;" if piece == "\\" else _ACTIVE.sub(lambda m: f"\\{m.group()}", piece)
