"""Which rule an alert is of: its link holds the expression, a list of rules the rest."""

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from superbizagent.domain.alert import Alert
from superbizagent.domain.rule import AlertRule, is_of_alert

__all__ = ["rule_of"]

_PARAMETERS = ("g0.expr", "expr")
"""Of Prometheus and what copies its pages; of vmalert's links to an explorer."""


def rule_of(alert: Alert | None, rules: Sequence[AlertRule]) -> AlertRule | None:
    """Return the rule of an alert, None when nothing says it.

    Args:
        alert: what fired.
        rules: those that the sources list. Of several of one name the one whose expression the
            alert's link holds is taken, else the one that adds the most labels.
    """
    if alert is None:
        return None
    # A pasted rule brings its expression itself.
    told = _expression_of(alert.generator_url) or str(alert.extra.get("expr", ""))
    fitting = [rule for rule in rules if is_of_alert(rule, alert)]
    same = [rule for rule in fitting if _squeezed(rule.expression) == _squeezed(told)]
    if told and not same:
        # It is written otherwise, or was changed since; what fired is what the link says.
        known = fitting[0] if len(fitting) == 1 else AlertRule(name=alert.name, expression=told)
        return known.model_copy(update={"expression": told})
    chosen = same or fitting
    return max(chosen, key=lambda rule: len(rule.labels), default=None)


def _expression_of(link: str) -> str:
    try:
        asked = parse_qs(urlsplit(link).query)
    except ValueError:
        return ""
    return next((asked[name][0].strip() for name in _PARAMETERS if name in asked), "")


def _squeezed(text: str) -> str:
    return "".join(text.split())
