"""The small files of a recording, whole, odd and broken."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from superbizagent.datasources.bundle.folder import FolderFacts, check_folder, read_folder
from superbizagent.datasources.bundle.label_text import parse_labels
from superbizagent.datasources.bundle.log_names import entity_of_log
from superbizagent.domain.outputs import Edge
from superbizagent.errors import NothingReadableError

TOPOLOGY = """
services:
  order:
    {kind: service, calls: [stock, db], owner: shop, runbook: "http://runbook", channel: "#s"}
  db: {kind: database}
  front: {calls: order}
  odd: 5
aliases: {orders: order, mysqld-exporter: db}
"""


def read(folder: Path, **files: str) -> FolderFacts:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return read_folder(folder)


def test_the_alert_is_read(tmp_path: Path) -> None:
    facts = read(tmp_path, alert_json='[{"labels": {"alertname": "Slow"}}]')
    assert [a.name for a in facts.alerts] == ["Slow"]


def test_a_question_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, question_txt=" why? \n").question == "why?"


def test_an_empty_or_broken_alert_is_noted(tmp_path: Path) -> None:
    assert read(tmp_path, alert_json=" ").notes == ["alert.json is empty"]
    broken = read(tmp_path, alert_json='{"alerts": [{')
    assert broken.alerts == ()
    assert "malformed" in broken.notes[0]


def test_the_topology_is_read_with_every_name_once(tmp_path: Path) -> None:
    facts = read(tmp_path, topology_yaml=TOPOLOGY)
    assert facts.kinds == {"order": "service", "db": "database"}
    assert facts.aliases == {"orders": "order", "mysqld-exporter": "db"}
    assert facts.topology.edges == (
        Edge(caller="front", callee="order"),
        Edge(caller="order", callee="db"),
        Edge(caller="order", callee="stock"),
    )
    names = [node.name for node in facts.topology.nodes]
    assert names == ["db", "front", "odd", "order", "stock"]
    order = facts.topology.nodes[3]
    assert (order.owner, order.runbook_url, order.channel) == ("shop", "http://runbook", "#s")


@pytest.mark.parametrize(
    "text", ["services: [", "- just\n- a list", "\x01", "a: &x [*x, *y]", "? {a: b", "5"]
)
def test_a_malformed_topology_is_noted(tmp_path: Path, text: str) -> None:
    facts = read(tmp_path, topology_yaml=text)
    assert facts.topology.nodes == ()
    assert len(facts.notes) == 1
    assert "topology.yaml" in facts.notes[0]
    assert "\n" not in facts.notes[0]


def test_a_graph_adds_edges(tmp_path: Path) -> None:
    graph = "caller,callee\nfront,order\norder,cache\nbroken\n,x\n"
    facts = read(tmp_path, topology_yaml=TOPOLOGY, graph_csv=graph)
    assert Edge(caller="order", callee="cache") in facts.topology.edges
    assert len(facts.topology.edges) == 4
    assert facts.notes[-1] == "graph.csv: 2 rows without caller and callee"


def test_a_malformed_graph_is_noted(tmp_path: Path) -> None:
    facts = read(tmp_path, graph_csv="caller,callee\n" + "x" * 200_000)
    assert facts.topology.edges == ()
    assert "graph.csv is malformed" in facts.notes[0]


def test_changes_are_read_oldest_first(tmp_path: Path) -> None:
    lines = [
        '{"at": "2026-03-01T12:00:00Z", "entity": "order", "kind": "deploy", "summary": "v2"}',
        '{"time": 1772366300, "service": "db", "message": "set max_connections", "author": "op"}',
        "torn {",
        '{"entity": "no time"}',
        "[1]",
        "",
    ]
    facts = read(tmp_path, changes_jsonl="\n".join(lines))
    assert [(c.entity, c.kind, c.summary) for c in facts.changes] == [
        ("db", "change", "set max_connections"),
        ("order", "deploy", "v2"),
    ]
    assert facts.changes[1].at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    (note,) = facts.notes
    assert note.startswith("changes.jsonl: left out line 3, 4, 5: malformed or no time; write {")


def test_a_list_of_changes_that_cannot_be_read_at_all_is_no_empty_list(tmp_path: Path) -> None:
    facts = read(tmp_path, changes_jsonl="torn {\n")
    assert (facts.has_changes, facts.unreadable) == (False, ["changes.jsonl"])
    assert read(tmp_path, changes_jsonl="").has_changes


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ('{"scrape_interval_seconds": 15}', 15),
        ('{"scrape_interval": "1m"}', 60),
        ('{"scrape_interval": "500ms"}', 0.5),
        ('{"version": "2.53"}', None),
        ('{"scrape_interval": "often"}', None),
        ('{"scrape_interval": -1}', None),
        ("[]", None),
        ("{", None),
    ],
)
def test_the_source_is_read(tmp_path: Path, text: str, seconds: float | None) -> None:
    facts = read(tmp_path, source_json=text)
    expected = None if seconds is None else timedelta(seconds=seconds)
    assert facts.scrape_interval == expected
    assert bool(facts.notes) == (seconds is None and "version" not in text)


@pytest.mark.parametrize(
    ("name", "hours"), [("UTC", 0), ("+08:00", 8), ("-0330", -3.5), ("Asia/Shanghai", 8)]
)
def test_the_zone_of_the_logs_is_read(tmp_path: Path, name: str, hours: float) -> None:
    facts = read(tmp_path, source_json=f'{{"log_timezone": "{name}"}}')
    assert facts.log_timezone is not None
    assert datetime(2026, 3, 1, tzinfo=facts.log_timezone).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["Mars/Crater", "../../etc", "8"])
def test_an_unknown_zone_is_noted(tmp_path: Path, name: str) -> None:
    facts = read(tmp_path, source_json=f'{{"log_timezone": "{name}"}}')
    assert facts.log_timezone is None
    assert "is not understood" in facts.notes[0]


def test_of_a_label_only_times_and_names_are_read(tmp_path: Path) -> None:
    text = (
        '{"entry": "front", "alert_metric": "front|latency", "inject_time": 1772366400.0,'
        ' "alert_time": 1772366460, "end_time": null, "root_cause": "db", "fault": "cpu"}'
    )
    facts = read(tmp_path, label_json=text)
    assert facts.entry == "front"
    assert facts.alert_metric == "front|latency"
    assert facts.hints == {
        "inject_time": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "alert_time": datetime(2026, 3, 1, 12, 1, tzinfo=UTC),
    }
    assert "db" not in repr(facts)
    assert "cpu" not in repr(facts)


def test_normal_telemetry_stands_beside_the_folder(tmp_path: Path) -> None:
    case = tmp_path / "case"
    case.mkdir()
    (tmp_path / "_normal" / "calm").mkdir(parents=True)
    assert read(case, label_json='{"normal": "calm"}').baseline == tmp_path / "_normal" / "calm"


@pytest.mark.parametrize("name", ["..", "../..", "a/b", "/etc", "gone"])
def test_normal_telemetry_is_never_elsewhere(tmp_path: Path, name: str) -> None:
    facts = read(tmp_path, label_json=f'{{"normal": "{name}"}}')
    assert facts.baseline is None


def test_a_truth_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "truth.yaml").mkdir()  # opening it would be an error and a note
    assert read_folder(tmp_path) == FolderFacts()


def test_what_is_no_folder_is_one_line_of_advice(tmp_path: Path) -> None:
    file = tmp_path / "order.log"
    file.write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    said: list[str] = []
    for path in (tmp_path / "gone", file, tmp_path / "empty"):
        with pytest.raises(NothingReadableError) as caught:
            check_folder(path)
        said.append(str(caught.value).replace(str(tmp_path), "DIR"))
    assert said == snapshot(
        [
            "there is no folder 'DIR/gone'; pass the folder of a recorded incident",
            """\
