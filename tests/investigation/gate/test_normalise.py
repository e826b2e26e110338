"""Names are found however they are written, and only as whole names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.investigation.gate.normalise import PlainText, compact, statements

FOUND = [
    "order-service",
    "Order Service",
    "ORDER_SERVICE is slow",
    "orderservice",
    "OrderService",
    "order.service",
    "the order–service,",
    "服务order-service的连接池",
    "ｏｒｄｅｒ－ｓｅｒｖｉｃｅ 异常",
    "`order-service`",
    "order-service's pool",
    "order-service.default.svc",
    "order-service:8080",
    "order-service-7d9f8c6b5-x2x7k",
    "order-service-0 restarted",
    "order-\nservice",
]
NOT_FOUND = [
    "",
    "order",
    "service",
    "pre-order-service",
    "preorder-service",
    "order-services",
    "order-service-canary",
    "order-service_2x",
    "order-service-v2",
    "border-service",
    "ordering a service",
]


@pytest.mark.parametrize("text", FOUND)
def test_a_name_is_found_however_it_is_written(text: str) -> None:
    assert PlainText.of(text).names("order-service")


@pytest.mark.parametrize("text", NOT_FOUND)
def test_another_name_is_not_taken_for_it(text: str) -> None:
    assert not PlainText.of(text).names("order-service")


def test_a_later_mention_counts() -> None:
    assert PlainText.of("order-service-canary is fine, order-service is not").names("order-service")


def test_an_empty_name_is_never_named() -> None:
    assert not PlainText.of("anything").names("- -")


@given(st.text(max_size=60), st.sampled_from(["order-service", "支付服务", "A_b", "10.0.0.7:8080"]))
def test_a_name_among_spaces_is_always_found(text: str, name: str) -> None:
    plain = PlainText.of(f"{text} ({name}) {text}")
    assert plain.names(name)
    assert plain.names(name.upper().replace("-", "_"))
    assert len(plain.packed) == len(plain.places)


@given(st.lists(st.from_regex(r"[A-Za-z0-9]{1,6}", fullmatch=True), min_size=1))
def test_separators_and_case_do_not_matter(words: list[str]) -> None:
    forms = {compact(joint.join(words)) for joint in (" ", "-", "_", ".", "/", "", "\n")}
    assert forms == {compact("".join(words).swapcase())}


def test_statements_know_their_heading() -> None:
    text = """# Title
## 结论
池已满。

**Evidence:** 50 of 50
**Next steps**
- restart
| --- | --- |
Summary: short
"""
    assert statements(text) == (
        ("Title", ""),
        ("结论", ""),
        ("结论", "池已满。"),
        ("Evidence", "50 of 50"),
        ("Next steps", ""),
        ("Next steps", "- restart"),
        ("Summary", "short"),
    )
