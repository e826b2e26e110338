"""Made-up incidents, one for each way in which the shop can break, and what each looks like.

Every incident is the same quiet shop with some of its figures changed from `FAULT_AT` on. Figures
have a name here and a metric in each of two stacks, so that nothing rests on how one of them calls
it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from superbizagent.domain.alert import Alert
from superbizagent.domain.outputs import Change
from tests.investigation.incidents import ALERT_AT, FAULT_AT, Shape, Shop, counter, step

WEB, ORDERS, DB = "storefront", "order-service", "mysql"
Pair = tuple[float, float]
"""Before the fault, and since."""

QUIET: dict[str, Pair] = {
    "requests": (8, 8),
    "web_seconds": (0.06, 0.06),
    "web_errors": (0, 0),
    "calls_seconds": (0.05, 0.05),
    "orders_requests": (8, 8),
    "orders_seconds": (0.04, 0.04),
    "orders_errors": (0, 0),
    "orders_waiting": (1, 1),
    "read_seconds": (0.002, 0.002),
    "write_seconds": (0.004, 0.004),
    "statements": (20, 20),
    "used": (2, 2),
    "pending": (0, 0),
    "timeouts": (0, 0),
    "held_seconds": (0.05, 0.05),
    "returned": (8, 8),
    "server_read_seconds": (0.001, 0.001),
    "lock_waiters": (0, 0),
    "lock_milliseconds": (1, 1),
    "rows": (400, 400),
    "slow_statements": (0, 0),
    "sessions": (12, 12),
    "refused": (0, 0),
    "web_cpu": (0.05, 0.05),
    "orders_cpu": (0.05, 0.05),
    "orders_memory": (1e8, 1e8),
    "orders_up": (1, 1),
    "disk_left": (6e10, 6e10),
}
"""Rates are per second, times in seconds."""


@dataclass(frozen=True, eq=False)
class Stack:
    """What a stack calls the series of services."""

    server: str
    status: str
    client: str
    collecting: str
    """Time spent in collecting garbage."""
    pool: dict[str, tuple[str, dict[str, str]]] = field(
        default_factory=dict[str, tuple[str, dict[str, str]]]
    )


OPENTELEMETRY = Stack(
    server="http_server_request_duration_seconds",
    status="http_response_status_code",
    client="http_client_request_duration_seconds",
    collecting="jvm_gc_duration_seconds_sum",
    pool={
        "used": ("db_client_connection_count", {"state": "used"}),
        "max": ("db_client_connection_max", {}),
        "pending": ("db_client_connection_pending_requests", {}),
        "timeouts": ("db_client_connection_timeouts_total", {}),
        "held": ("db_client_connection_use_time_seconds", {}),
    },
)
MICROMETER = Stack(
    server="http_server_requests_seconds",
    status="status",
    client="http_client_requests_seconds",
    collecting="jvm_gc_pause_seconds_sum",
    pool={
        "used": ("hikaricp_connections_active", {}),
        "max": ("hikaricp_connections_max", {}),
        "pending": ("hikaricp_connections_pending", {}),
        "timeouts": ("hikaricp_connections_timeout_total", {}),
        "held": ("hikaricp_connections_usage_seconds", {}),
    },
)


def shop(
    alert: str,
    about: str,
    stack: Stack = OPENTELEMETRY,
    *,
    changes: tuple[Change, ...] = (),
    **changed: Pair,
) -> Shop:
    """The shop with an alert about one of its services, and some figures changed."""
    labels = {"alertname": alert, "service": about, "severity": "critical"}
    built = Shop(alert=Alert(labels=labels, starts_at=ALERT_AT), changes=changes, noise=0.0)
    figures = QUIET | changed
    assert figures.keys() == QUIET.keys(), "no such figure"
    _services(built, stack, figures)
    _pool(built, stack, figures)
    _database(built, figures)
    return built


def _histogram(
    built: Shop, service: str, name: str, rate: Pair, seconds: Pair, **labels: str
) -> None:
    built.add(service, f"{name}_count", counter(*rate), **labels)
    spent = (rate[0] * seconds[0], rate[1] * seconds[1])
    built.add(service, f"{name}_sum", counter(*spent), **labels)


def _services(built: Shop, stack: Stack, figures: dict[str, Pair]) -> None:
    for service, key, load in ((WEB, "web", "requests"), (ORDERS, "orders", "orders_requests")):
        failed = figures[f"{key}_errors"]
        good = (figures[load][0] - failed[0], figures[load][1] - failed[1])
        seconds = figures[f"{key}_seconds"]
        _histogram(built, service, stack.server, good, seconds, **{stack.status: "200"})
        _histogram(built, service, stack.server, failed, seconds, **{stack.status: "500"})
        built.add(service, "process_cpu_seconds_total", counter(*figures[f"{key}_cpu"]))
        built.add(service, "process_start_time_seconds", step(1.7e9, 1.7e9))
    _histogram(built, WEB, stack.client, figures["orders_requests"], figures["calls_seconds"])
    built.add(ORDERS, "process_resident_memory_bytes", step(*figures["orders_memory"]))
    built.add(ORDERS, "http_server_active_requests", step(*figures["orders_waiting"]))
    built.add(ORDERS, "up", step(*figures["orders_up"]))
    built.add(ORDERS, "kubelet_volume_stats_available_bytes", step(*figures["disk_left"]))
    built.add(ORDERS, "kubelet_volume_stats_capacity_bytes", step(1e11, 1e11))


def _pool(built: Shop, stack: Stack, figures: dict[str, Pair]) -> None:
    def named(key: str, suffix: str = "") -> tuple[str, dict[str, str]]:
        name, labels = stack.pool[key]
        return f"{name}{suffix}", {"pool_name": "orders", **labels}

    shapes: dict[tuple[str, str], Shape] = {
        ("used", ""): step(*figures["used"]),
        ("max", ""): step(10, 10),
        ("pending", ""): step(*figures["pending"]),
        ("timeouts", ""): counter(*figures["timeouts"]),
        ("held", "_count"): counter(*figures["returned"]),
        ("held", "_sum"): counter(
            *(r * s for r, s in zip(figures["returned"], figures["held_seconds"], strict=True))
        ),
    }
    for (key, suffix), shape in shapes.items():
        name, labels = named(key, suffix)
        built.add(ORDERS, name, shape, **labels)
    operation, rate = "db_client_operation_duration_seconds", figures["statements"]
    for verb, key in (("SELECT", "read_seconds"), ("UPDATE", "write_seconds")):
        _histogram(built, ORDERS, operation, rate, figures[key], db_operation_name=verb)


def _database(built: Shop, figures: dict[str, Pair]) -> None:
    rate = figures["statements"]
    spent = tuple(r * s for r, s in zip(rate, figures["server_read_seconds"], strict=True))
    digest = {"digest_text": "SELECT `price` FROM `products` WHERE `sku` = ?"}
    built.add(DB, "mysql_perf_schema_events_statements_total", counter(*rate), **digest)
    built.add(DB, "mysql_perf_schema_events_statements_seconds_total", counter(*spent), **digest)
    built.add(DB, "mysql_global_status_questions", counter(*rate))
    built.add(DB, "mysql_global_status_slow_queries", counter(*figures["slow_statements"]))
    built.add(
        DB, "mysql_global_status_innodb_row_lock_time", counter(*figures["lock_milliseconds"])
    )
    waiters = step(*figures["lock_waiters"])
    built.add(DB, "mysql_global_status_innodb_row_lock_current_waits", waiters)
    rows = counter(*figures["rows"])
    built.add(DB, "mysql_global_status_handlers_total", rows, handler="read_rnd_next")
    built.add(DB, "mysql_global_status_threads_connected", step(*figures["sessions"]))
    built.add(DB, "mysql_global_variables_max_connections", step(40, 40))
    errors = "mysql_global_status_connection_errors_total"
    built.add(DB, errors, counter(*figures["refused"]), error="max_connections")
    built.add(DB, "mysql_up", step(1, 1))


Build = Callable[[Stack], Shop]


def pool_exhaustion(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop(
        "PoolExhausted", ORDERS, stack,
        used=(2, 10), pending=(0, 14), timeouts=(0, 3), held_seconds=(0.05, 3), returned=(8, 3.3),
        orders_seconds=(0.04, 2.2), orders_errors=(0, 3), web_seconds=(0.06, 2.3),
        calls_seconds=(0.05, 2.2), web_errors=(0, 3), orders_waiting=(1, 16),
    )  # fmt: skip


def connection_leak(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop(
        "PoolExhausted", ORDERS, stack,
        used=(2, 10), pending=(0, 14), timeouts=(0, 6), held_seconds=(0.05, 0.05), returned=(8, 1),
        orders_seconds=(0.04, 1.9), orders_errors=(0, 6), web_errors=(0, 6),
        web_seconds=(0.06, 2), calls_seconds=(0.05, 1.9), orders_waiting=(1, 16),
    )  # fmt: skip


def lock_wait(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "HighErrorRate", ORDERS, stack,
        lock_waiters=(0, 9), lock_milliseconds=(1, 9000), write_seconds=(0.004, 1.2),
        used=(2, 10), pending=(0, 9), timeouts=(0, 1), held_seconds=(0.05, 1.3), returned=(8, 6),
        slow_statements=(0, 2), orders_seconds=(0.04, 1.4), orders_errors=(0, 2),
        web_seconds=(0.06, 1.5), calls_seconds=(0.05, 1.4), web_errors=(0, 2),
    )  # fmt: skip
    text = "(1205, 'Lock wait timeout exceeded; try restarting transaction')"
    return built.log(ORDERS, 5, text, every=3)


def slow_query(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop(
        "MySQLSlowQueries", DB, stack,
        rows=(400, 900_000), slow_statements=(0, 3), server_read_seconds=(0.001, 0.2),
        read_seconds=(0.002, 0.21), held_seconds=(0.05, 0.4), used=(2, 6),
        orders_seconds=(0.04, 0.3), web_seconds=(0.06, 0.32), calls_seconds=(0.05, 0.3),
    )  # fmt: skip


def connection_limit(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "MySQLTooManyConnections", DB, stack,
        sessions=(12, 40), refused=(0, 4), orders_errors=(0, 2), web_errors=(0, 2),
    )  # fmt: skip
    return built.log(ORDERS, 4, "(1040, 'Too many connections')", every=2)


def slow_dependency(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop("DependencySlow", WEB, stack, calls_seconds=(0.05, 0.9), web_seconds=(0.06, 0.92))


def slow_outside_dependency(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "HighLatency", ORDERS, stack,
        orders_seconds=(0.04, 0.8), calls_seconds=(0.05, 0.81), web_seconds=(0.06, 0.82),
    )  # fmt: skip
    _histogram(built, ORDERS, stack.client, (4, 4), (0.02, 1.5))
    return built


def garbage_collection(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "HighLatency", ORDERS, stack,
        orders_seconds=(0.04, 0.5), calls_seconds=(0.05, 0.51), web_seconds=(0.06, 0.52),
    )  # fmt: skip
    return built.add(ORDERS, stack.collecting, counter(0.005, 0.4))


def killed_for_memory(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "HighErrorRate", ORDERS, stack, orders_errors=(0, 1), web_errors=(0, 1)
    )  # fmt: skip
    return built.add(ORDERS, "container_oom_events_total", step(0, 1))


def refused_exporter(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop("MySQLDown", DB, stack, orders_errors=(0, 2), web_errors=(0, 2))
    built.without("mysql_").add(DB, "mysql_up", step(1, 0))
    return built.log(ORDERS, 4, "(1040, 'Too many connections')", every=2)


def slow_database_network(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop(
        "HighLatency", ORDERS, stack,
        read_seconds=(0.002, 0.15), write_seconds=(0.004, 0.16), held_seconds=(0.05, 0.6),
        lock_milliseconds=(1, 600), used=(2, 6), orders_seconds=(0.04, 0.7),
        web_seconds=(0.06, 0.75), calls_seconds=(0.05, 0.72),
    )  # fmt: skip


def high_cpu(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop("ProcessCpuHigh", ORDERS, stack, orders_cpu=(0.05, 0.8), orders_seconds=(0.04, 0.2))


def high_memory(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop("ProcessMemoryGrowing", ORDERS, stack, orders_memory=(1e8, 4e8))


def disk_full(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "HighErrorRate", ORDERS, stack,
        disk_left=(6e10, 1e6), orders_errors=(0, 2), web_errors=(0, 2),
    )  # fmt: skip
    return built.log(ORDERS, 4, "OSError: [Errno 28] No space left on device", every=2)


def service_gone(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop(
        "TargetDown", ORDERS, stack,
        orders_up=(1, 0), orders_requests=(8, 0), web_errors=(0, 8), statements=(20, 0),
        returned=(8, 0), used=(2, 0),
    )  # fmt: skip
    return built.log(WEB, 2, "upstream order-service: Connection refused", every=1)


def crash_loop(stack: Stack = OPENTELEMETRY) -> Shop:
    built = shop("ServiceRestarting", ORDERS, stack, orders_up=(1, 0.5), web_errors=(0, 4))
    built.without("start_time")
    built.add(
        ORDERS, "process_start_time_seconds", lambda t: 1.7e9 + (t // 20 * 20 if t > 0 else 0)
    )
    return built.log(ORDERS, 3, "fatal: config key 'payment.url' is missing", every=20)


def changed(kind: str, summary: str, error: str, stack: Stack) -> Shop:
    change = Change(at=FAULT_AT, entity=ORDERS, kind=kind, summary=summary)
    built = shop(
        "HighErrorRate", ORDERS, stack,
        changes=(change,), orders_errors=(0, 2), web_errors=(0, 2),
    )  # fmt: skip
    # Without a line from before nothing can be called new.
    built.log(ORDERS, -1500, "stock was counted", severity="info", every=60)
    return built.log(ORDERS, 3, error, every=2)


def bad_deploy(stack: Stack = OPENTELEMETRY) -> Shop:
    return changed("deploy", "2.14.3 -> 2.15.0", "KeyError: 'discount_code'", stack)


def bad_configuration(stack: Stack = OPENTELEMETRY) -> Shop:
    return changed("config", "price.currency: EUR", "failed to parse price.currency", stack)


def bad_restart(stack: Stack = OPENTELEMETRY) -> Shop:
    return changed(
        "restart", "restarted by hand", "startup failed: no licence for this host", stack
    )


def traffic_surge(stack: Stack = OPENTELEMETRY) -> Shop:
    return shop(
        "HighLatency", WEB, stack,
        requests=(8, 60), orders_requests=(8, 60), statements=(20, 150), rows=(400, 3000),
        used=(2, 10), pending=(0, 20), timeouts=(0, 4), returned=(8, 50), held_seconds=(0.05, 0.1),
        web_cpu=(0.05, 0.4), orders_cpu=(0.05, 0.6), orders_memory=(1e8, 1.6e8),
        web_seconds=(0.06, 1.2), calls_seconds=(0.05, 1.1), orders_seconds=(0.04, 1.0),
        orders_errors=(0, 5), web_errors=(0, 5), orders_waiting=(1, 60), sessions=(12, 14),
    )  # fmt: skip


CAUSES: dict[str, tuple[Build, str, str, set[str]]] = {
    "pool exhaustion": (
        pool_exhaustion, ORDERS, "pool_exhaustion", {"pool_exhausted_by_slow_transactions"}
    ),
    "connection leak": (connection_leak, ORDERS, "connection_leak", {"connection_leak"}),
    "lock wait": (lock_wait, DB, "lock_wait", {"row_lock_waits"}),
    "slow query": (slow_query, DB, "slow_query", {"statements_scan_tables"}),
    "connection limit": (connection_limit, DB, "connection_limit", {"database_connection_limit"}),
    "slow dependency": (slow_dependency, WEB, "network_delay", {"network_to_dependency_slow"}),
    "slow database network": (
        slow_database_network, ORDERS, "network_delay", {"network_to_database_slow"}
    ),
    "slow outside dependency": (
        slow_outside_dependency, ORDERS, "dependency", {"outside_dependency_slow"}
    ),
    "garbage": (garbage_collection, ORDERS, "memory", {"paused_by_garbage_collection"}),
    "killed": (killed_for_memory, ORDERS, "memory", {"killed_for_want_of_memory"}),
    "refused exporter": (
        refused_exporter, DB, "connection_limit", {"database_refuses_its_exporter"}
    ),
    "cpu": (high_cpu, ORDERS, "cpu", {"process_burns_cpu"}),
    "memory": (high_memory, ORDERS, "memory", {"memory_grows"}),
    "disk": (disk_full, ORDERS, "disk", {"file_system_full", "writes_fail_for_want_of_space"}),
    "gone": (service_gone, ORDERS, "restart", {"process_gone"}),
    "crash loop": (crash_loop, ORDERS, "restart", {"starts_again_and_again"}),
    "bad deploy": (
        bad_deploy, ORDERS, "deploy", {"new_version_fails", "deployment_brought_errors"}
    ),
    "bad configuration": (
        bad_configuration, ORDERS, "config", {"configuration_brought_errors"}
    ),
    "bad restart": (bad_restart, ORDERS, "restart", {"restart_brought_errors"}),
    "traffic": (traffic_surge, WEB, "traffic", {"more_requests_than_before"}),
}  # fmt: skip
"""Name -> incident, and entity, fault kind and hypotheses that are right, no other being so."""


def named(names: Iterable[str]) -> list[tuple[Build, str, str, set[str]]]:
    return [CAUSES[name] for name in names]
