"""The frame of a diagnosis: windows, entities, assumptions."""

from datetime import UTC, datetime, timedelta

import pytest

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.entity import Entity
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import Signal, SourceDescription, Survey
from superbizagent.domain.window import Window
from superbizagent.investigation.scope import scope_incident

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
LABELS = ("service_name", "service", "job")


def minutes(n: float) -> timedelta:
    return timedelta(minutes=n)


def source(**fields: object) -> SourceDescription:
    defaults: dict[str, object] = {
        "name": "bundle",
        "kind": "bundle",
        "signals": (Signal.METRICS,),
        "entities": (
            Entity(name="web"),
            Entity(name="orders"),
            Entity(name="db", kind="database"),
            Entity(name="mail"),
            Entity(name="node-1", kind="host"),
        ),
        "label_values": {"job": ("web", "orders", "db", "mail")},
        "extent": Window(start=NOW - minutes(60), end=NOW),
        "scrape_interval": timedelta(seconds=5),
    }
    return SourceDescription.model_validate({**defaults, **fields})


TOPOLOGY = Topology(edges=(Edge(caller="web", callee="orders"), Edge(caller="orders", callee="db")))


def scope(incident: Incident, *sources: SourceDescription, topology: Topology = TOPOLOGY) -> Scope:
    survey = Survey(sources=sources or (source(),), topology=topology)
    return scope_incident(incident, survey, LABELS)


def alert(**fields: object) -> Alert:
    defaults: dict[str, object] = {
        "labels": {"alertname": "HighErrorRate", "service": "orders"},
        "starts_at": NOW - minutes(10),
    }
    return Alert.model_validate({**defaults, **fields})


def test_window_opens_before_the_alert_fired_because_the_symptom_is_older() -> None:
    found = scope(Incident(alerts=(alert(),), received_at=NOW))
    assert found.windows.incident.start == NOW - minutes(15) - timedelta(seconds=5)
    assert found.windows.incident.end == NOW


def test_resolved_alert_ends_the_window() -> None:
    resolved = alert(status=AlertStatus.RESOLVED, ends_at=NOW - minutes(4))
    found = scope(Incident(alerts=(resolved,), received_at=NOW))
    assert found.windows.incident.end == NOW - minutes(4)


def test_window_is_at_most_an_hour() -> None:
    old = alert(starts_at=NOW - minutes(300))
    wide = source(extent=Window(start=NOW - minutes(600), end=NOW))
    found = scope(Incident(alerts=(old,), received_at=NOW), wide)
    assert found.windows.incident.length == minutes(60)
    assert found.windows.incident.covers(NOW - minutes(300))


def test_baseline_ends_two_minutes_before_and_stays_in_the_data() -> None:
    found = scope(Incident(alerts=(alert(),), received_at=NOW))
    (baseline,) = found.windows.baselines
    assert baseline.end == found.windows.incident.start - minutes(2)
    assert baseline.start == NOW - minutes(60)


def test_without_earlier_data_there_is_no_baseline_and_it_says_so() -> None:
    short = source(extent=Window(start=NOW - minutes(9), end=NOW))
    found = scope(Incident(alerts=(alert(),), received_at=NOW), short)
    assert found.windows.baselines == ()
    assert "no_baseline" in [a.code for a in found.assumptions]


def test_of_a_server_that_is_young_two_thirds_are_left_to_compare_with() -> None:
    young = source(kind="prometheus", extent=Window(start=NOW - minutes(13), end=NOW))
    found = scope(Incident(alerts=(alert(),), received_at=NOW), young)
    assert found.windows.incident.start == NOW - minutes(11)
    [baseline] = found.windows.baselines
    assert baseline.start == NOW - minutes(13)
    assert baseline.end == NOW - minutes(11) - timedelta(seconds=40)


def test_an_alert_from_before_all_data_has_no_baseline() -> None:
    young = source(kind="prometheus", extent=Window(start=NOW - minutes(5), end=NOW))
    found = scope(Incident(alerts=(alert(),), received_at=NOW), young)
    assert found.windows.baselines == ()
    assert found.windows.incident.start == NOW - minutes(15) - timedelta(seconds=5)


