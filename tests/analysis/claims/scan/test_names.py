"""Names that are known, names that are like them, and words that are no names."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.scan.names import NameTable, find_names
from superbizagent.analysis.claims.scan.sentences import normalise

ENTITIES = {
    name: (f"//{kind}/{name}",)
    for name, kind in (
        ("orders-service", "service"),
        ("order-service", "service"),
        ("orders-db", "database"),
        ("orders-db-replica", "database"),
        ("order-db", "database"),
        ("catalog-api", "service"),
        ("catalog-api-0", "pod"),
        ("catalog-api-1", "pod"),
        ("checkoutservice", "service"),
        ("PaymentSvc", "service"),
        ("gateway", "service"),
        ("node-11", "node"),
        ("node-1-1", "node"),
        ("10.0.0.5:3306", "database"),
        ("Cart (blue)", "service"),
    )
} | {
    "//service/orders-service": ("//service/orders-service",),
    "订单服务": ("//service/orders-service",),
    "结算": ("//service/checkoutservice",),
    "db": ("//database/orders-db", "//database/order-db"),
    "Front": ("a//service/front",),
    "front": ("b//service/front",),
}
METRICS = frozenset(
    {"http_requests_total", "duration_ms", "status", "jvm.memory.used", "job:latency:p99"}
)
TABLE = NameTable(ENTITIES, METRICS)


def known(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(n.text, n.entities) for n in find_names(normalise(text), TABLE) if n.entities]


def unknown(text: str) -> list[str]:
    names = find_names(normalise(text), TABLE)
    return [n.text for n in names if not n.entities and not n.metric]


@pytest.mark.parametrize(
    ("text", "written", "path"),
    [
        ("orders-service failed", "orders-service", "//service/orders-service"),
        ("Orders-Service failed", "Orders-Service", "//service/orders-service"),
        ("the Orders Service failed", "Orders Service", "//service/orders-service"),
        ("the order service failed", "order service", "//service/order-service"),
        ("orders_service failed", "orders_service", "//service/orders-service"),
        ("`orders-service` failed", "orders-service", "//service/orders-service"),
        ("orders\u2011service failed", "orders-service", "//service/orders-service"),
        ("orders-service's pool", "orders-service", "//service/orders-service"),
        ("orders-service的延迟", "orders-service", "//service/orders-service"),
        ("在orders-service中", "orders-service", "//service/orders-service"),
        ("订单服务的延迟", "订单服务", "//service/orders-service"),
        ("因为结算失败", "结算", "//service/checkoutservice"),
        ("the checkout service", "checkout service", "//service/checkoutservice"),
        ("CheckoutService is up", "CheckoutService", "//service/checkoutservice"),
        ("checkout-service is up", "checkout-service", "//service/checkoutservice"),
        ("payment service", "payment service", "//service/PaymentSvc"),
        ("payment 服务超时", "payment 服务", "//service/PaymentSvc"),
        ("the orders database", "orders database", "//database/orders-db"),
        ("orders 数据库超时", "orders 数据库", "//database/orders-db"),
        ("orders-db replica lags", "orders-db replica", "//database/orders-db-replica"),
        ("orders-db-related errors", "orders-db", "//database/orders-db"),
        ("orders-db:3306 refused", "orders-db", "//database/orders-db"),
        ("orders-db.prod.svc.cluster.local", "orders-db", "//database/orders-db"),
        ("orders-db.default.svc refused", "orders-db", "//database/orders-db"),
        ("pod catalog-api-0 failed", "catalog-api-0", "//pod/catalog-api-0"),
        ("pod=catalog-api-0 failed", "catalog-api-0", "//pod/catalog-api-0"),
        ("node11 is full", "node11", "//node/node-11"),
        ("node 11 is full", "node 11", "//node/node-11"),
        ("node-1-1 is full", "node-1-1", "//node/node-1-1"),
        ("10.0.0.5:3306 refused", "10.0.0.5:3306", "//database/10.0.0.5:3306"),
        ("Cart (blue) failed", "Cart (blue)", "//service/Cart (blue)"),
        ("//service/orders-service rose", "//service/orders-service", "//service/orders-service"),
        ("the gateway failed", "gateway", "//service/gateway"),
        ("GATEWAY failed", "GATEWAY", "//service/gateway"),
    ],
)
def test_a_known_name_is_found_in_its_spellings(text: str, written: str, path: str) -> None:
    assert known(text) == [(written, (path,))]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("orders-service/orders-db", ["orders-service", "orders-db"]),
        ("orders-service→orders-db", ["orders-service", "orders-db"]),
        ("orders-service->orders-db", ["orders-service", "orders-db"]),
        ("orders-service-to-orders-db calls", ["orders-service", "orders-db"]),
        ("catalog-api-0、catalog-api-1 和 gateway", ["catalog-api-0", "catalog-api-1", "gateway"]),
        ("catalog-api (catalog-api-1)", ["catalog-api", "catalog-api-1"]),
    ],
)
def test_names_that_stand_together_come_apart(text: str, written: list[str]) -> None:
    assert [name for name, _ in known(text)] == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("catalog-api-7 failed", "catalog-api-7"),
        ("orders-database failed", "orders-database"),
        ("orders-db.staging failed", "orders-db.staging"),
        ("order-db-replica failed", "order-db-replica"),
        ("mysql-replica failed", "mysql-replica"),
        ("payment-7c9f failed", "payment-7c9f"),
        ("api-7d9f8b6c5-x2x4z failed", "api-7d9f8b6c5-x2x4z"),
        ("web-01 failed", "web-01"),
        ("`orders` failed", "orders"),
        ("`orders-srv` failed", "orders-srv"),
        ("the billing service failed", "billing service"),
        ("billing 服务超时", "billing 服务"),
        ("在billing数据库中", "billing数据库"),
        ("http_errors_total rose", "http_errors_total"),
    ],
)
def test_a_word_of_a_names_shape_is_a_name_nobody_knows(text: str, written: str) -> None:
    assert (unknown(text), known(text)) == ([written], [])


@pytest.mark.parametrize(
    "text",
    [
        "a long-running out-of-memory read-only follow-up of p95-latency",
        "the same service, the affected pod, the MySQL database, another service",
        "the failing service and the upstream database of the called service",
        "a 30-second 5-fold top-5 sub-100-ms 24-hour level-3 change",
        "read-replica per-pod multi-node pod-to-pod service-to-service cross-service",
        "UTF-8 SHA-256 OPS-123 CVE-2024-1234 HTTP-500 x86-64 mid-2026 Nov-30",
        "http://unknown-service:8080/x and unknown.example.com and a@b-service.example",
        "`true` `null` `SELECT` `ok` `redis`",
        "该服务, 下游服务, MySQL 数据库, Redis 服务, API 服务, 服务器",
        "well-known end-to-end e-mail time-to-live co-located check-out",
        "check out the search of the load balancer",
        "max_connections and thread_pool",
        "three services and two pods",
    ],
)
def test_plain_language_is_no_name(text: str) -> None:
    assert find_names(normalise(text), TABLE) == ()


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("http_requests_total rose", "http_requests_total"),
        ('http_requests_total{code="500"} rose', "http_requests_total"),
        ("HTTP_requests_total rose", "http_requests_total"),
        ("duration_ms=31", "duration_ms"),
        ("jvm.memory.used rose", "jvm.memory.used"),
        ("job:latency:p99 rose", "job:latency:p99"),
        ("the field `status`", "status"),
    ],
)
def test_metrics_and_fields_are_names_without_an_entity(text: str, metric: str) -> None:
    (name,) = find_names(text, TABLE)

    assert (name.metric, name.entities) == (metric, ())


def test_a_field_that_is_a_plain_word_needs_back_ticks() -> None:
    assert find_names("the status is unknown", TABLE) == ()


def test_a_first_part_that_most_names_share_may_be_left_out() -> None:
    names = [
        "food-service",
        "train-food-service",
        "order-service",
        *(f"a{i}-api" for i in range(9)),
    ]
    table = NameTable({f"ts-{name}": (name,) for name in names})

    assert [n.entities for n in find_names("the food service", table)] == [("food-service",)]
    # With a hyphen it is a name of its own.
    assert [n.entities for n in find_names("food-service", table)] == [()]
    few = NameTable({"ts-food-service": ("food",), "orders-api": ("orders",)})
    assert [n.entities for n in find_names("the food service", few)] == [()]


def test_a_type_behind_a_name_may_be_left_out() -> None:
    table = NameTable(
        {"Cart_AWS::ECS::Task": ("cart",), "stock@host.example_Database::SQL": ("db",)}
    )

    assert [n.entities for n in find_names("Cart failed", table)] == [("cart",)]
    assert [n.entities for n in find_names("the stock database", table)] == [("db",)]
    assert [n.entities for n in find_names("stock 数据库", table)] == [("db",)]
    assert find_names("stock is low in the cart", table) == ()


def test_the_unit_behind_a_metric_may_be_left_out() -> None:
    table = NameTable({}, frozenset({"PodLatencyP90_s", "wait_ms", "wait_s", "Usage_m"}))

    assert [n.metric for n in find_names("PodLatencyP90 rose", table)] == ["PodLatencyP90_s"]
    # Two metrics, or a word that anybody may write.
    assert find_names("wait and Usage", table) == ()


def test_what_stands_for_several_entities_is_ambiguous() -> None:
    assert known("the db failed") == [("db", ("//database/orders-db", "//database/order-db"))]
    assert known("FRONT failed") == [("FRONT", ("a//service/front", "b//service/front"))]
    assert known("Front and front") == [
        ("Front", ("a//service/front",)),
        ("front", ("b//service/front",)),
    ]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("catalog-api-7", "catalog-api-1"),
        ("oders-service", "orders-service"),
        ("orders-database", "orders-db"),
        ("http_request_total", "http_requests_total"),
    ],
)
def test_an_unknown_name_comes_with_the_names_near_it(text: str, near: str) -> None:
    (name,) = find_names(text, TABLE)

    assert near in name.near


def test_a_name_is_not_found_in_a_longer_one() -> None:
    table = NameTable({"orders-db": ("o",), "订单": ("d",), "//db/orders": ("p",)})

    assert [n.text for n in find_names("orders-db-replica", table)] == ["orders-db-replica"]
    assert find_names("//db/orders-2", table) == ()


def test_nothing_is_read_in_what_is_taken() -> None:
    assert [n.start for n in find_names("gateway gateway", TABLE, [(0, 7)])] == [8]


_PIECES = st.sampled_from(
    [*ENTITIES, "-", " ", "/", ".", "`", "服务", "the ", " service", "7", ":", "_"]
)
_TEXT = st.one_of(st.text(), st.lists(_PIECES, max_size=20).map("".join))


@given(_TEXT)
def test_any_text_gives_names_where_they_stand(text: str) -> None:
    text, end = normalise(text), 0
    for name in find_names(text, TABLE):
        assert text[name.start : name.end] == name.text != ""
        assert name.start >= end
        assert not (name.entities and name.metric)
        end = name.end


@given(st.text(), st.dictionaries(st.text(max_size=12), st.just(("path",)), max_size=5))
def test_any_table_can_be_asked(text: str, entities: dict[str, tuple[str, ...]]) -> None:
    table = NameTable(entities, frozenset(entities))
    text = normalise(" ".join([text, *entities]))

    for name in find_names(text, table):
        assert text[name.start : name.end] == name.text


@given(st.sampled_from(["orders-service", "orders-db-replica", "catalog-api-0"]), st.data())
def test_separators_and_case_make_no_other_name(name: str, data: st.DataObject) -> None:
    parts = name.split("-")
    separators = data.draw(st.sampled_from(["-", "_", " "]))
    written = separators.join(data.draw(st.sampled_from([p, p.title(), p.upper()])) for p in parts)

    assert known(f"then {written} failed") == [(written, ENTITIES[name])]


BIG = NameTable(
    {f"svc-{i}-api-{i:x}": (f"//service/{i}",) for i in range(5000)}
    | {f"//service/{i}": (f"//service/{i}",) for i in range(5000)},
    frozenset(f"metric_{i}_total" for i in range(5000)),
)


def test_a_look_up_among_ten_thousand_names_is_quick() -> None:
    text = (
        "svc-77-api-4d and svc-99999-api-3 rose while the svc 3 api 3 fell at /a/b/c, "
        "metric_7_total is 5 and //service/17 is what nobody wants to read twice in one day"
    )
    began = time.process_time()
    names = [find_names(text, BIG) for _ in range(50)][-1]

    # Below 0.5 ms each where nothing else runs.
    assert time.process_time() - began < 0.5
    assert [n.text for n in names if n.entities] == ["svc-77-api-4d", "svc 3 api 3", "//service/17"]
    assert [n.metric for n in names if n.metric] == ["metric_7_total"]


@pytest.mark.parametrize(
    "piece",
    ["svc-1-api-1 ", "svc-", "-", "a", "a.", "/", "`", "the a service ", "服务", "svc-x9-api "],
)
def test_long_text_takes_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    find_names(piece * (100_000 // len(piece)), BIG)

    assert time.process_time() - began < 3
