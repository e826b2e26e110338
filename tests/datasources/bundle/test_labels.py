"""Which label of a series says whose it is."""

from superbizagent.datasources.bundle.labels import DEFAULT_LABEL_KINDS, index_entities
from superbizagent.domain.entity import Entity
from superbizagent.domain.series import Labels


def names(*labels: Labels, kinds: dict[str, str] | None = None) -> list[str]:
    index = index_entities(labels, DEFAULT_LABEL_KINDS, kinds or {})
    return [e.path for e in (*index.entities.values(), *index.others)]


def test_the_first_mapped_label_is_the_entity() -> None:
    index = index_entities(
        [
            {"__name__": "a", "job": "spring", "service": "order"},
            {"__name__": "b", "job": "spring", "service": "order"},
            {"__name__": "c", "job": "db"},
            {"__name__": "d", "instance": "h:1"},
        ],
        DEFAULT_LABEL_KINDS,
        {},
    )
    assert index.label_values == {"service": ("order",), "job": ("db",)}
    assert list(index.entities) == ["db", "order"]
    assert index.notes == [
        "2 series carry both 'service' and 'job'; 'service' was taken as their entity"
    ]


def test_equal_values_are_no_ambiguity() -> None:
    index = index_entities([{"job": "order", "service": "order"}], DEFAULT_LABEL_KINDS, {})
    assert index.notes == []


def test_machines_and_the_front_door_are_no_services() -> None:
    assert names({"job": "node"}, {"host": "h1"}, {"service": "_entry"}) == [
        "//entry/_entry",
        "//host/h1",
        "//host/node",
    ]


def test_the_topology_decides_the_kind() -> None:
    assert names({"job": "mysqld"}, kinds={"mysqld": "database"}) == ["//database/mysqld"]


def test_equal_names_in_two_namespaces_are_two_entities() -> None:
    found = names(
        {"service": "order", "namespace": "a"},
        {"service": "order", "namespace": "b"},
        {"service": "stock", "namespace": "a"},
        {"service": "stock"},
    )
    assert found == ["/a/service/order", "/a/service/stock", "/b/service/order"]


def test_another_mapping_is_a_parameter() -> None:
    index = index_entities([{"component": "x", "job": "y"}], {"component": "function"}, {})
    assert index.entities == {"x": Entity(name="x", kind="function")}
