"""The commands as a user types them: what they print, how they end, and what bad input gets."""

import io
import json
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest

import variants
from commanding import Superbiz
from superbizagent.errors import StorageError


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return variants.copy(variants.POOL, tmp_path / "incident")


# -- the path of a user ------------------------------------------------------------------------


def test_demo_fits_the_first_screen_and_names_the_cause(superbiz: Superbiz) -> None:
    ended = superbiz("demo")
    lines = ended.out.rstrip("\n").split("\n")
    assert ended.code == 0
    assert "connection pool exhausted" in lines[0]
    assert len(lines) <= 25
    assert max(len(line) for line in lines) <= 100
    assert ended.err.count("\n") == 2  # scope and gather; progress stays off stdout


def test_json_report_is_one_object_with_cited_claims(superbiz: Superbiz, bundle: Path) -> None:
    value = json.loads(superbiz("diagnose", bundle, "--json", "-q").out)
    cited = [c for c in value["report"]["claims"] if c["fact_ids"]]
    assert value["report"]["verdict"] == "root_cause_found"
    assert len(cited) > 10


def test_stored_session_is_listed_shown_verified_replayed_and_explained(
    superbiz: Superbiz, bundle: Path, tmp_path: Path
) -> None:
    first = superbiz("diagnose", bundle, "-q", "--session", "case-1")
    assert "case-1" in superbiz("trace", "list").out
    assert json.loads(superbiz("trace", "list", "--json").out)["session_id"] == "case-1"
    assert "aiops_rule_evaluation: PASS" in superbiz("trace", "show", "last").out
    assert superbiz("trace", "verify", "case-1").out.startswith("intact: ")
    assert superbiz("replay", "case").out.startswith("same bytes: sha256:")
    shutil_free = tmp_path / "gone"
    bundle.rename(shutil_free)  # the sources are gone; the record is enough
    assert superbiz("replay", "last").code == 0
    exported = tmp_path / "case-1.export"
    assert superbiz("trace", "export", "case-1", "--out", exported).code == 0
    assert superbiz("replay", exported).out.startswith("same bytes: ")
    mark = re.search(r"\[(E\d+\.\d+)\]", first.out)
    assert mark is not None
    told = superbiz("explain", "case-1", mark[1]).out
    assert told.startswith(f"{mark[1]}  ")
    assert "see again" in told
    assert "query " in told


def test_explaining_a_log_fact_gives_a_command_that_prints_the_line(
    superbiz: Superbiz, bundle: Path
) -> None:
    value = json.loads(superbiz("diagnose", bundle, "--json", "-q", "--session", "s").out)
    invocations = json.loads(superbiz("trace", "show", "s", "--json").out)["invocations"]
    logs = next(row for row in invocations if row["tool_name"] == "search_logs")
    fact = next(f for f in logs["details"]["facts"] if "/line/" in f["place"])
    told = superbiz("explain", "s", fact["id"]).out
    command = re.search(r"^see again  (.*)$", told, re.MULTILINE)
    assert command is not None
    shell = ["bash", "-c", command[1]]
    printed = subprocess.run(shell, capture_output=True, text=True, check=False).stdout
    assert printed.startswith(fact["quote"][:40])
    assert value["report"]["claims"]


def test_second_session_of_a_name_is_the_first_one_again(superbiz: Superbiz, bundle: Path) -> None:
    first = superbiz("diagnose", bundle, "--session", "again", "--markdown", "-q")
    second = superbiz("diagnose", bundle, "--session", "again", "--markdown", "-q")
    assert "going on with session again (completed)" in second.err
    assert first.out.split("\n---\n")[0] == second.out.split("\n---\n")[0]


def test_logs_alone_are_diagnosed(superbiz: Superbiz, bundle: Path) -> None:
    ended = superbiz(
        "diagnose",
        "--alert",
        bundle / "alert.json",
        "--logs",
        f"order-service={bundle}/logs/order-service.log",
    )
    assert ended.code == 0
    assert "order-service" in ended.out
    assert "no metrics were read" in ended.out


def test_local_times_of_logs_are_placed_by_the_alert(superbiz: Superbiz, bundle: Path) -> None:
    variants.zoneless(bundle, 8)
    logs = f"order-service={bundle}/logs/order-service.log"
    ended = superbiz("diagnose", "--alert", bundle / "alert.json", "--logs", logs, "--full", "-q")
    assert ended.code == 0
    assert "+08:00" in ended.out
    assert "QueuePool limit" in ended.out