def test_question_without_a_time_takes_the_last_hour_and_says_so() -> None:
    long = source(extent=Window(start=NOW - minutes(600), end=NOW))
    found = scope(Incident(question="why is orders slow", received_at=NOW), long)
    assert found.windows.incident == Window(start=NOW - minutes(60), end=NOW)
    assert [a.code for a in found.assumptions] == ["last_hour"]
    assert [e.name for e in found.entities] == ["orders"]


def test_question_about_a_short_recording_leaves_something_to_compare_with() -> None:
    found = scope(Incident(question="why is orders slow", received_at=NOW))
    assert found.windows.incident == Window(start=NOW - minutes(20), end=NOW)
    (baseline,) = found.windows.baselines
    assert baseline == Window(start=NOW - minutes(60), end=NOW - minutes(22))


def test_future_alert_is_not_believed() -> None:
    found = scope(Incident(alerts=(alert(starts_at=NOW + minutes(90)),), received_at=NOW))
    assert "alert_time_in_future" in [a.code for a in found.assumptions]
    assert found.windows.incident.end == NOW


def test_everything_downstream_is_near_callers_for_one_hop_only() -> None:
    at_db = alert(labels={"alertname": "Slow", "service": "db"})
    assert [e.name for e in scope(Incident(alerts=(at_db,), received_at=NOW)).neighbours] == [
        "orders",
        "node-1",
    ]
    at_web = alert(labels={"alertname": "Slow", "service": "web"})
    assert [e.name for e in scope(Incident(alerts=(at_web,), received_at=NOW)).neighbours] == [
        "orders",
        "db",
        "node-1",
    ]


def test_what_callers_call_beside_it_is_near_but_only_a_few_of_many() -> None:
    many = [f"leaf-{n}" for n in range(9)]
    known = source(entities=tuple(Entity(name=n) for n in ("web", "orders", "db", "batch", *many)))
    edges = [
        *(Edge(caller="orders", callee=name) for name in (*many, "db")),
        *(Edge(caller="batch", callee=name) for name in ("leaf-7", "db")),
        Edge(caller="web", callee="orders"),
        Edge(caller="web", callee="far"),
    ]
    at_db = alert(labels={"alertname": "Slow", "service": "db"})
    graph = Topology(edges=tuple(edges))
    found = scope(Incident(alerts=(at_db,), received_at=NOW), known, topology=graph)
    # Those that share most callers first; what is beside a caller is three hops away.
    beside = ["leaf-7", "leaf-0", "leaf-1", "leaf-2"]
    assert [e.name for e in found.neighbours] == ["batch", "orders", *beside]


def test_unknown_service_reaches_nothing_and_names_what_is_near() -> None:
    unknown = alert(labels={"alertname": "Slow", "service": "order"})
    found = scope(Incident(alerts=(unknown,), received_at=NOW))
    assert found.everything == ()
    assert [(r.name, r.near) for r in found.unresolved] == [("order", ("orders",))]


def test_alert_without_labels_takes_every_entity() -> None:
    found = scope(Incident(alerts=(alert(labels={}),), received_at=NOW))
    assert {e.name for e in found.everything} == {"web", "orders", "db", "mail", "node-1"}
    assert "all_entities" in [a.code for a in found.assumptions]


def test_alias_names_the_same_entity() -> None:
    known = source(aliases={"orders-v2": "orders"})
    named = alert(labels={"alertname": "Slow", "service": "orders-v2"})
    found = scope(Incident(alerts=(named,), received_at=NOW), known)
    assert [e.name for e in found.entities] == ["orders"]


def test_callers_words_come_before_the_alerts() -> None:
    found = scope(Incident(alerts=(alert(),), services=("db",), received_at=NOW))
    assert [e.name for e in found.entities] == ["db"]


@pytest.mark.parametrize("severity", ["page", "critical"])
def test_the_severest_firing_alert_leads(severity: str) -> None:
    minor = alert(labels={"alertname": "Minor", "service": "web", "severity": "warning"})
    major = alert(labels={"alertname": "Major", "service": "orders", "severity": severity})
    over = alert(
        labels={"alertname": "Over", "service": "db", "severity": "critical"},
        status=AlertStatus.RESOLVED,
    )
    found = scope(Incident(alerts=(over, minor, major), received_at=NOW))
    assert found.alert is not None
    assert found.alert.name == "Major"
    assert found.alert_identifiers == ("Major", "orders")


