"""Restarts, versions and Kubernetes settings out of series, with the sample they were read from."""

from collections.abc import Callable

import numpy as np

from superbizagent.analysis.telemetry_changes import changes_in_series
from superbizagent.domain.outputs import Change
from superbizagent.domain.series import Labels, SeriesSet

START = 1_790_000_000_000
STEP = 15_000


def changes(
    *series: tuple[Labels, Callable[[int], float], int, int], label: str = "job"
) -> tuple[Change, ...]:
    """Changes in series that are functions of their sample's number, from one to another."""
    rows = [
        (
            labels,
            np.array([START + STEP * k for k in range(first, last)], np.int64),
            np.array([value(k) for k in range(first, last)], np.float64),
        )
        for labels, value, first, last in series
    ]
    return changes_in_series(SeriesSet.of(rows), label).changes


def told(*found: Change) -> list[tuple[str, str, str]]:
    return [(c.entity, c.kind, c.summary) for c in found]


def process(instance: str = "a") -> Labels:
    return {"__name__": "process_start_time_seconds", "job": "orders", "instance": instance}


def test_a_restart_is_dated_by_the_process_itself() -> None:
    began = START / 1000 + 20 * 15 - 4
    (change,) = changes((process(), lambda k: 1e9 if k < 20 else began, 0, 40))
    assert round(change.at.timestamp() * 1000) == START + 20 * STEP - 4_000
    assert (change.entity, change.kind) == ("orders", "restart")
    assert change.quote.endswith(f" {began!r}")


def test_a_start_time_that_wobbles_is_no_restart() -> None:
    assert changes((process(), lambda k: 1e9 + 0.9 * (k % 2), 0, 40)) == ()


def test_a_clock_that_is_wrong_does_not_move_the_restart_out_of_its_samples() -> None:
    (change,) = changes((process(), lambda k: 1e9 if k < 20 else 1.2e9, 0, 40))
    assert round(change.at.timestamp() * 1000) == START + 20 * STEP


def test_a_new_instance_is_a_start_and_one_that_was_there_all_along_is_none() -> None:
    late = START / 1000 + 20 * 15 - 2

    def kinds(began: float, first: int) -> list[str]:
        found = changes(
            (process("a"), lambda _: 1e9, 0, 40), (process("b"), lambda _: began, first, 40)
        )
        return [change.kind for change in found]

    assert kinds(late, 20) == ["restart"]
    assert kinds(1e9, 20) == []  # it had been running for long when its metrics came back
    assert kinds(late, 1) == []


def info(version: str) -> Labels:
    return {"__name__": "orders_build_info", "job": "orders", "version": version}


def one(_: int) -> float:
    return 1.0


def test_a_version_that_comes_later_follows_the_one_before() -> None:
    found = changes((info("1.4"), one, 0, 22), (info("1.5"), one, 20, 40))
    assert told(*found) == [("orders", "deploy", "orders_build_info: 1.4 -> 1.5")]
    assert changes((info("1.4"), one, 0, 40), (info("1.5"), one, 0, 40)) == ()


def deployment(name: str) -> Labels:
    return {"__name__": name, "namespace": "shop", "deployment": "orders"}


def test_generations_and_replicas_of_a_deployment() -> None:
    generation = deployment("kube_deployment_status_observed_generation")
    replicas = deployment("kube_deployment_spec_replicas")
    rollout = changes(
        (generation, lambda k: 7.0 + (k >= 20), 0, 40),
        (replicas, lambda _: 3.0, 0, 40),
        label="deployment",
    )
    name = "kube_deployment_status_observed_generation"
    assert told(*rollout) == [("orders", "deploy", f"{name}: 7 -> 8")]
    scaling = changes(
        (generation, lambda k: 7.0 + (k >= 20), 0, 40),
        (replicas, lambda k: 3.0 - 2 * (k >= 20), 0, 40),
        label="deployment",
    )
    assert told(*scaling) == [("orders", "scale", "kube_deployment_spec_replicas: 3 -> 1")]


def test_the_limit_of_a_new_pod_that_differs_is_a_change() -> None:
    def limit(pod: str) -> Labels:
        name = "kube_pod_container_resource_limits"
        return {"__name__": name, "container": "orders", "pod": pod, "resource": "memory"}

    found = changes(
        (limit("a"), lambda _: 5e8, 0, 22),
        (limit("b"), lambda _: 2e8, 20, 40),
        (limit("c"), lambda _: 2e8, 21, 40),
        label="container",
    )
    name = "kube_pod_container_resource_limits memory"
    assert told(*found) == [("orders", "limits", f"{name}: 5e+08 -> 2e+08")]


def test_replicas_that_restart_together_are_one_line_each_instance() -> None:
    late = START / 1000 + 20 * 15 - 2

    def began(k: int) -> float:
        return 1e9 if k < 20 else late

    found = changes((process("a"), began, 0, 40), (process("b"), began, 0, 40))
    assert len(found) == 2
    assert changes(({"__name__": "up", "job": "orders"}, one, 0, 5)) == ()
