"""What is a storm, whom it names, and which of its alerts can be cited."""

from datetime import UTC, datetime

from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Catalogue, Entity
from superbizagent.domain.incident import Incident
from superbizagent.domain.source import SourceDescription, Survey
from superbizagent.investigation.scope import scope_incident
from superbizagent.investigation.storm import is_storm, storm_entities

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
LABELS = ("service", "job", "host")


def incident(*labels: dict[str, str]) -> Incident:
    alerts = tuple(Alert(labels={"alertname": "X", **own}, starts_at=NOW) for own in labels)
    return Incident(alerts=alerts, received_at=NOW)


def of(*names: str) -> Incident:
    return incident(*({"service": name} for name in names))


def test_three_alerts_of_two_entities_are_a_storm() -> None:
    assert is_storm(of("a", "b", "b"), LABELS)
    assert not is_storm(of("a", "b"), LABELS)
    assert not is_storm(of("a", "a", "a"), LABELS)
    assert not is_storm(incident({}, {}, {}), LABELS)


def test_both_ends_of_a_call_are_entities() -> None:
    calls = incident({"client": "a", "server": "b"}, {}, {})
    assert is_storm(calls, LABELS)
    assert [e.name for e in storm_entities(calls, Catalogue(), LABELS)] == ["a", "b"]


def test_who_is_known_keeps_the_identity_that_sources_give() -> None:
    known = Entity(name="a", namespace="shop", cluster="eu")
    catalogue = Catalogue.of([known], {"a-alias": "a"})
    found = storm_entities(of("a", "a-alias", "b"), catalogue, LABELS)
    assert found == (known, Entity(name="b"))


def test_an_alert_that_a_later_label_ties_to_a_source_names_nobody_else() -> None:
    catalogue = Catalogue.of([Entity(name="a")], {})
    alerts = incident({"service": "a-svc", "job": "a"}, {"service": "b"}, {"host": "h1"})
    found = storm_entities(alerts, catalogue, LABELS)
    assert found == (Entity(name="a"), Entity(name="b"), Entity(name="h1", kind="host"))


def test_a_name_of_two_places_is_not_guessed() -> None:
    places = [Entity(name="a", namespace=space) for space in ("one", "two")]
    found = storm_entities(of("a", "b", "c"), Catalogue.of(places, {}), LABELS)
    assert [e.name for e in found] == ["b", "c"]


def test_all_that_a_storm_names_is_in_scope_and_nothing_of_fewer_alerts() -> None:
    survey = Survey(sources=(SourceDescription(name="payload", kind="payload"),))
    storm = scope_incident(of("a", "b", "c"), survey, LABELS)
    assert [e.name for e in storm.entities] == ["a"]
    assert [e.name for e in storm.neighbours] == ["b", "c"]
    assert storm.unresolved == ()
    pair = scope_incident(of("a", "b"), survey, LABELS)
    assert pair.everything == ()
    assert [missed.name for missed in pair.unresolved] == ["a"]
