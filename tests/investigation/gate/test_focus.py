"""What the payload named, by the kinds of payload there are."""

from gate_rows import ALERT, alert_row, check, gate
from stored_session import scope_of
from superbizagent.analysis.rows.reading import read_facts
from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Catalogue, Entity
from superbizagent.domain.evaluation import CheckStatus
from superbizagent.investigation.gate.focus import (
    IdentifierKind,
    PayloadIdentifier,
    identifiers_of_alerts,
    identifiers_of_rows,
    identifiers_of_scope,
)


def values(found: tuple[PayloadIdentifier, ...]) -> list[tuple[str, str]]:
    return [(item.kind.value, item.value) for item in found]


def test_a_payload_of_alerts() -> None:
    assert values(identifiers_of_scope(scope_of(ALERT))) == [
        ("alert", "MySQLConnectionPoolExhausted"),
        ("service", "order-service"),
    ]


def test_the_labels_that_name_a_service_are_a_setting() -> None:
    alert = Alert(labels={"alertname": "Slow", "team_app": "billing", "service": "x"})
    assert values(identifiers_of_alerts((alert,), ("team_app",)))[1] == ("service", "billing")


def test_a_question_names_services() -> None:
    scope = scope_of()
    incident = scope.incident.model_copy(update={"services": ("billing",)})
    catalogue = Catalogue(aliases={"payments": "billing"})
    entities = (Entity(name="billing"), Entity(name="ledger"))
    asked = scope.model_copy(
        update={"incident": incident, "entities": entities, "catalogue": catalogue}
    )
    found = identifiers_of_scope(asked)
    assert values(found) == [("service", "billing"), ("service", "ledger")]
    assert found[0].names == ("billing", "payments")


def test_an_alert_without_any_label_names_nothing() -> None:
    assert identifiers_of_alerts((Alert(),)) == ()
    assert check(gate(payload=()), "payload_focus").status is CheckStatus.PASS


def test_alerts_of_the_rows() -> None:
    facts = (*read_facts(alert_row()), *read_facts(alert_row()))
    assert values(identifiers_of_rows(facts)) == [
        (IdentifierKind.ALERT, "MySQLConnectionPoolExhausted"),
        (IdentifierKind.SERVICE, "order-service"),
    ]
    bare = read_facts(alert_row(name=""))
    assert values(identifiers_of_rows(bare)) == [(IdentifierKind.SERVICE, "order-service")]


def test_a_payload_of_many_alerts_does_not_fill_the_screen() -> None:
    alerts = [Alert(labels={"alertname": f"A{n}"}) for n in range(100)]
    text = "## Conclusion\nIt is slow: 50 of 50 connections are busy."
    found = check(gate(text, payload=identifiers_of_alerts(alerts)), "payload_focus")
    assert found.message == "nothing of the payload is named"
    assert found.expected == "the report names A0, A1, A2, A3, A4 and 95 more"
