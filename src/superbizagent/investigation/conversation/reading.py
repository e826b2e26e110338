"""Reads one turn: which phrase it is, and what is named in it. Pure, and the same every time."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from superbizagent.domain.incident import Language
from superbizagent.domain.window import Window
from superbizagent.investigation.conversation.phrases import (
    FILLER,
    INSTRUCTIONS,
    PHRASES,
    PRONOUNS,
    SYMPTOMS,
)
from superbizagent.investigation.conversation.times import TIME, read_time
from superbizagent.investigation.conversation.turn import History, Turn, TurnKind

__all__ = ["read_turn"]

_READ = 4000
"""Characters: a question is shorter, and what follows would only take time."""
_QUESTION = 400
_LONGEST_NAME = 80
_MOST_WORDS = 4
_CJK = re.compile(r"[\u3400-\u9fff]")
_CITE = re.compile(r"(?<![a-z0-9_.-])\[?e(\d{1,5})(?:\.(\d{1,6}))?\]?(?![a-z0-9_-]|\.\w)")
_CITE_MARK = "<cite>"
_ENDS = " \t\n?!.,;:。？！，；：、…\"'“”‘’`"
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})
_SHORT_FORMS = (
    ("isn't", "is not"), ("wasn't", "was not"), ("aren't", "are not"), ("weren't", "were not"),
    ("didn't", "did not"), ("don't", "do not"), ("doesn't", "does not"), ("haven't", "have not"),
    ("couldn't", "could not"), ("can't", "can not"), ("what's", "what is"), ("who's", "who is"),
    ("it's", "it is"), ("that's", "that is"), ("how's", "how is"),
    (" not you ", " you not "), (" not it ", " it not "),
)  # fmt: skip
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)+")
_WORD = re.compile(r"[a-z0-9]+")
_FILLER = frozenset(w for before, behind in FILLER.values() for w in (*before, *behind))
_ASKS = (
    "why is",
    "why are",
    "why does",
    "why do",
    "what is wrong",
    "what happened to",
    "为什么",
    "怎么回事",
    "为何",
    "为啥",
)


def read_turn(text: str, history: History, language: Language = Language.EN) -> Turn:
    """Return what a turn asks for.

    Args:
        text: as somebody wrote it; nothing in it is ever followed or executed.
        history: what the conversation has come to.
        language: of the answer, where the text has words of its own.
    """
    words = _folded(text)
    spoken = _spoken_language(words, history, language)
    if not words or any(told in words for told in INSTRUCTIONS):
        return Turn(kind=TurnKind.OTHER, language=spoken, session_id=history.session_id)
    said = _Said.of(words, history)
    asked = not history.session_id and said.is_about_a_system
    for kind, names in () if asked else said.readings():
        turn = said.turn(kind, names)
        if turn is not None:
            return turn.model_copy(update={"language": spoken})
    kind = TurnKind.DIAGNOSE if said.is_about_a_system else TurnKind.OTHER
    names = said.mentioned if kind is TurnKind.DIAGNOSE else ()
    pronoun = "" if names or kind is TurnKind.OTHER else said.pronoun
    return Turn(
        kind=kind,
        names=(history.last_named,) if pronoun and history.last_named else names,
        pronoun=pronoun if history.last_named else "",
        window=said.window if kind is TurnKind.DIAGNOSE else None,
        language=spoken,
        session_id=history.session_id,
    )


def _folded(text: str) -> str:
    """Lower case, full-width forms made plain, short forms written out, one blank a gap."""
    plain = unicodedata.normalize("NFKC", text[:_READ].translate(_APOSTROPHES)).casefold()
    words = " ".join(plain.split()).strip(_ENDS)
    for said, meant in _SHORT_FORMS:
        words = words.replace(said, meant)
    return words


def _spoken_language(words: str, history: History, language: Language) -> Language:
    """The text's own language; of a bare citation or name that of the conversation."""
    bare = _CITE.sub("", words).strip(_ENDS)
    alone = not bare or bare in {name.casefold() for name in history.names}
    return history.language if alone and history.session_id else language


