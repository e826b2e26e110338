"""Whose names the labels of a live server are."""

import pytest

from superbizagent.datasources._entities import entities_of
from superbizagent.domain.series import Labels

KINDS = {"service": "service", "job": "service", "host": "host"}


@pytest.mark.parametrize(
    ("values", "targets", "paths"),
    [
        ({"job": ("orders",)}, (), ["//service/orders"]),
        ({"job": ("node",)}, (), ["//host/node"]),
        ({"host": ("web-1",)}, (), ["//host/web-1"]),
        (
            {"job": ("orders",)},
            ({"job": "orders", "namespace": "shop", "cluster": "eu"},),
            ["eu/shop/service/orders"],
        ),
        (
            {"job": ("orders",)},
            ({"job": "orders", "namespace": "a"}, {"job": "orders", "namespace": "b"}),
            ["/a/service/orders", "/b/service/orders"],
        ),
        (
            {"service": ("orders",), "job": ("orders",)},
            ({"job": "orders", "namespace": "shop"},),
            ["/shop/service/orders"],
        ),
        ({"job": ("orders",)}, ({"job": "stock", "namespace": "shop"},), ["//service/orders"]),
    ],
)
def test_entities_are_where_their_targets_are(
    values: dict[str, tuple[str, ...]], targets: tuple[Labels, ...], paths: list[str]
) -> None:
    assert [e.path for e in entities_of(values, targets, KINDS)] == paths
