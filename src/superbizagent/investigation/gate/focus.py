"""Check ``payload_focus``: does the report speak of what the payload was about?"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from superbizagent.analysis.rows.fact import FactKind, RowFact
from superbizagent.domain.alert import Alert
from superbizagent.domain.evaluation import AiopsCheck, AiopsCheckId
from superbizagent.domain.model import Model
from superbizagent.domain.scope import Scope
from superbizagent.investigation.gate.normalise import PlainText, compact
from superbizagent.investigation.gate.ruling import Ruling, failed, passed, warned

__all__ = [
    "IdentifierKind",
    "PayloadIdentifier",
    "check_focus",
    "identifiers_of_alerts",
    "identifiers_of_rows",
    "identifiers_of_scope",
]

SERVICE_LABELS = (
    "service_name",
    "service",
    "app",
    "application",
    "app_kubernetes_io_name",
    "job",
    "container",
)
"""Labels whose value names a service, first match wins; the default of the setting."""
_LISTED = 5


class IdentifierKind(StrEnum):
    """What an identifier names."""

    ALERT = "alert"
    SERVICE = "service"
    INSTANCE = "instance"


class PayloadIdentifier(Model):
    """A name the report is expected to mention, with the other names for the same thing."""

    kind: IdentifierKind
    value: str
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that will do."""
        return (self.value, *self.aliases)


def identifiers_of_alerts(
    alerts: Iterable[Alert],
    service_labels: Sequence[str] = SERVICE_LABELS,
    aliases: Mapping[str, str] | None = None,
) -> tuple[PayloadIdentifier, ...]:
    """Return the key identifiers of a payload: alert name and service, else the instance.

    Args:
        alerts: the payload's alerts.
        service_labels: labels that name a service, first match wins.
        aliases: other name -> name, as the sources know them.
    """
    found: dict[tuple[IdentifierKind, str], PayloadIdentifier] = {}
    for alert in alerts:
        labels = alert.labels
        service = next((labels[key] for key in service_labels if labels.get(key)), "")
        wanted = [(IdentifierKind.ALERT, alert.name), (IdentifierKind.SERVICE, service)]
        if not service:  # an instance is looked for only where nothing better names the target
            wanted.append((IdentifierKind.INSTANCE, labels.get("instance", "")))
        for kind, value in wanted:
            if compact(value):
                others = _other_names(value, aliases or {})
                item = PayloadIdentifier(kind=kind, value=value, aliases=others)
                found.setdefault((kind, compact(value)), item)
    return tuple(found.values())


def identifiers_of_scope(
    scope: Scope, service_labels: Sequence[str] = SERVICE_LABELS
) -> tuple[PayloadIdentifier, ...]:
    """Return the identifiers of the payload behind a scope.

    Without alerts these are the entities that were named; with neither there are none.
    """
    aliases = scope.catalogue.aliases
    if scope.incident.alerts:
        return identifiers_of_alerts(scope.incident.alerts, service_labels, aliases)
    services = dict.fromkeys((*scope.incident.services, *(e.name for e in scope.entities)))
    return tuple(
        PayloadIdentifier(
            kind=IdentifierKind.SERVICE, value=name, aliases=_other_names(name, aliases)
        )
        for name in services
    )


def identifiers_of_rows(facts: Iterable[RowFact]) -> tuple[PayloadIdentifier, ...]:
    """Return the alerts that the session's own rows hold: the scope of a run without payload."""
    found: dict[tuple[IdentifierKind, str], PayloadIdentifier] = {}
    for fact in facts:
        if fact.kind is not FactKind.ALERT:
            continue
        for kind, value in (
            (IdentifierKind.ALERT, fact.name),
            (IdentifierKind.SERVICE, fact.entity),
        ):
            if compact(value):
                found.setdefault((kind, compact(value)), PayloadIdentifier(kind=kind, value=value))
    return tuple(found.values())


def check_focus(
    report: PlainText,
    payload: Sequence[PayloadIdentifier],
    facts: Iterable[RowFact],
    *,
    fail_off_target: bool = False,
) -> AiopsCheck:
    """Judge whether the report names what the payload named.

    Args:
        report: the stored text, prepared.
        payload: identifiers of the payload; empty when there was none.
        facts: facts of the session's rows; can be read more than once.
        fail_off_target: a report that names none of them and is about another alert or service
            of the evidence is FAIL instead of WARN.
    """
    wanted = tuple(payload) or identifiers_of_rows(facts)
    missing = [w for w in wanted if not any(report.names(name) for name in w.names)]
    if wanted and len(missing) == len(wanted):
        others = _others_named(report, wanted, facts)
        ruling = _off_target(wanted, others, fail=fail_off_target)
    else:
        ruling = _on_target(wanted, missing)
    return ruling.check(AiopsCheckId.PAYLOAD_FOCUS)


def _on_target(wanted: Sequence[PayloadIdentifier], missing: Sequence[PayloadIdentifier]) -> Ruling:
    if not wanted:
        return passed(
            "not_applicable",
            "not_applicable: no payload and no alert in the session's rows",
            expected="any report",
            found="no payload",
        )
    if not missing:
        return passed(
            "named", "the payload is named", expected=_expectation(wanted), found="all named"
        )
    named = [item.value for item in wanted if item not in missing]
    return warned(
        "some_missing",
        f"not named: {_listed(item.value for item in missing)}",
        expected=_expectation(wanted),
        found=f"only {_listed(named)}",
    )


def _off_target(
    wanted: Sequence[PayloadIdentifier], others: Sequence[str], *, fail: bool
) -> Ruling:
    expected = _expectation(wanted)
    if not others:
        message = "nothing of the payload is named"
        return warned("none_named", message, expected=expected, found="none")
    rule = failed if fail else warned
    message = "the report is about something else than the payload"
    return rule("off_target", message, expected=expected, found=f"instead: {_listed(others)}")


def _expectation(wanted: Sequence[PayloadIdentifier]) -> str:
    return f"the report names {_listed(item.value for item in wanted)}"


def _others_named(
    report: PlainText, wanted: Sequence[PayloadIdentifier], facts: Iterable[RowFact]
) -> list[str]:
    """Return alerts and services of the evidence that the report names, the payload's aside."""
    own = {compact(name) for item in wanted for name in item.names}
    known: set[str] = set()
    for fact in facts:
        known |= {fact.entity, fact.name} if fact.kind is FactKind.ALERT else {fact.entity}
    return sorted(name for name in known if compact(name) not in own and report.names(name))


def _other_names(value: str, aliases: Mapping[str, str]) -> tuple[str, ...]:
    target = aliases.get(value, value)
    names = {target, *(other for other, name in aliases.items() if name == target)}
    return tuple(sorted(names - {value}))


def _listed(names: Iterable[str]) -> str:
    """Return names for a message: a payload of 200 alerts must not fill the screen."""
    listed = list(names)
    rest = len(listed) - _LISTED
    shown = ", ".join(listed[:_LISTED])
    return f"{shown} and {rest} more" if rest > 0 else shown