@dataclass(frozen=True, slots=True)
class _Said:
    """A turn taken apart."""

    words: str
    marked: str
    """With `TIME` and the citation's mark where these stood."""
    citation: str
    window: Window | None
    history: History

    @classmethod
    def of(cls, words: str, history: History) -> "_Said":
        cite = _CITE.search(words)
        citation = f"E{int(cite[1])}" + (f".{int(cite[2])}" if cite[2] else "") if cite else ""
        marked = f"{words[: cite.start()]}{_CITE_MARK}{words[cite.end() :]}" if cite else words
        told = read_time(marked, history.now, history.timezone, history.window)
        window = told.window if told else None
        return cls(words, told.rest if told else marked, citation, window, history)

    def readings(self) -> Iterator[tuple[TurnKind, tuple[str, ...]]]:
        """Yield the kinds whose phrases fit, with the names that stand in them."""
        said = (self.marked, self.words)
        texts = dict.fromkeys(text for each in said for text in (_without_filler(each), each))
        for text in texts:
            for kind, pattern in _patterns():
                match = pattern.fullmatch(f"{text} ")
                if match is not None:
                    found = (
                        v.strip(_ENDS) for k, v in match.groupdict().items() if v and k[0] == "n"
                    )
                    yield kind, tuple(name for name in found if name)

    def turn(self, kind: TurnKind, names: tuple[str, ...]) -> Turn | None:
        """Return the turn of a reading; None when what stands for a name is none."""
        history = self.history
        if kind is TurnKind.LOOK and not history.session_id:
            return None
        resolved: list[str] = []
        pronoun = ""
        for name in names:
            if _is_pronoun(name):
                pronoun = name
                resolved += [history.last_named] if history.last_named else []
            elif (known := self._known(name, kind)) is not None:
                resolved.append(known)
            else:
                return None
        return Turn(
            kind=kind,
            names=tuple(resolved),
            pronoun=pronoun,
            citation=self.citation if kind is TurnKind.EXPLAIN else "",
            window=self.window if kind is TurnKind.LOOK else None,
            session_id=history.session_id,
        )

    def _known(self, name: str, kind: TurnKind) -> str | None:
        """The name as it is known; where only a name can stand, any that looks like one."""
        bare = name.removeprefix("the ").removeprefix("service ").removesuffix(" service")
        for known in self.history.names:
            if known.casefold() in {name, bare}:
                return known
        if name in _FILLER or TIME in name or _CITE_MARK in name or len(name) > _LONGEST_NAME:
            return None
        if kind in {TurnKind.WHY_NOT, TurnKind.EVIDENCE}:
            few = len(name.split()) <= _MOST_WORDS and len(_CJK.findall(name)) <= 8
            return bare if few else None
        one = " " not in bare and not _CJK.search(bare)
        if kind is TurnKind.LOOK:
            plain = bare == _without_filler(self.words) or bare in {"it", "you", "there"}
            return bare if one and (_IDENTIFIER.fullmatch(bare) or not plain) else None
        return None

    @property
    def mentioned(self) -> tuple[str, ...]:
        """Known names in the text, longest first, each where it stands as a word."""
        found = [n for n in self.history.names if _stands_in(n.casefold(), self.words)]
        return tuple(n for n in found if not any(n != other and n in other for other in found))

    @property
    def pronoun(self) -> str:
        """A pronoun that stands for a service."""
        words = set(_WORD.findall(self.words))
        own = next((p for p in ("it",) if p in words), "")
        return own or next((p for p in ("它", "该服务") if p in self.words), "")

    @property
    def is_about_a_system(self) -> bool:
        """Whether it has a word that a question about a system has."""
        words = set(_WORD.findall(self.words))
        if words & set(SYMPTOMS[Language.EN]) or self.mentioned:
            return True
        if any(s in self.words for s in SYMPTOMS[Language.ZH]):
            return True
        asks = self.words.startswith(_ASKS) and len(self.words) <= _QUESTION
        return bool(_IDENTIFIER.search(self.words)) or (asks and not self.history.session_id)


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<![a-z0-9_-]){re.escape(name)}(?![a-z0-9_-])", text) is not None


def _is_pronoun(name: str) -> bool:
    return any(name in words for words in PRONOUNS.values())


def _without_filler(text: str) -> str:
    """Take words away, before and behind, that ask for nothing; never all of it."""
    while (shorter := _one_filler_less(text)) is not None:
        text = shorter
    return text


def _one_filler_less(text: str) -> str | None:
    for language, (before, behind) in FILLER.items():
        gaps = _ENDS if language is Language.EN else ""
        for word in before:
            rest = text[len(word) :]
            stands = text.startswith(word) and (not gaps or rest[:1] in gaps)
            if stands and (left := rest.lstrip(_ENDS)):
                return left
        for word in behind:
            rest = text[: -len(word)]
            stands = text.endswith(word) and (not gaps or rest[-1:] in gaps)
            if stands and (left := rest.rstrip(_ENDS)):
                return left
    return None


# Phrases -----------------------------------------------------------------------------------------


@cache
def _patterns() -> tuple[tuple[TurnKind, re.Pattern[str]], ...]:
    """Every phrase as what it is compared with; named faults are names like any other."""
    return tuple(
        (kind, _pattern(phrase, spaced=language is Language.EN))
        for language, table in PHRASES.items()
        for kind, phrases in table.items()
        for phrase in phrases
    )


_PART = re.compile(r"<\w+>|\[[^\]]*\]|\([^)]*\)|[^\[\]()<>\s]+")


def _pattern(phrase: str, *, spaced: bool) -> re.Pattern[str]:
    gap = r"\s" if spaced else r"\s?"
    parts: list[str] = []
    for number, match in enumerate(_PART.finditer(phrase)):
        part = match.group()
        either = part[0] in "[("
        inner = f"{_words(part[1:-1] if either else part, number)}{gap}"
        parts.append(f"(?:{inner})?" if part[0] == "[" else inner)
    return re.compile("".join(parts))


def _words(text: str, number: int) -> str:
    """Alternatives of one place; a slot may be one of them."""
    slots = text.startswith("<") and text.count("<") == 1 and "/" not in text
    each = [text] if slots else text.split("/")
    said = [
        _slot(w[1:-1], number) if w[:1] == "<" else r"\s".join(map(re.escape, w.split()))
        for w in each
    ]
    return f"(?:{'|'.join(said)})"


def _slot(name: str, number: int) -> str:
    if name == "cite":
        return re.escape(_CITE_MARK)
    if name == "time":
        return re.escape(TIME)
    return rf"(?P<n{number}>[^<>?]{{1,{_LONGEST_NAME}}}?)"
