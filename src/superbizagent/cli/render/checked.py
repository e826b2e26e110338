"""A checked text on a terminal: a mark before each sentence, under it why it does not stand."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from superbizagent.analysis.claims.compare.judgement import Mark
from superbizagent.cli.render.layout import claim_lines, lines_text, plain_width
from superbizagent.cli.render.terminal import WIDTH
from superbizagent.investigation.checked_text import CheckedPart, CheckedSentence, Tally
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.slots import marks

__all__ = ["render_checked"]

# Plain characters: they say the same in a log file, a ticket and a terminal without colours.
_SYMBOLS = {
    Mark.SUPPORTED: "+",
    Mark.PARTIAL: "o",
    Mark.CONTRADICTED: "x",
    Mark.UNSUPPORTED: "?",
    Mark.HYPOTHESIS: "~",
    Mark.NOT_CHECKABLE: "-",
}
_STYLES = {
    Mark.SUPPORTED: "green",
    Mark.PARTIAL: "cyan",
    Mark.CONTRADICTED: "bold red",
    Mark.UNSUPPORTED: "bold yellow",
    Mark.HYPOTHESIS: "magenta",
    Mark.NOT_CHECKABLE: "dim",
}

_STOPS = ".。 "


def render_checked(
    sentences: Sequence[CheckedSentence], counts: Tally, words: Narrator, *, color: bool = False
) -> str:
    """Return the sentences with their marks, and how many there are of each.

    Args:
        sentences: those that are shown.
        counts: of all of them.
        words: the checker's table in the reader's language.
        color: whether the reader's terminal shows styles.
    """
    labels = {mark: words.say(f"mark.{mark.value}") for mark in Mark}
    width = max(map(plain_width, labels.values()))
    digits = len(str(max((s.line for s in sentences), default=1)))
    lines: list[Text] = []
    for sentence in sentences:
        label = labels[sentence.mark]
        pad = " " * (width - plain_width(label))
        head = f"{sentence.line:>{digits}} {_SYMBOLS[sentence.mark]} {label}{pad}  "
        lines += _sentence(sentence, head, _STYLES[sentence.mark], words)
    if lines:
        lines.append(Text())
    lines += [Text(line, style="bold") for line in count_lines(counts, words)]
    return lines_text(lines, WIDTH, color=color)


def _sentence(sentence: CheckedSentence, head: str, style: str, words: Narrator) -> Iterator[Text]:
    citations = sentence.citations or (sentence.found if _stands(sentence) else ())
    text = sentence.text + (f" {marks(citations)}" if citations else "")
    indent = " " * plain_width(head)
    for number, line in enumerate(claim_lines(indent, text, WIDTH)):
        if number == 0:
            yield Text(head, style=style) + line[len(indent) :]
        else:
            yield line
    for reason in _reasons(sentence, words):
        for line in claim_lines(f"{indent}  ", reason, WIDTH):
            line.stylize("dim" if _stands(sentence) else "italic")
            yield line


def _stands(sentence: CheckedSentence) -> bool:
    return sentence.mark in {Mark.SUPPORTED, Mark.PARTIAL}


def _reasons(sentence: CheckedSentence, words: Narrator) -> Iterator[str]:
    """Why each part that does not stand does not, each said once."""
    open_parts = [part for part in sentence.parts if part.words]
    if not open_parts:
        yield from filter(None, (sentence.words,))
    yield from dict.fromkeys(_reason(part, sentence, words) for part in open_parts)


def _reason(part: CheckedPart, sentence: CheckedSentence, words: Narrator) -> str:
    """Why a part does not stand, with its words unless it is the whole sentence."""
    text, whole = part.text.rstrip(_STOPS), sentence.text.rstrip(_STOPS)
    return part.words if text == whole else words.say("part", text=text, reason=part.words)


def count_lines(counts: Tally, words: Narrator) -> list[str]:
    """Return ``12 sentences: 7 supported, …``; what there is none of is left out."""
    total = counts.sentences
    if not total:
        return [words.say("count.none")]
    lines = [words.say("count.sentence" if total == 1 else "count.sentences", n=str(total))]
    separator, said = words.say("count.separator"), _counts(counts, words)
    for number, text in enumerate(said, 1):
        piece = text + (separator if number < len(said) else "")
        # A count is never divided: "(20" and "%)" on two lines say nothing.
        if plain_width(lines[-1] + piece.rstrip()) > WIDTH:
            lines.append("")
        lines[-1] += piece
    return lines


def _counts(counts: Tally, words: Narrator) -> list[str]:
    found: list[str] = []
    for mark, number in counts.marks.items():
        key = "hypotheses" if mark is Mark.HYPOTHESIS and number > 1 else mark.value
        share = str(round(100 * counts.nothing_to_check_ratio))
        if number:
            found.append(words.say(f"count.{key}", n=str(number), share=share))
    return found
