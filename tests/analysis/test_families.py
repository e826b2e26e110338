"""What a metric name stands for."""

import pytest

from superbizagent.analysis.families import FAMILIES, WEIGHTS, CounterHint, meaning_of


@pytest.mark.parametrize(
    ("labels", "family", "sign", "unit"),
    [
        ({"__name__": "http_server_request_duration_seconds_p95"}, "lat", 1, "s"),
        ({"__name__": "http_server_request_duration_seconds_sum"}, "lat", 1, "s"),
        ({"__name__": "http_server_request_duration_seconds_count"}, "qps", 1, ""),
        ({"__name__": "PodServerLatencyP90_s"}, "lat", 1, "s"),
        ({"__name__": "PodSuccessRate"}, "err", -1, ""),
        ({"__name__": "availability_Average"}, "err", -1, ""),
        ({"__name__": "app_errors_total", "error_type": "TimeoutError"}, "err", 1, ""),
        ({"__name__": "http_requests_total", "status_code": "503"}, "err", 1, ""),
        ({"__name__": "http_requests_total", "status_code": "200"}, "qps", 1, ""),
        ({"__name__": "process_cpu_seconds_total"}, "cpu", 1, "s"),
        ({"__name__": "node_cpu_seconds_total", "mode": "idle"}, "cpu", -1, "s"),
        ({"__name__": "process_resident_memory_bytes"}, "mem", 1, "bytes"),
        ({"__name__": "MemoryUsage_Mi"}, "mem", 1, "MiB"),
        ({"__name__": "node_memory_MemAvailable_bytes"}, "mem", -1, "bytes"),
        ({"__name__": "node_memory_Dirty_bytes"}, "other", 1, "bytes"),
        ({"__name__": "node_filesystem_avail_bytes"}, "disk", -1, "bytes"),
        ({"__name__": "node_network_receive_bytes_total"}, "net", 1, "bytes"),
        ({"__name__": "db_client_connection_count", "state": "used"}, "saturation", 1, ""),
        ({"__name__": "db_client_connection_count", "state": "idle"}, "saturation", -1, ""),
        ({"__name__": "db_client_connection_pending_requests"}, "saturation", 1, ""),
        ({"__name__": "db_client_connection_timeouts_total"}, "err", 1, ""),
        ({"__name__": "mysql_global_status_threads_running"}, "saturation", 1, ""),
        ({"__name__": "up"}, "inst", -1, ""),
        ({"__name__": "http_server_active_requests"}, "saturation", 1, ""),
        ({"__name__": "node_netstat_Tcp_RetransSegs"}, "net", 1, ""),
        ({"__name__": "node_network_receive_errs_total"}, "net", 1, ""),
        ({"__name__": "mysql_global_status_buffer_pool_pages"}, "other", 1, ""),
        ({"__name__": "mysql_global_status_slow_queries"}, "other", 1, ""),
        ({"__name__": "mysql_global_status_queries"}, "qps", 1, ""),
        ({"__name__": "requests_Sum"}, "qps", 1, ""),
        ({"__name__": "something_else"}, "other", 1, ""),
        ({}, "other", 1, ""),
    ],
)
def test_a_name_with_its_labels_gives_family_sign_and_unit(
    labels: dict[str, str], family: str, sign: int, unit: str
) -> None:
    meaning = meaning_of(labels)
    assert (meaning.family, meaning.sign, meaning.unit) == (family, sign, unit)
    assert not meaning.ignored


@pytest.mark.parametrize(
    "name",
    [
        "db_client_connection_max",
        "container_memory_limit_bytes",
        "app_build_info",
        "mysql_global_variables_max_connections",
        "http_server_request_duration_seconds_bucket",
        "scrape_duration_seconds",
        "mysql_exporter_collector_duration_seconds",
        "go_gc_duration_seconds",
        "mysql_global_status_innodb_row_lock_time_avg",
        "hikaricp_pool_size",
        "app_last_success_timestamp_seconds",
    ],
)
def test_settings_and_bookkeeping_are_no_deviations(name: str) -> None:
    assert meaning_of({"__name__": name}).ignored


def test_a_maximum_of_a_latency_is_still_a_latency() -> None:
    assert not meaning_of({"__name__": "request_duration_seconds_max"}).ignored


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("http_requests_total", CounterHint.COUNTER),
        ("request_duration_seconds_sum", CounterHint.HISTOGRAM),
        ("db_client_connection_count", CounterHint.HISTOGRAM),
        ("db_client_connection_pending_requests", CounterHint.GAUGE),
        ("process_resident_memory_bytes", CounterHint.GAUGE),
        ("mysql_global_status_slow_queries", CounterHint.OPEN),
        ("mysql_global_status_innodb_row_lock_time", CounterHint.EVENTS),
        ("mysql_global_status_innodb_row_lock_current_waits", CounterHint.GAUGE),
    ],
)
def test_the_name_hints_whether_it_counts_up(name: str, hint: CounterHint) -> None:
    assert meaning_of({"__name__": name}).hint is hint


def test_the_least_scale_follows_the_unit() -> None:
    assert meaning_of({"__name__": "request_duration_ms"}).floor == pytest.approx(0.1)
    assert meaning_of({"__name__": "request_duration_seconds"}).floor == pytest.approx(1e-4)
    assert meaning_of({"__name__": "pool_pending"}).floor == pytest.approx(0.5)
    assert meaning_of({"__name__": "net_bytes_total"}).rate_floor == pytest.approx(1024)


def test_every_family_has_weights() -> None:
    assert set(WEIGHTS) == set(FAMILIES)
