"""The reasoner that needs no model: playbooks are chosen by words that can be pointed at."""

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase

from superbizagent.domain.alert import Alert
from superbizagent.domain.plan import SkillChoice
from superbizagent.domain.protocols import SkillCard
from superbizagent.domain.scope import Scope

__all__ = ["RulesReasoner"]

# An alert name that the playbook was written for says more than any word of a text.
_ALERT_SCORE = 3.0
# A phrase is as telling as two words; "pool" or "timeout" alone fits too many incidents.
_WORD_SCORE, _PHRASE_SCORE = 1.0, 2.0
_ENOUGH = 2.0
_MOST = 3  # more playbooks than this would spend the query budget on checks that cannot hold

_BREAKS = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"  # camelCase, HTTPServer
    r"|(?<=[\u3400-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3400-\u9fff])"
)
_NOT_WORD = re.compile(r"[\W_]+")
_CJK = re.compile(r"[\u3400-\u9fff]")


class RulesReasoner:
    """Chooses playbooks by alert-name patterns and by keywords of the alert and the question."""

    @property
    def name(self) -> str:
        """Always ``rules``."""
        return "rules"

    async def choose_skills(
        self, scope: Scope, skills: Sequence[SkillCard]
    ) -> tuple[SkillChoice, ...]:
        """Return at most three playbooks that match well enough, best first, ties by name."""
        alerts = _alerts(scope)
        text = _searchable(_texts(scope, alerts))
        choices = [_score(card, [a.name for a in alerts if a.name], text) for card in skills]
        taken = [choice for choice in choices if choice.score >= _ENOUGH]
        return tuple(sorted(taken, key=lambda choice: (-choice.score, choice.name))[:_MOST])


def _alerts(scope: Scope) -> list[Alert]:
    """The leading alert, or all of the incident's when none leads."""
    return [scope.alert] if scope.alert is not None else list(scope.incident.alerts)


def _texts(scope: Scope, alerts: Sequence[Alert]) -> list[str]:
    texts = [scope.incident.question, scope.symptom]
    for alert in alerts:
        texts += [alert.name, *alert.annotations.values()]
    return texts


def _score(card: SkillCard, alert_names: Sequence[str], text: str) -> SkillChoice:
    matched: list[str] = []
    score = 0.0
    patterns = [p for p in card.alerts for n in alert_names if fnmatchcase(_fold(n), _fold(p))]
    if patterns:
        matched += [f"alert:{pattern}" for pattern in dict.fromkeys(patterns)]
        score += _ALERT_SCORE
    for keyword in card.keywords:
        wanted = _searchable([keyword]).strip()
        if wanted and _contains(text, wanted):
            matched.append(f"keyword:{keyword}")
            score += _PHRASE_SCORE if _is_phrase(wanted) else _WORD_SCORE
    return SkillChoice(name=card.name, score=score, matched=tuple(matched))


def _contains(text: str, wanted: str) -> bool:
    """Whole words for spaced scripts; anywhere for Chinese, which has no spaces."""
    return wanted in text if _CJK.search(wanted) else f" {wanted} " in text


def _is_phrase(wanted: str) -> bool:
    """Two words, or three Chinese characters: most Chinese words have two."""
    return " " in wanted or len(_CJK.findall(wanted)) > 2


def _searchable(texts: Sequence[str]) -> str:
    """Lower-case words between single blanks; camel case, scripts and separators taken apart."""
    spaced = " ".join(_BREAKS.sub(" ", unicodedata.normalize("NFKC", text)) for text in texts)
    return f" {' '.join(_NOT_WORD.sub(' ', spaced).casefold().split())} "


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