'DIR/order.log' is a file, not the folder of a recorded incident; for a log file use --logs \
NAME=FILE, for an alert --alert FILE\
""",
            "the folder 'DIR/empty' is empty; record an incident into it first",
        ]
    )


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("", {}),
        ("{}", {}),
        ('{"a":"b","n":5}', {"a": "b", "n": "5"}),
        ('{a="b",c="d\\"e\\n"}', {"a": "b", "c": 'd"e\n'}),
        ('a="b", c="d"', {"a": "b", "c": "d"}),
        ('{"a":', None),
        ('{"a"}', None),
        ("nonsense", None),
        ('a="b" c="d"', None),
    ],
)
def test_label_sets_are_read_in_either_form(text: str, labels: dict[str, str] | None) -> None:
    assert parse_labels(text) == labels


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("order", "order"),
        ("mysqld-slow", "mysqld"),
        ("mysqld.err", "mysqld"),
        ("nginx-access", "web"),
        ("order-7d9f8b6c5d-x2x4z", "order"),
        ("stock-0", "stock"),
        ("stock-0-error", "stock"),
        ("unknown-slow", "unknown-slow"),
        ("orders", "order"),
    ],
)
def test_log_files_speak_of_known_entities(name: str, entity: str) -> None:
    known = {"order", "mysqld", "stock"}
    assert entity_of_log(name, known, {"nginx": "web", "orders": "order"}) == entity


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("services: [1, 2]", "topology.yaml: services is no mapping of names and was left out"),
        ("services: {a: 5}", "topology.yaml: what stands at 'a' is no mapping"),
        (
            "services: {a: {calls: [b, 7]}}",
            "topology.yaml: calls of 'a' that are no names were left out",
        ),
        ("services: {a: }\naliases: [b]", "topology.yaml: aliases is no mapping and was left out"),
    ],
)
def test_entries_of_a_topology_that_mean_nothing_are_noted(
    tmp_path: Path, text: str, note: str
) -> None:
    facts = read(tmp_path, topology_yaml=text)
    assert facts.notes == [note]
    assert facts.unreadable == []


def test_evidence_of_which_nothing_is_left_is_lost(tmp_path: Path) -> None:
    facts = read(tmp_path, topology_yaml="services: [", graph_csv="caller,callee\n" + "x" * 200_000)
    assert facts.unreadable == ["topology.yaml", "graph.csv"]


def test_malformed_rules_are_noted(tmp_path: Path) -> None:
    facts = read(tmp_path, rules_json='{"groups": [')
    assert [n.partition(" and ")[0] for n in facts.notes] == ["rules.json is malformed JSON"]
    assert facts.unreadable == []
