"""The rule behind an alert, and what its expression was like over the incident."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeGuard

from pydantic import Field

from superbizagent.domain.alert import Alert
from superbizagent.domain.json_values import items, mapping
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["AlertRule", "RuleReading", "is_of_alert", "read_rules", "rules_of"]


_LONGEST_SECONDS = 366 * 86400


class AlertRule(Model):
    """What a server evaluates to decide whether an alert fires."""

    name: str
    expression: str
    hold: timedelta | None = None
    """Its ``for``: how long the expression is true before the alert fires; None: not known."""
    labels: dict[str, str] = Field(default_factory=dict)
    """What the rule adds to the labels of the expression's series."""
    annotations: dict[str, str] = Field(default_factory=dict)
    source: str = ""
    """Name of the data source that lists it; empty when only the alert's own link says it."""


class RuleReading(Model):
    """When the expression was true, as the calls made for it say."""

    rule: AlertRule
    entity: str = ""
    """Path of the entity whose series made it true; empty when they name none or several."""
    onset_at: Instant | None = None
    """First instant of the run of true ones in which the alert fired; None: never true."""
    uncertainty: timedelta = timedelta(0)
    """Step of the evaluation plus how far the expression looks back."""
    at_least: bool = False
    """It was true where the evaluation begins, so it may be so for longer."""
    last_at: Instant | None = None
    """Last instant of that run."""
    holds: bool | None = None
    """Whether it is true at the end of the data; None: not known."""
    reach: timedelta = timedelta(0)
    """How far the part looks back by which the onset was read."""
    since: Instant | None = None
    """From when on there are values of what the rule measures."""
    burn: bool = False
    """The rule compares one quantity over several spans; the onset is that of the shortest."""


def is_of_alert(rule: AlertRule, alert: Alert) -> bool:
    """Tell whether an alert may be of a rule: the same name, and the labels that the rule adds.

    A label whose value is a template (``{{ $labels.job }}``) may have any value.
    """
    fixed = {k: v for k, v in rule.labels.items() if "{{" not in v}
    return rule.name == alert.name and fixed.items() <= alert.labels.items()


def rules_of(rules: Sequence[AlertRule], alerts: Sequence[Alert]) -> tuple[AlertRule, ...]:
    """Return the rules that any of some alerts may be of, in order."""
    return tuple(rule for rule in rules if any(is_of_alert(rule, alert) for alert in alerts))


def read_rules(answer: Any, source: str) -> tuple[AlertRule, ...]:
    """Read the alerting rules of Prometheus's ``/api/v1/rules``, its ``data`` or the whole answer.

    What is malformed is left out: an alert whose rule is not among them has none that is known.
    """
    body = mapping(answer)
    body = mapping(body.get("data")) or body
    found = (_rule(item, source) for group in items(body.get("groups")) for item in _rows(group))
    return tuple(rule for rule in found if rule is not None)


def _rows(group: Any) -> Iterator[Mapping[str, Any]]:
    for item in items(mapping(group).get("rules")):
        row = mapping(item)
        if row.get("type", "alerting") == "alerting":
            yield row


def _rule(row: Mapping[str, Any], source: str) -> AlertRule | None:
    name, expression = row.get("name"), row.get("query")
    if not isinstance(name, str) or not isinstance(expression, str):
        return None
    hold = row.get("duration")
    return AlertRule(
        name=name,
        expression=expression,
        hold=timedelta(seconds=hold) if _is_length(hold) else None,
        labels={str(k): str(v) for k, v in mapping(row.get("labels")).items()},
        annotations={str(k): str(v) for k, v in mapping(row.get("annotations")).items()},
        source=source,
    )


def _is_length(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and 0 <= value <= _LONGEST_SECONDS
