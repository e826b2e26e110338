import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims._concept_words import CHINESE, ENGLISH
from superbizagent.analysis.claims.concepts import (
    CONCEPT_PHRASES,
    CONCEPTS,
    concept_bits,
    concepts_of_metric,
    concepts_of_text,
    names_of_concepts,
)
from superbizagent.analysis.claims.phrases import Phrases, inflections, listed, spellings
from superbizagent.domain.finding import FaultKind


def of_metric(name: str, labels: str = "", unit: str = "", statistic: str = "") -> set[str]:
    return set(names_of_concepts(concepts_of_metric(name, labels, unit, statistic)))


def of_text(text: str) -> set[str]:
    return set(names_of_concepts(concepts_of_text(text)))


def test_a_set_of_concepts_fits_a_signed_integer_of_an_array() -> None:
    assert len(CONCEPTS) <= 60
    assert len(set(CONCEPTS)) == len(CONCEPTS)
    assert concept_bits(CONCEPTS) == 2 ** len(CONCEPTS) - 1


def test_both_languages_name_every_concept() -> None:
    assert {name for name, _ in listed(ENGLISH)} == {name for name, _ in listed(CHINESE)}


@given(names=st.sets(st.sampled_from(CONCEPTS)))
def test_bits_and_names_are_each_others_inverse(names: set[str]) -> None:
    assert set(names_of_concepts(concept_bits(names))) == names


def test_a_name_that_is_no_concept_is_no_bit() -> None:
    assert concept_bits(("latency", "unheard")) == concept_bits(("latency",))


@pytest.mark.parametrize("kind", [k for k in FaultKind if k is not FaultKind.UNKNOWN])
def test_every_kind_of_fault_can_be_spoken_of(kind: FaultKind) -> None:
    spoken = {
        "network_loss": "packet loss",
        "code_error": "exceptions",
        "dependency": "a downstream dependency",
    }.get(kind.value, kind.value.replace("_", " "))

    assert of_text(spoken)


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        # OpenTelemetry
        ("http_server_request_duration_seconds_sum", "latency request", "throughput"),
        ("http_server_request_duration_seconds_count", "request throughput", "latency"),
        ("http_client_request_duration_seconds_count", "request dependency", "latency"),
        ("http_server_active_requests", "request held waiting", "latency"),
        ('db_client_connection_count{state="used"}', "connection pool held", "idle"),
        ('db_client_connection_count{state="idle"}', "connection pool idle", "held"),
        ("db_client_connection_pending_requests", "connection pool waiting", "held"),
        ("db_client_connection_timeouts_total", "timeout connection pool", "waiting"),
        ("db_client_connection_use_time_seconds_sum", "held connection latency", "waiting"),
        ("db_client_connection_wait_time_seconds_sum", "waiting connection latency", "held"),
        # Micrometer
        ("hikaricp_connections_active", "connection pool held", "waiting"),
        ("hikaricp_connections_pending", "connection pool waiting", "held"),
        ("hikaricp_connections_max", "connection pool limit", "held"),
        ("jvm_gc_pause_seconds_sum", "gc latency", "request"),
        ("jvm_memory_used_bytes", "memory held", "disk"),
        ("tomcat_threads_busy_threads", "thread held", "memory"),
        # mysqld exporter
        ("mysql_global_status_threads_running", "thread query", "memory"),
        ("mysql_global_status_threads_connected", "connection", "memory"),
        ("mysql_global_status_innodb_row_lock_current_waits", "lock waiting row", "memory"),
        ("mysql_global_status_slow_queries", "slow_query query", "memory"),
        ("mysql_global_status_questions", "query", "latency"),
        ("mysql_global_variables_max_connections", "connection limit", "held"),
        ("mysql_slave_status_seconds_behind_master", "lag", "cpu"),
        # node exporter, Kubernetes
        ("node_cpu_seconds_total", "cpu", "latency host"),
        ("node_memory_MemAvailable_bytes", "memory", "host"),
        ("node_filesystem_avail_bytes", "disk", "host memory"),
        ("node_network_receive_bytes_total", "network", "host"),
        ("node_netstat_Tcp_RetransSegs", "packet_loss network", "host"),
        ("node_load1", "cpu", "host"),
        ("container_cpu_cfs_throttled_periods_total", "cpu saturation", "pod"),
        ("kube_pod_container_status_restarts_total", "restart", "pod"),
        ("kube_deployment_status_replicas_available", "replica availability", "cpu"),
        ("process_resident_memory_bytes", "memory", "process"),
        ("process_open_fds", "file", "process"),
        ("go_goroutines", "thread", ""),
        # CloudWatch
        ("CPUUtilization", "cpu saturation", ""),
        ("FreeableMemory", "memory idle", ""),
        ("DatabaseConnections", "connection", ""),
        ("HTTPCode_Target_5XX_Count", "error", "latency"),
        ("TargetResponseTime", "latency", ""),
        ("HealthyHostCount", "host availability", ""),
        ("DiskQueueDepth", "disk queue", ""),
        ("availability_Average", "availability", "latency"),
        ("requests_Sum", "request throughput", "latency"),
        ("latency_p99", "latency", "request"),
        # Camel case
        ("PodServerLatencyP99_s", "latency", "pod host"),
        ("CpuUsageRate", "cpu", "memory"),
        ("MemoryUsage_Mi", "memory", "cpu"),
        ("PodWorkload_Ops", "request throughput traffic", "latency pod"),
        ("PodSuccessRate", "success error", "pod"),
        ("NetworkReceiveBytes", "network", "cpu"),
        # Others
        ("redis_keyspace_misses_total", "cache", ""),
        ("kafka_consumergroup_lag", "lag", ""),
        ("probe_ssl_earliest_cert_expiry", "certificate", ""),
        ("coredns_dns_responses_total", "dns", ""),
        ("field:duration_ms", "latency", ""),
        ("process_uptime_seconds", "restart", "latency"),
        ("kube_pod_status_phase", "pod", "cpu"),
    ],
)
def test_a_metric_is_what_a_reader_would_call_it(name: str, has: str, lacks: str) -> None:
    found = of_metric(name)

    assert set(has.split()) <= found
    assert not found & set(lacks.split())


