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
        ({"job": "orders"}, "eu/shop/service/orders"),
        ({"service": "bestellungen", "cluster": "us"}, "us/shop/service/orders"),
        ({"job": "nobody"}, ""),
    ],
)
def test_labels_tell_which_of_equal_names_is_meant(labels: dict[str, str], path: str) -> None:
    catalogue = Catalogue.of((EU, US), {"bestellungen": "orders"})
    found = catalogue.of_labels(labels, ORDER)
    assert (found.path if found else "") == path