def test_recording_brings_its_own_alert_unless_the_caller_has_one() -> None:
    recorded = source(alerts=(alert(labels={"alertname": "Recorded", "service": "web"}),))
    found = scope(Incident(received_at=NOW), recorded)
    assert found.alert is not None
    assert found.alert.name == "Recorded"
    found = scope(Incident(alerts=(alert(),), received_at=NOW), recorded)
    assert found.alert is not None
    assert found.alert.name == "HighErrorRate"


def test_normal_recordings_are_further_baselines() -> None:
    other_day = Window(start=NOW - minutes(2000), end=NOW - minutes(1900))
    found = scope(Incident(alerts=(alert(),), received_at=NOW), source(normal=(other_day,)))
    assert len(found.windows.baselines) == 2
    assert found.windows.baselines[1] == other_day


def test_misspelt_service_of_a_question_is_not_taken_for_another() -> None:
    hyphened = source(entities=(Entity(name="order-service"), Entity(name="mail")))
    found = scope(Incident(question="why is ordr-service slow", received_at=NOW), hyphened)
    assert [(r.name, r.near) for r in found.unresolved] == [("ordr-service", ("order-service",))]
    assert found.everything == ()
    found = scope(Incident(question="what is up-to-date here", received_at=NOW), hyphened)
    assert found.unresolved == ()
    assert len(found.everything) == 2


PLACES = source(
    entities=(
        Entity(name="orders", namespace="prod", cluster="eu"),
        Entity(name="orders", namespace="test", cluster="eu"),
        Entity(name="db", kind="database", namespace="prod", cluster="eu"),
        Entity(name="db", kind="database", namespace="test", cluster="eu"),
        Entity(name="db", kind="database", namespace="prod", cluster="us"),
        Entity(name="mail"),
    )
)


def test_an_alert_is_about_the_entity_of_its_own_namespace_and_so_are_its_neighbours() -> None:
    told = alert(labels={"alertname": "A", "service": "orders", "namespace": "prod"})
    found = scope(Incident(alerts=(told,), received_at=NOW), PLACES)
    assert [e.path for e in found.everything] == ["eu/prod/service/orders", "eu/prod/database/db"]
    assert found.catalogue.of_labels({"job": "orders"}, ("job",)) == found.entities[0]
    elsewhere = {"job": "orders", "namespace": "test"}
    assert found.catalogue.of_labels(elsewhere, ("job",)) is None
    assert found.assumptions == ()


def test_an_alert_of_another_namespace_names_nobody() -> None:
    told = alert(labels={"alertname": "A", "service": "orders", "namespace": "stage"})
    found = scope(Incident(alerts=(told,), received_at=NOW), PLACES)
    assert found.everything == ()
    assert found.unresolved[0].near == ("eu/prod/orders", "eu/test/orders")


@pytest.mark.parametrize(
    "incident",
    [
        Incident(services=("orders",), received_at=NOW, at=NOW),
        Incident(question="why is orders slow?", received_at=NOW, at=NOW),
    ],
)
def test_a_name_of_several_places_is_said_to_be_one(incident: Incident) -> None:
    found = scope(incident, PLACES)
    assert [e.namespace for e in found.entities] == ["prod", "test"]
    (said,) = [a for a in found.assumptions if a.code == "ambiguous_name"]
    assert (said.names, said.flag) == (("eu/prod/orders", "eu/test/orders"), "--service")


@pytest.mark.parametrize(
    "incident",
    [
        Incident(services=("test/orders",), received_at=NOW, at=NOW),
        Incident(question="why is eu/test/orders slow?", received_at=NOW, at=NOW),
    ],
)
def test_a_place_before_the_name_chooses(incident: Incident) -> None:
    found = scope(incident, PLACES)
    assert [e.path for e in found.entities] == ["eu/test/service/orders"]
    assert not [a for a in found.assumptions if a.code == "ambiguous_name"]