def test_last_counts_back_from_the_end_of_a_recording(superbiz: Superbiz, bundle: Path) -> None:
    (bundle / "alert.json").unlink()
    ended = superbiz("diagnose", bundle, "--last", "8m", "-q")
    assert "connection pool exhausted" in ended.out.splitlines()[0]


def test_what_is_piped_in_is_gone_when_the_session_has_ended(
    superbiz: Superbiz, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = io.BytesIO((bundle / "logs" / "order-service.log").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))
    ended = superbiz(
        "diagnose", "--alert", bundle / "alert.json", "--logs", "order-service=-", "-q"
    )
    assert "order-service" in ended.out
    assert list((tmp_path / "data" / "stdin").iterdir()) == []


def test_interrupted_says_how_to_go_on(
    superbiz: Superbiz, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("superbizagent.cli.running.run_session", stopped)
        ended = superbiz("diagnose", bundle, "-q")
    assert ended.code == 130
    command = re.search(r"superbiz (diagnose --session \S+)", ended.error)
    assert command is not None
    assert superbiz(*command[1].split(), "-q").code == 0


# -- bad input: one line that says what to do, the right code, nothing lost ---------------------


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("diagnose",), 2, "nothing to look at"),
        (("diagnose", "no/such/folder"), 3, "no/such/folder"),
        (("diagnose", "--logs", "a=/no/such/*.log"), 2, "matches no file"),
        (("diagnose", "x", "--last", "soon"), 2, "write 90s, 15m or 1h30m"),
        (("diagnose", "x", "--alert", "/no/such/alert.json"), 2, "cannot be read"),
        (("diagnose", "x", "--last", "0s"), 2, "is no time at all"),
        (("diagnose", "--logs", "a=/tmp"), 2, "is a folder; write 'a=/tmp/*.log'"),
        (("diagnose", "x", "--log-tz", "Mars"), 2, "is no time zone"),
        (("diagnose", "x", "--timezone", "Mars"), 2, "is no time zone such as Asia/Shanghai"),
        (("diagnose", "why is it slow?"), 2, "nothing to look at"),
        (("diagnose", "x" * 300), 2, "nothing to look at"),
        (("diagnose", "x?", "--question", "y?", "--logs", "a=/no"), 2, "--question is given"),
        (("trace", "show", "x" * 300), 2, "there is no session"),
        (("diagnose", "x", "--alert", "y" * 300), 2, "cannot be read"),
        (("replay", "nope"), 2, "there is no session 'nope'"),
        (("trace", "verify", "nope"), 2, "there is no session 'nope'"),
        (("explain", "nope", "banana"), 2, "is no citation"),
        (("diagnose", "x", "--session", "we ird/../x"), 2, "letters, digits and any of . _ : -"),
        (("diagnose", "x", "--session", ""), 2, "take 1 to 128"),
        (("diagnose", "x", "--session", "x" * 129), 2, "take 1 to 128"),
        (("diagnose", "x", "--session", "s\n"), 2, "letters, digits and any of . _ : -"),
    ],
)
def test_what_cannot_be_done_is_one_line_that_says_what_to_do(
    superbiz: Superbiz, args: tuple[str, ...], code: int, says: str
) -> None:
    ended = superbiz(*args)
    assert (ended.code, says in ended.error) == (code, True), ended.error
    assert ended.out == ""


def test_a_misspelt_command_names_the_nearest(superbiz: Superbiz) -> None:
    ended = superbiz("diagnos")
    assert ended.code == 2
    assert "Did you mean 'diagnose'?" in ended.err


def test_a_question_may_be_the_argument(superbiz: Superbiz, tmp_path: Path) -> None:
    log = tmp_path / "orders.log"
    lines = [f"2026-11-30 10:{k // 60:02d}:{k % 60:02d} INFO placed" for k in range(1200)]
    log.write_text("\n".join(lines), encoding="utf-8")
    ended = superbiz("diagnose", "why do orders fail", "--logs", log, "--full", "-q")
    assert ended.code == 0, ended.err
    assert "there is no folder" not in ended.out
    text = " ".join(ended.out.split())
    assert "read as +00:00 (nothing tells the zone; taken as UTC)" in text
    everything = " ".join(superbiz("diagnose", "--logs", log, "--full", "-q").out.split())
    assert "Neither a time nor a service was given: all was looked at from" in everything
    assert "Statements taken out" not in everything


