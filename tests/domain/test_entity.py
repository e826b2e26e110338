"""Equal names in different places are different things; a name without a place may be either."""

import pytest

from superbizagent.domain.entity import Catalogue, Entity

EU = Entity(name="orders", namespace="shop", cluster="eu")
US = Entity(name="orders", namespace="shop", cluster="us")
SOMEWHERE = Entity(name="orders")
ORDER = ("service", "job")


@pytest.mark.parametrize(
    ("one", "other", "may_be"),
    [
        (EU, EU, True),
        (EU, US, False),
        (EU, SOMEWHERE, True),
        (SOMEWHERE, US, True),
        (EU, Entity(name="orders", cluster="eu"), True),
        (EU, Entity(name="orders", namespace="test"), False),
        (EU, Entity(name="stock", namespace="shop", cluster="eu"), False),
    ],
)
def test_entities_may_be_one_unless_something_tells_them_apart(
    one: Entity,
    other: Entity,
    may_be: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert one.may_be(other) is may_be
    assert other.may_be(one) is may_be


@pytest.mark.parametrize(
    ("entities", "paths"),
    [
        ((SOMEWHERE, EU), ["eu/shop/service/orders"]),
        ((SOMEWHERE, US, EU), ["eu/shop/service/orders", "us/shop/service/orders"]),
        ((SOMEWHERE, SOMEWHERE), ["//service/orders"]),
        ((Entity(name="orders", kind="host"), EU), ["//host/orders", "eu/shop/service/orders"]),
        ((Entity(name="stock"), EU), ["//service/stock", "eu/shop/service/orders"]),
    ],
)
def test_a_name_without_a_place_is_that_of_the_place_another_source_tells(
    entities: tuple[Entity, ...], paths: list[str]
) -> None:
    assert [e.path for e in Catalogue.of(entities, {}).entities] == paths


@pytest.mark.parametrize(
    ("labels", "path"),
    [
        ({"job": "orders", "cluster": "us"}, "us/shop/service/orders"),
        ({"job": "orders", "cluster": "eu", "namespace": "shop"}, "eu/shop/service/orders"),
        ({"job": "orders"}, ""),
        ({"service": "bestellungen", "cluster": "us"}, "us/shop/service/orders"),
        ({"job": "nobody"}, ""),
    ],
)
def test_labels_tell_which_of_equal_names_is_meant(labels: dict[str, str], path: str) -> None:
    catalogue = Catalogue.of((EU, US), {"bestellungen": "orders"})
    found = catalogue.of_labels(labels, ORDER)
    assert (found.path if found else "") == path


HERE = Entity(name="orders", namespace="shop", cluster="eu")
THERE = Entity(name="orders", namespace="shop", cluster="us")
TEST = Entity(name="orders", namespace="test", cluster="eu")
LONE = Entity(name="mail")
KNOWN = Catalogue(entities=(HERE, THERE, TEST, LONE), aliases={"orders-svc": "orders"})


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"service": "orders", "namespace": "shop", "cluster": "eu"}, HERE),
        ({"service": "orders", "namespace": "shop", "cluster": "us"}, THERE),
        ({"job": "orders-svc", "namespace": "test"}, TEST),
        ({"service": "mail", "namespace": "anywhere"}, LONE),
        ({"service": "unheard", "job": "mail"}, LONE),
    ],
)
def test_labels_tell_namesakes_apart(labels: dict[str, str], expected: Entity) -> None:
    assert KNOWN.of_labels(labels, ORDER) == expected


@pytest.mark.parametrize(
    "labels",
    [
        {"service": "orders"},
        {"service": "orders", "namespace": "shop"},
        {"service": "orders", "namespace": "elsewhere"},
        {"service": "order"},
        {},
    ],
)
def test_what_may_be_of_several_is_of_none(labels: dict[str, str]) -> None:
    assert KNOWN.of_labels(labels, ORDER) is None


def test_two_kinds_in_one_place_are_no_ambiguity() -> None:
    kinds = (Entity(name="db"), Entity(name="db", kind="database"))
    assert Catalogue(entities=kinds).of_labels({"job": "db"}, ORDER) == kinds[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("orders", (HERE, THERE, TEST)),
        ("orders-svc", (HERE, THERE, TEST)),
        ("shop/orders", (HERE, THERE)),
        ("eu/shop/orders", (HERE,)),
        ("mail", (LONE,)),
        ("hop/orders", ()),
        ("/mail", ()),
    ],
)
def test_a_name_may_carry_its_place(name: str, expected: tuple[Entity, ...]) -> None:
    assert KNOWN.resolve(name).entities == expected


def test_an_equal_name_elsewhere_is_near_only() -> None:
    found = KNOWN.resolve("orders", {"namespace": "prod"})
    assert found.entities == ()
    assert found.near == ("eu/shop/orders", "us/shop/orders", "eu/test/orders")
    assert KNOWN.resolve("orders", {"namespace": "test", "alertname": "X"}).entity == TEST


def test_a_similar_name_is_near_only() -> None:
    found = KNOWN.resolve("ordres")
    assert (found.entities, found.near) == ((), ("orders",))
    assert KNOWN.resolve("zzz").near == ()


@pytest.mark.parametrize("entity", KNOWN.entities)
def test_a_path_is_read_back(entity: Entity) -> None:
    assert Entity.parse(entity.path) == entity
