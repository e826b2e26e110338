"""Templates out of messages: what varies becomes a wildcard, what differs stays apart."""

import polars as pl
import pytest
from inline_snapshot import snapshot

from superbizagent.analysis._masks import key_of, mask
from superbizagent.analysis._split_tree import templates_of


def _templates(*messages: str) -> list[str]:
    return templates_of(mask(pl.Series(messages, dtype=pl.String)).to_list())


@pytest.mark.parametrize(
    ("message", "template"),
    [
        ("took 15ms and 3 MB", "took <*> and <*>"),
        ("user alice@example.org logged in", "user <*> logged in"),
        ("GET https://shop.test/a?b=1 done", "GET <*> done"),
        ("open /var/log/app/x.log failed", "open <*> failed"),
        ("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 gone", "id <*> gone"),
        ("from 10.1.2.3:8080 and db.local:3306", "from <*> and <*>"),
        ("at Mon Jan 12 15:04:05 2026 UTC", "at <*> UTC"),
        ("hash 9f86d081 cafe", "hash <*> cafe"),
        ("pool_active=50 pool_max=50", "pool_active=<*> pool_max=<*>"),
        ("\x1b[31mfailed\x1b[0m hard", "failed hard"),
        ("plain words only", "plain words only"),
        ("", ""),
    ],
)
def test_variable_parts_are_masked(message: str, template: str) -> None:
    assert _templates(message) == [template]


def test_words_that_vary_after_a_key_are_variables() -> None:
    messages = [f"login ok user={name} from gate" for name in ("ann", "bob", "eve")]
    assert set(_templates(*messages)) == {"login ok user=<*> from gate"}


def test_a_few_words_that_differ_stay_apart() -> None:
    assert _templates("disk is full", "disk is fine", "disk is gone") == [
        "disk is full",
        "disk is fine",
        "disk is gone",
    ]


def test_many_words_in_one_place_are_a_variable() -> None:
    names = [chr(97 + k) * 5 for k in range(26)]
    assert set(_templates(*[f"rotating {n} now please" for n in names])) == {
        "rotating <*> now please"
    }


def test_one_word_messages_do_not_collapse() -> None:
    words = [chr(97 + k) * 5 for k in range(26)]
    assert _templates(*words) == words


def test_chinese_messages_have_readable_templates() -> None:
    names = ["张三", "李四", "王五", "赵六", "钱七", "孙八", "周九", "吴十", "郑一"]
    found = set(_templates(*[f"用户{n}登录失败，来源IP 10.0.0.{k}" for k, n in enumerate(names)]))
    assert found == snapshot({"用户<*>登录失败，来源IP <*>"})


def test_the_result_does_not_depend_on_the_order_of_messages() -> None:
    messages = [f"job {w} on node {n} done" for w in ("copy", "move") for n in "abcdefghij"]
    forward = dict(zip(messages, _templates(*messages), strict=True))
    turned = messages[::-1]
    assert dict(zip(turned, _templates(*turned), strict=True)) == forward


def test_many_messages_are_learnt_from_in_part_and_the_rest_matched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["".join(chr(97 + (k * 7 + 3 * j) % 26) for j in range(6)) for k in range(26)]
    messages = [f"login of {a} via {b} ok" for a in names for b in names]
    messages += [f"{a} was put aside now" for a in names for _ in names]
    messages += [f"{a} {b} are friends again" for a in names for b in names]
    whole = _templates(*messages)
    monkeypatch.setattr("superbizagent.analysis._split_tree._LEARN_AT_MOST", 700)
    assert _templates(*messages) == whole
    assert set(whole) == {
        "login of <*> via <*> ok",
        "<*> was put aside now",
        "<*> are friends again",
    }


def test_messages_unlike_each_other_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("superbizagent.analysis._split_tree._LEARN_AT_MOST", 2)
    messages = ["disk is full", "pool has gone", "a b c d", "mail sent", "one"]
    assert _templates(*messages) == messages


def test_a_grouping_key_is_blind_to_numbers() -> None:
    keys = key_of(pl.Series(["a 1 b2 f00d:12", "a 7 b999 beef0:1"]))
    assert keys[0] == keys[1] == "a # # #"


def test_messages_that_differ_in_spaces_alone_are_one_template() -> None:
    assert len(set(_templates("pool  is full", "pool is full", "pool is   full"))) == 1
