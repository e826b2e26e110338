"""Check ``payload_focus``: does the report speak of what the payload was about?"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from superbizagent.domain.alert import Alert
from superbizagent.domain.evaluation import AiopsCheck, AiopsCheckId, CheckStatus
from superbizagent.domain.model import Model
from superbizagent.domain.scope import Scope
from superbizagent.investigation.gate.normalise import PlainText, compact
from superbizagent.investigation.rows.fact import FactKind, RowFact

__all__ = [
    "IdentifierKind",
    "PayloadIdentifier",
    "check_focus",
    "identifiers_of_alerts",
    "identifiers_of_rows",
    "identifiers_of_scope",
]

SERVICE_LABELS = ("service_name", "service", "app", "app_kubernetes_io_name", "job", "container")
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
    facts: Sequence[RowFact],
    *,
    fail_off_target: bool = False,
) -> AiopsCheck:
    """Judge whether the report names what the payload named.

    Args:
        report: the stored text, prepared.
        payload: identifiers of the payload; empty when there was none.
        facts: facts of the session's rows.
        fail_off_target: a report that names none of them and is about another alert or service
            of the evidence is FAIL instead of WARN.
    """
    wanted = tuple(payload) or identifiers_of_rows(facts)
    if not wanted:
        return _check(
            CheckStatus.PASS,
            "not_applicable",
            "not_applicable: no payload and no alert in the session's rows",
            "any report",
            "no payload",
        )
    missing = [w for w in wanted if not any(report.names(name) for name in w.names)]
    expected = f"the report names {_listed(w.value for w in wanted)}"
    if not missing:
        return _check(CheckStatus.PASS, "named", "the payload is named", expected, "all named")
    if len(missing) < len(wanted):
        named = [w.value for w in wanted if w not in missing]
        return _check(
            CheckStatus.WARN,
            "some_missing",
            f"not named: {_listed(m.value for m in missing)}",
            expected,
            f"only {_listed(named)}",
        )
    others = _others_named(report, wanted, facts)
    if not others:
        return _check(
            CheckStatus.WARN, "none_named", "nothing of the payload is named", expected, "none"
        )
    return _check(
        CheckStatus.FAIL if fail_off_target else CheckStatus.WARN,
        "off_target",
        "the report is about something else than the payload",
        expected,
        f"instead: {_listed(others)}",
    )


def _others_named(
    report: PlainText, wanted: Sequence[PayloadIdentifier], facts: Sequence[RowFact]
) -> list[str]:
    """Return alerts and services of the evidence that the report names, the payload's aside."""
    own = {compact(name) for item in wanted for name in item.names}
    known = {f.entity for f in facts} | {f.name for f in facts if f.kind is FactKind.ALERT}
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


def _check(status: CheckStatus, rule: str, message: str, expected: str, found: str) -> AiopsCheck:
    check_id = AiopsCheckId.PAYLOAD_FOCUS
    return AiopsCheck(
        id=check_id,
        rule_id=f"{check_id}.{rule}",
        status=status,
        message=message,
        expected=expected,
        found=found,
    )
