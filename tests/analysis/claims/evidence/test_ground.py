"""What a statement is held against: columns, masks, looks, names and quotable texts."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from analysis_builders import START, System, pool_incident
from diagnosing import diagnose, report_of
from grounds import WINDOWS, call, ground_of, logs, metrics, scope_of, system_ground, topology
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Ground, Period, Statistic
from superbizagent.domain.alert import Alert
from superbizagent.domain.fact import Fact
from superbizagent.domain.outputs import AlertList, Change, ChangeList, Edge, Topology
from superbizagent.domain.plan import ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, from_ms, to_ms

EXAMPLE = Path(__file__).parents[4] / "examples" / "mysql-connection-pool"
LABELS = ("service_name", "service", "app", "app_kubernetes_io_name", "job", "container", "host")
ORDER = "//service/order-service"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    done = diagnose(EXAMPLE, tmp_path_factory.mktemp("data"))
    found = done.diagnosis
    return Ground.of(found.evidence, found.analysis, found.scope, report_of(done).frame, LABELS)


@pytest.fixture(scope="module")
def pool() -> Ground:
    edges = (Edge(caller="web", callee="order-service"),)
    return system_ground(pool_incident(), topology(3, Topology(edges=edges)))


def picked(ground: Ground, found: NDArray[np.bool_] | NDArray[np.int64]) -> list[Fact]:
    """The facts of a mask, or of rows."""
    rows: list[int] = (np.flatnonzero(found) if found.dtype == np.bool_ else found).tolist()
    return [ground.facts[row] for row in rows]


def bare(facts: list[Fact]) -> set[str]:
    """The metric names of facts."""
    return {fact.name.partition("{")[0] for fact in facts}


# Columns ------------------------------------------------------------------------------------------


def test_every_fact_is_a_row_in_its_unit(example: Ground) -> None:
    stored = tuple(f for row in example.evidence.invocations for f in row.facts)
    assert example.facts[: example.stored_facts] == stored
    assert len(example) == len(example.value) > example.stored_facts
    for row, fact in enumerate(example.facts):
        number = isinstance(fact.value, int | float)
        assert np.isnan(example.value[row]) != number
        assert not number or example.value[row] == fact.value
        unit = example.units[int(example.unit[row])]
        named = "ms" if fact.name == "field:duration_ms" else ""  # the field's own name says it
        assert unit == (fact.unit or named)
        assert example.call[row] == fact.call
        assert example.at[row] == (-1 if fact.at is None else to_ms(fact.at))
        assert example.fact(fact.id) == fact
        assert example.row(fact.id) == row
        owner = int(example.entity[row])
        assert not fact.entity or example.entities[owner] == fact.entity


def test_the_same_evidence_gives_the_same_ground(example: Ground) -> None:
    again = Ground.of(example.evidence, example.analysis, example.scope, example.frame, LABELS)
    assert again.facts == example.facts
    assert again.looks == example.looks
    assert again.names == example.names
    assert np.array_equal(again.concepts, example.concepts)
    assert np.array_equal(again.subject, example.subject)


PERIODS = [
    ("E6.g208.before.mean_mean", Period.BASELINE),
    ("E6.g208.mean_mean", Period.INCIDENT),
    ("E6.g208.since.mean_mean", Period.INCIDENT),
    ("E6.1", Period.WHOLE),  # how many series were examined
    ("E4.1", Period.NONE),  # how many edges there are
    ("E3.2", Period.POINT),  # that an alert fires
]


@pytest.mark.parametrize(("fact_id", "period"), PERIODS)
def test_periods(example: Ground, fact_id: str, period: Period) -> None:
    row = example.row(fact_id)
    assert row is not None
    assert example.period[row] == period


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("max", Statistic.MAX),
        ("rate_max", Statistic.MAX),
        ("mean_min", Statistic.MIN),
        ("mean", Statistic.MEAN),
        ("mean_mean", Statistic.MEAN),
        ("mean_mean_since", Statistic.MEAN),
        ("rate_mean_before", Statistic.MEAN),
        ("mean_since", Statistic.MEAN),
        ("rate_median", Statistic.MEDIAN),
        ("last", Statistic.LAST),
        ("count", Statistic.COUNT),
        ("baseline_count", Statistic.COUNT),
        ("increase", Statistic.TOTAL),
        ("failed", Statistic.TOTAL),
        ("requests", Statistic.TOTAL),
        ("onset_at", Statistic.ONSET),
        ("last_at", Statistic.OTHER),
        ("rate_constant", Statistic.CONSTANT),
        ("p95", Statistic.P95),
        ("elapsed", Statistic.OTHER),
        ("severity", Statistic.OTHER),
    ],
)
def test_statistics_of_the_example(example: Ground, statistic: str, expected: Statistic) -> None:
    rows = [k for k, fact in enumerate(example.facts) if fact.statistic == statistic]
    assert rows
    assert {Statistic(int(example.statistic[k])) for k in rows} == {expected}


def test_values_of_one_series_share_a_subject(example: Ground) -> None:
    stored = next(f for f in example.facts if f.statistic == "mean_mean_since")
    read = next(f for f in example.facts[example.stored_facts :] if f.name == stored.name)
    rows = [example.row(stored.id), example.row(read.id)]
    codes: set[int] = {int(example.subject[row]) for row in rows if row is not None}
    assert len(codes) == 1
    assert example.subjects[codes.pop()].name == stored.name


# Citations ----------------------------------------------------------------------------------------


def test_a_mark_stands_for_a_fact_or_for_a_call(example: Ground) -> None:
    one = picked(example, example.rows_of_marks(["E7.2"]))
    assert [f.id for f in one] == ["E7.2"]
    of_call = picked(example, example.rows_of_marks(["E6"]))
    assert of_call == [f for f in example.facts if f.call == 6]
    both = picked(example, example.rows_of_marks(["E7.2", "E6"]))
    assert [f.id for f in both] == [f.id for f in example.facts if f.call == 6 or f.id == "E7.2"]


@pytest.mark.parametrize("mark", ["E99", "E4.99999", "E", "E4.", "x", "", "E4.2.3", "E" + "9" * 40])
def test_a_mark_of_nothing_stands_for_nothing(example: Ground, mark: str) -> None:
    assert example.rows_of_marks([mark]).tolist() == []
    assert example.fact(mark) is None


def test_a_check_s_call_stands_for_the_readings_of_its_series(example: Ground) -> None:
    facts = picked(example, example.rows_of_marks(["E12"]))
    assert {f.call for f in facts} == {6, 12}
    assert bare([f for f in facts if f.call == 6]) == {"db_client_connection_pending_requests"}


# Masks --------------------------------------------------------------------------------------------


def test_masks_are_what_a_loop_would_find(example: Ground) -> None:
    incident = example.frame.windows.incident
    for period, code in (("incident", Period.INCIDENT), ("baseline", Period.BASELINE)):
        spans = (incident,) if period == "incident" else example.frame.windows.baselines
        found = example.select(entities=(ORDER,), unit="s", period=period)
        expected = [
            fact.entity == ORDER
            and fact.unit == "s"
            and (
                example.period[row] == code
                or (
                    example.period[row] == Period.POINT
                    and fact.at is not None
                    and any(span.covers(fact.at) for span in spans)
                )
            )
            for row, fact in enumerate(example.facts)
        ]
        assert found.tolist() == expected
        assert found.any()


def test_a_selection_is_the_caller_s_own(example: Ground) -> None:
    found = example.select(entities=(ORDER,))
    found[:] = False
    assert example.select(entities=(ORDER,)).any()
    with pytest.raises(ValueError, match="read-only"):
        example.of_entities((ORDER,))[0] = True


def test_nothing_asked_is_everything(example: Ground) -> None:
    assert example.select().all()
    assert example.of_period("").all()
    assert example.of_statistic("").all()
    assert not example.of_entities(("//service/nobody",)).any()
    assert not example.select(rows=np.array([], np.int64)).any()
    assert example.select(rows=np.array([3])).nonzero()[0].tolist() == [3]


def test_what_never_moved_was_its_own_largest_and_least(example: Ground) -> None:
    row = next(k for k, f in enumerate(example.facts) if f.statistic == "constant")
    for statistic in ("max", "min", "mean", "median", "last"):
        assert example.of_statistic(statistic)[row]


def test_a_percentile_may_stand_in_the_name(pool: Ground) -> None:
    found = picked(pool, pool.of_statistic("p95"))
    assert bare(found) == {"http_server_request_duration_seconds_p95"}
    assert not pool.of_statistic("p99").any()


def test_rows_between_two_times(example: Ground) -> None:
    start = example.frame.windows.incident.start
    found = example.rows_between(start, start + timedelta(minutes=5))
    for fact in picked(example, found):
        assert fact.at is not None
        assert start <= fact.at <= start + timedelta(minutes=5)
    assert found.any()


WORDS = st.sampled_from(
    ["db", "client", "connection", "pending", "orders", "503", "5xx", "mysql", "nothing", "p95"]
)
NAMES = st.sampled_from(["latency", "error", "connection", "pool", "cpu", "memory", "waiting"])


@given(st.sets(NAMES), st.frozensets(WORDS))
def test_overlap_counts_what_is_shared(names: set[str], tokens: frozenset[str]) -> None:
    ground = SMALL
    bits = concept_bits(names)
    found = ground.overlap(bits, tokens)
    assert found.dtype == np.int8
    for row in range(len(ground)):
        subject = ground.subjects[int(ground.subject[row])]
        shared = (int(ground.concepts[row]) & bits).bit_count() + len(subject.tokens() & tokens)
        assert found[row] == shared


def test_a_log_fact_shares_the_words_of_its_record(pool: Ground) -> None:
    found = pool.overlap(0, frozenset({"connection", "available", "timed"}))
    best = {fact.name for fact in picked(pool, found == 3)}
    assert {name for name in best if name.startswith("log:")}
    # A number in a record is about what the record says too.
    assert {name for name in best if name.startswith("field:")}


def test_a_status_code_is_its_class_too(pool: Ground) -> None:
    found = pool.overlap(0, frozenset({"5xx"})) > 0
    assert bare(picked(pool, found)) == {"http_server_responses_total"}


def test_a_series_of_nobody_is_its_pod_s() -> None:
    labels = {"__name__": "queue_length", "pod": "mail-7c9f"}
    times = START + np.arange(0, 2700, 15, dtype=np.int64) * 1000
    system = System()
    system.rows = [(labels, times, np.full(len(times), 3.0))]
    ground = ground_of([metrics(1, system.series)], scope_of("web"))
    assert ground.names.entities["mail-7c9f"] == ("mail-7c9f",)
    found = ground.select(entities=("mail-7c9f",))
    assert {fact.name for fact in picked(ground, found)} == {'queue_length{pod="mail-7c9f"}'}


def test_records_of_an_uncatalogued_service_are_its_own() -> None:
    system = System()
    system.log(2400, "batch", "error", "cannot write the report")
    ground = ground_of([logs(1, system.digest())], scope_of("web"))
    found = picked(ground, ground.select(entities=("batch",)))
    assert {"error_records", "records"} <= {fact.name for fact in found}
    assert ground.names.entities["batch"] == ("batch",)
    assert ground.looks[0].entities == ("batch",)


def test_what_failed_is_called_an_error(example: Ground) -> None:
    error = concept_bits(["error"])
    failed = picked(example, example.overlap(error, frozenset()) > 0)
    whole = [f for f in example.facts if f.statistic in {"failed", "share"}]
    assert whole
    assert all(fact in failed for fact in whole)


def test_a_series_is_known_by_its_place(example: Ground) -> None:
    code = example.stored.names.index('node_load1{instance="node-1",job="node"}')
    fact = example.fact(example.stored.place(code))
    assert fact is not None
    assert (fact.name, fact.entity) == (example.stored.names[code], "//host/node")
    assert fact.value is None


# Samples ------------------------------------------------------------------------------------------


def test_samples_at_a_time_are_those_that_were_stored(pool: Ground) -> None:
    at = from_ms(START + 2_500_000)
    found = pool.samples_at((ORDER,), at, at + timedelta(seconds=60), tokens=frozenset({"pending"}))
    assert len(found) == 5  # one in force at 2,500 s, and one each 15 s up to 2,560 s
    assert found.times.tolist() == [START + 1000 * s for s in (2490, 2505, 2520, 2535, 2550)]
    for value, unit, when, id_ in zip(
        found.values, found.unit, found.times, found.ids, strict=True
    ):
        fact = pool.fact(id_)
        assert fact is not None
        assert (fact.value, fact.unit) == (value, found.units[unit])
        assert fact.at == from_ms(int(when))
        assert fact.entity == ORDER


def test_samples_of_a_counter_are_its_rates(pool: Ground) -> None:
    at = from_ms(START + 2_500_000)
    found = pool.samples_at((ORDER,), at, at, tokens=frozenset({"responses"}))
    series = pool.stored.names.index(
        'http_server_responses_total{http_response_status_code="503",service="order-service"}'
    )
    times, values = pool.stored.raw.times, pool.stored.raw.values
    own = pool.stored.raw.owner == series
    k = int(np.flatnonzero(times[own] == START + 2_490_000)[0])
    assert found.values.tolist() == [(values[own][k] - values[own][k - 1]) / 15]
    assert found.units == ("/s",)


def test_no_sample_is_in_force_for_long(pool: Ground) -> None:
    late = from_ms(START + 2_700_000 + 60_000)
    assert len(pool.samples_at(None, late, late)) == 0
    assert len(pool.samples_at((), late, late)) == 0
    assert len(pool.samples_at(None, late - timedelta(seconds=45), late)) > 0


# Looks --------------------------------------------------------------------------------------------


def test_looks_tell_what_was_looked_at(example: Ground) -> None:
    by_number = {look.number: look for look in example.looks}
    assert list(by_number) == [row.number for row in example.evidence.invocations]
    assert by_number[6].entities == (ORDER,)
    assert not by_number[6].partial
    assert by_number[11].partial
    assert by_number[18].status is EvidenceStatus.EMPTY
    # No file of the host was read, though its logs were asked for.
    assert by_number[10].entities == ("//database/mysql", ORDER, "//service/storefront")


def test_only_a_whole_answered_look_covers(example: Ground) -> None:
    incident = example.frame.windows.incident
    assert example.covers(ToolName.QUERY_METRICS, ORDER, incident)
    assert example.covers(ToolName.SEARCH_LOGS, ORDER, incident)
    assert not example.covers(ToolName.SEARCH_LOGS, "//host/node", incident)
    assert not example.covers(ToolName.SEARCH_TRACES, ORDER, incident)
    assert example.covers(ToolName.LIST_CHANGES, ORDER)
    later = Window(start=incident.start, end=incident.end + timedelta(minutes=1))
    assert not example.covers(ToolName.QUERY_METRICS, ORDER, later)


@pytest.mark.parametrize(
    "more",
    [
        {"status": EvidenceStatus.ERROR},
        {"status": EvidenceStatus.TIMEOUT},
        {"truncated": True},
        {"purpose": "check:playbook/hypothesis/check"},
        {"asked": {"contains": ["refused"]}},
        {"purpose": "sweep://service/api"},
    ],
)
def test_a_look_that_was_not_whole_covers_nothing(more: dict[str, Any]) -> None:
    scope = scope_of("web", "api")
    whole = ground_of([call(1, None, status=EvidenceStatus.EMPTY)], scope)
    assert whole.covers(ToolName.QUERY_METRICS, "//service/web")
    given: dict[str, Any] = {"status": EvidenceStatus.EMPTY} | more
    assert not ground_of([call(1, None, **given)], scope).covers(
        ToolName.QUERY_METRICS, "//service/web"
    )


# Names --------------------------------------------------------------------------------------------


def test_names_are_those_of_catalogue_series_and_outputs(example: Ground) -> None:
    entities = example.names.entities
    assert entities["order-service"] == entities[ORDER] == (ORDER,)
    assert entities["order-1"] == (ORDER,)  # its instance
    assert entities["mysql-slow"] == ("//database/mysql",)  # an alias of the bundle
    assert "http_server_request_duration_seconds_count" in example.names.metrics
    assert "waiting_threads" in example.names.metrics  # a field of log records


def test_a_name_of_two_entities_is_both() -> None:
    scope = scope_of("web", aliases={"front": "web"})
    twice = scope.catalogue.entities[0].model_copy(update={"namespace": "blue"})
    catalogue = scope.catalogue.model_copy(update={"entities": (*scope.catalogue.entities, twice)})
    ground = ground_of([], scope.model_copy(update={"catalogue": catalogue}))
    assert ground.names.entities["web"] == ("//service/web", "/blue/service/web")
    assert ground.names.entities["front"] == ("//service/web", "/blue/service/web")


# Quotes -------------------------------------------------------------------------------------------


def quotable() -> Ground:
    alert = Alert(
        labels={"alertname": "PoolExhausted", "service": "web"},
        annotations={"summary": "pool  of web\tis full", "description": "all 50 are held"},
    )
    start = WINDOWS.incident.start
    change = Change(at=start, entity="web", summary="raise pool to 50", revision="r7")
    system = System()
    system.service("web")
    system.service("mail")
    for k in range(40):
        system.log(2400 + k, "web", "error", f"cannot get  connection no={k} after 30s: pool full")
        system.log(2400 + k, "mail", "info", f"sent {k} mails ｔｏ customers\u200b")
    rows = [
        metrics(1, system.series),
        logs(2, system.digest()),
        call(3, AlertList(alerts=(alert,)), ToolName.LIST_ALERTS, "context"),
        call(4, ChangeList(changes=(change,)), ToolName.LIST_CHANGES, "context"),
    ]
    return ground_of(rows, scope_of("web", "mail"))


SMALL = quotable()
WEB, MAIL = "//service/web", "//service/mail"


@pytest.mark.parametrize(
    ("content", "entities", "found"),
    [
        ("cannot get connection", None, True),
        ("cannot get  connection no=3 ", (WEB,), True),
        ("cannot get connection", (MAIL,), False),
        ("cannot get connection … pool full", (WEB,), True),
        ("cannot get connection ... after 30s", (WEB,), True),
        ("pool full … cannot get connection", None, False),
        ("no=3 after 30s: pool full no=4", None, False),
        # Two records, one after the other: no text holds both.
        ("pool full … sent", None, False),
        ("cannot get connections", None, False),
        ("mails to customers", (MAIL,), True),
        ("cannot get connection no=<*> after", (WEB,), True),
        ("pool of web is full", None, True),
        ("all 50 are held", None, True),
        ("PoolExhausted", None, True),
        ("raise pool to 50", None, True),
        ("r7", None, True),
        ("", None, False),
        ("…", None, False),
        (" \t ", None, False),
    ],
)
def test_quotes(content: str, entities: tuple[str, ...] | None, *, found: bool) -> None:
    assert bool(SMALL.find_quote(content, entities)) == found


def test_a_quoted_line_is_a_fact() -> None:
    ids = SMALL.find_quote("no=17 after")
    assert ids
    for id_ in ids:
        fact = SMALL.fact(id_)
        assert fact is not None
        assert "no=17 after" in fact.quote
        assert fact.entity == WEB
        assert fact.call == 2
    assert SMALL.fact("E2.l9999") is None
    assert SMALL.fact("E1.l0") is None


def test_finding_a_quote_takes_time_linear_in_the_texts() -> None:
    def seconds(records: int) -> float:
        system = System()
        for k in range(records):
            system.log(2400 + 200 * k / records, "web", "error", "ab " * 60 + f"{k}")
        ground = ground_of([logs(1, system.digest())], scope_of("web"))
        ground.find_quote("warm up")
        start = time.process_time()
        for _ in range(20):
            assert ground.find_quote("ab … ab … ab … ac") == ()
        return time.process_time() - start

    seconds(50)
    assert seconds(400) < 40 * max(seconds(50), 1e-3)


# Speed --------------------------------------------------------------------------------------------


def test_a_comparison_takes_microseconds(example: Ground) -> None:
    bits, tokens = concept_bits(["latency"]), frozenset({"http", "server", "duration"})
    example.overlap(bits, tokens)
    start = time.process_time()
    for _ in range(200):
        example.overlap(bits, tokens)
        example.select(entities=(ORDER,), period="incident", statistic="max")
    each = (time.process_time() - start) / 200
    # 25 µs on an idle core over 8,000 facts.
    assert each < 250e-6


def test_building_the_example_s_ground_is_quick(example: Ground) -> None:
    took: list[float] = []
    for _ in range(3):
        start = time.process_time()
        Ground.of(example.evidence, example.analysis, example.scope, example.frame, LABELS)
        took.append(time.process_time() - start)
    # 0.12 s on an idle core.
    assert min(took) < 0.4