def test_empty_folder_says_what_a_recording_holds(superbiz: Superbiz, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    ended = superbiz("diagnose", empty)
    assert ended.code == 3
    assert "is empty; record an incident into it first" in ended.error


def test_session_of_another_incident_is_not_answered_with_the_old_report(
    superbiz: Superbiz, bundle: Path
) -> None:
    superbiz("diagnose", variants.HEALTHY, "--session", "zz", "-q")
    ended = superbiz("diagnose", bundle, "--session", "zz", "-q")
    assert ended.code == 2
    assert "'zz' is about other sources" in ended.error
    ended = superbiz("diagnose", variants.HEALTHY, "--session", "zz", "--question", "why", "-q")
    assert ended.code == 2
    assert superbiz("diagnose", "--session", "zz", "-q").code == 0


def test_when_nothing_answered_the_report_says_so_and_the_code_is_3(
    superbiz: Superbiz, bundle: Path
) -> None:
    ended = superbiz("diagnose", bundle, "--deadline", "1ms", "-q")
    assert ended.code == 3
    assert "deadline" in superbiz("trace", "show", "last").out
    assert "inconclusive" in ended.out


def test_misspelt_variable_is_named(superbiz: Superbiz, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_DEADLINE", "5")
    ended = superbiz("trace", "list")
    assert ended.code == 0
    assert "SUPERBIZ_DEADLINE is no setting" in ended.err


def test_wrong_setting_names_it(superbiz: Superbiz, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_DEADLINE_SECONDS", "soon")
    ended = superbiz("trace", "list")
    assert ended.code == 2
    assert "deadline_seconds" in ended.error


def test_broken_config_file_names_it(superbiz: Superbiz, tmp_path: Path) -> None:
    (tmp_path / "superbiz.toml").write_text("lang = [")
    ended = superbiz("trace", "list")
    assert ended.code == 2
    assert "superbiz.toml" in ended.error


def test_data_folder_that_is_a_file_is_refused(superbiz: Superbiz, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    ended = superbiz("trace", "list")
    assert ended.code == 1
    assert "SUPERBIZ_DATA_DIR" in ended.error


def test_newer_database_is_left_alone(superbiz: Superbiz, tmp_path: Path) -> None:
    superbiz("trace", "list")
    database = tmp_path / "data" / "superbiz.db"
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    ended = superbiz("demo")
    assert ended.code == 1
    assert "newer" in ended.error


def test_file_that_is_no_database_is_left_alone(superbiz: Superbiz, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    database = tmp_path / "data" / "superbiz.db"
    database.write_text("precious notes " * 100)
    ended = superbiz("demo")
    assert ended.code == 1
    assert database.read_text().startswith("precious notes")


def test_changed_value_is_found_and_named(superbiz: Superbiz, bundle: Path, tmp_path: Path) -> None:
    superbiz("diagnose", bundle, "-q", "--session", "s")
    with sqlite3.connect(tmp_path / "data" / "superbiz.db") as connection:
        connection.execute("UPDATE diagnosis_session SET verdict = 'healthy'")
    ended = superbiz("trace", "verify", "s")
    assert ended.code == 5
    assert "diagnosis_session.verdict" in ended.out


def test_degraded_recording_gives_a_report_that_says_so(superbiz: Superbiz, bundle: Path) -> None:
    (bundle / "metrics.parquet").write_bytes(b"PAR1 but not really")
    (bundle / "topology.yaml").write_text("services: [")
    ended = superbiz("diagnose", bundle)
    assert ended.code == 0
    assert "metrics.parquet" in ended.out
    assert "topology.yaml" in ended.out


def test_alert_without_labels_is_diagnosed_over_everything(
    superbiz: Superbiz, bundle: Path
) -> None:
    (bundle / "alert.json").write_text('[{"startsAt": "2026-11-30T12:18:05Z"}]')
    ended = superbiz("diagnose", bundle)
    assert ended.code == 0
    assert "order-service" in ended.out


def test_exit_codes_are_worded_alike_wherever_they_are_listed(superbiz: Superbiz) -> None:
    """A full disk ends with 1 as well, and names no id."""
    root = Path(__file__).resolve().parents[2]
    pages = ("README.md", "docs/reference/errors.md", "src/superbizagent/errors.py")
    texts = [superbiz("--help").out, *((root / page).read_text("utf-8") for page in pages)]
    assert StorageError.exit_code == 1
    for text in texts:
        assert "internal or storage error" in " ".join(text.split())


def test_database_that_is_not_supported_is_one_line(
    superbiz: Superbiz, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERBIZ_DATABASE_URL", "mysql://x")
    ended = superbiz("trace", "list")
    assert ended.code == 2
    assert "this version supports sqlite+aiosqlite" in ended.error


def test_help_of_every_command_is_there(superbiz: Superbiz) -> None:
    for command in ("demo", "diagnose", "explain", "record", "replay", "trace", "completion"):
        ended = superbiz(command, "--help")
        assert ended.code == 0
        assert "Usage: superbiz" in ended.out
