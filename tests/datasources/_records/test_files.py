"""File names say which service a log is of and which part of it is older."""

from pathlib import Path

import pytest

from superbizagent.datasources._records import LogInput, find_log_files, order_inputs, service_of


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("order.log", "order"),
        ("order-service.log.1", "order-service"),
        ("order.log.12.gz", "order"),
        ("order.1.log", "order"),
        ("order.jsonl", "order"),
        ("order-2026-03-01.log", "order"),
        ("order.log.2026-03-01", "order"),
        ("order.log-20260301.gz", "order"),
        ("order.2026-03-01T12-00-00.log", "order"),
        ("mysqld.err", "mysqld"),
        ("order", "order"),
        (".log", ".log"),
        ("ts-order2-service.log", "ts-order2-service"),
        ("v2.log", "v2"),
    ],
)
def test_the_service_is_the_name_without_rotation_and_endings(name: str, service: str) -> None:
    assert service_of(name) == service


def test_the_oldest_part_comes_first() -> None:
    names = ["order.log", "order.log.1", "order.log.10.gz", "order.log.2.gz", "cart.log"]
    inputs = [LogInput(Path(n), n, service_of(n)) for n in names]
    assert [i.label for i in order_inputs(inputs)] == [
        "cart.log",
        "order.log.10.gz",
        "order.log.2.gz",
        "order.log.1",
        "order.log",
    ]


def test_only_logs_are_found_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("a.log", "b.jsonl", "deep/c.log.gz", "d.log.3", "e.txt", "x.md", ".h.log", "y.py"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    found = find_log_files(tmp_path, "logs")
    assert [i.label for i in found] == [
        "logs/a.log",
        "logs/b.jsonl",
        "logs/deep/c.log.gz",
        "logs/d.log.3",
        "logs/e.txt",
    ]