def test_labels_say_what_is_counted() -> None:
    name = "http_server_request_duration_seconds_count"

    assert "error" in of_metric(name, 'http_response_status_code="503",service="a"')
    assert "error" not in of_metric(name, 'http_response_status_code="200",service="a"')
    assert "exception" in of_metric(name, 'error_type="TimeoutError"')
    # A service called after a queue measures no queue.
    assert "queue" not in of_metric(name, 'service="queue-api"')


def test_labels_behind_the_name_are_read_like_labels_beside_it() -> None:
    inside = of_metric('connections{state="idle",pool="main"}')

    assert inside == of_metric("connections", 'state="idle",pool="main"')
    assert "idle" in inside


def test_a_rate_of_what_is_counted_is_a_throughput() -> None:
    assert "throughput" in of_metric("orders_placed", unit="/s")
    assert "throughput" in of_metric("grpc_request", statistic="rate_mean")
    assert "throughput" not in of_metric("grpc_request_duration_seconds", unit="s")


def test_seconds_alone_are_no_latency() -> None:
    assert "latency" not in of_metric("node_cpu_seconds_total", unit="s")
    assert "latency" in of_metric("request_duration_seconds", unit="s")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QueuePool limit reached, connection timed out", {"limit", "connection", "timeout"}),
        ("Lock wait timeout exceeded; try restarting transaction", {"lock", "timeout"}),
        ("java.lang.OutOfMemoryError: Java heap space", {"memory"}),
        ("no space left on device", {"disk", "saturation"}),
        ("connect: connection refused", {"connection", "refused"}),
        ("x509: certificate has expired", {"certificate"}),
        ("等待连接超时", {"waiting", "connection", "timeout"}),
        ("慢查询", {"slow_query", "query"}),
        ("requests", {"request", "traffic"}),
        ("个连接", {"connection"}),
        ("", set[str]()),
    ],
)
def test_a_text_is_about_what_its_words_say(text: str, expected: set[str]) -> None:
    assert expected <= of_text(text)
    assert bool(of_text(text)) == bool(expected)


def test_the_longest_phrase_wins() -> None:
    phrases = Phrases({"up": 1, "up to": 2, "up to date": 3, "连接": 4, "连接池": 5})

    found = [
        (h.start, h.end, h.meaning) for h in phrases.find("Up-to date, up to 3, up. 连接池连接")
    ]

    assert found == [(0, 10, 3), (12, 17, 2), (21, 23, 1), (25, 28, 5), (28, 30, 4)]


def test_a_shorter_phrase_is_taken_where_the_longer_is_not_free() -> None:
    phrases = Phrases({"in": 1, "in use": 2})

    assert [h.meaning for h in phrases.find("in use", [(3, 6)])] == [1]


@pytest.mark.parametrize(
    ("marked", "forms"),
    [
        ("spike*", "spike spikes spiked spiking"),
        ("drop**", "drop drops dropped dropping"),
        ("retry*", "retry retries retried retrying"),
        ("delay*", "delay delays delayed delaying"),
        ("agree*", "agree agrees agreed agreeing"),
        ("crash*", "crash crashes crashed crashing"),
        ("query+", "query queries"),
        ("box+", "box boxes"),
    ],
)
def test_marked_words_are_inflected(marked: str, forms: str) -> None:
    assert inflections(marked) == tuple(forms.split())


def test_a_phrase_is_inflected_in_its_marked_word_alone() -> None:
    assert spellings("climb* up, flat") == [
        "climb up",
        "climbs up",
        "climbed up",
        "climbing up",
        "flat",
    ]


@given(phrase=st.sampled_from(sorted(CONCEPT_PHRASES)))
def test_every_phrase_is_found_as_it_is_listed(phrase: str) -> None:
    # A phrase that cannot be found is dead: a sign within it, or capitals.
    if "/" not in phrase:
        assert concept_bits(CONCEPT_PHRASES[phrase]) & concepts_of_text(phrase)


@given(name=st.text(max_size=40), labels=st.text(max_size=40), unit=st.text(max_size=5))
def test_any_name_is_read(name: str, labels: str, unit: str) -> None:
    assert 0 <= concepts_of_metric(name, labels, unit) < 2 ** len(CONCEPTS)
