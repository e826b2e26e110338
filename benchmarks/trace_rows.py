"""A database of many sessions, made by copying one that a real diagnosis wrote.

Every row is a copy with other ids, times and words; what is long is cut, so that 100,000 sessions
fit a disk. The first ones are copied whole.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

__all__ = ["Made", "make_database"]

_WHOLE = 100
"""Sessions that are copied whole."""
_START = datetime(2026, 1, 1, tzinfo=UTC)
_EVERY = timedelta(seconds=170)
_CALLS = 2
"""Calls of a session that is cut."""
_TOOLS = ("query_metrics", "search_logs", "list_alerts", "search_traces", "get_kubernetes")
_TOOL_WEIGHTS = (600, 250, 100, 49, 1)
_VERDICTS = ("root_cause_found", "likely", "inconclusive", "healthy")
_GATES = ("PASS", "WARN", "FAIL")
_CHUNK = 2000

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """What is in the database, for those who ask about it."""

    sessions: int
    invocations: int
    bytes: int
    ids: tuple[str, ...]
    recorded: tuple[str, ...]
    """Of sessions that are whole."""
    calls: tuple[tuple[str, str], ...]
    """(session, call) with an output."""
    tools: tuple[str, ...]
    services: tuple[str, ...]
    conversations: tuple[str, ...]
    incidents: tuple[str, ...]
    times: tuple[str, ...]


def make_database(folder: Path, sessions: int) -> Made:
    """Make it, unless the folder has one already."""
    path = folder / "superbiz.db"
    if not path.exists():
        _diagnose(folder)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA foreign_keys=OFF")
            _fill(connection, sessions)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with closing(sqlite3.connect(path)) as connection:
        return _made(connection, path)


def _diagnose(folder: Path) -> None:
    environment = os.environ | {"SUPERBIZ_DATA_DIR": str(folder), "SUPERBIZ_DATABASE_URL": ""}
    subprocess.run(
        [sys.executable, "-m", "superbizagent", "demo", "--quiet"],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _fill(connection: sqlite3.Connection, sessions: int) -> None:
    connection.row_factory = sqlite3.Row
    model = {
        table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608 - names of ours
        for table in (
            "diagnosis_session",
            "tool_invocation",
            "journal_entry",
            "session_entity",
            "evidence_blob",
        )
    }
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    for start in range(0, sessions, _CHUNK):
        rows: dict[str, list[Row]] = {table: [] for table in model}
        for number in range(start, min(start + _CHUNK, sessions)):
            for table, row in _session(model, number, draw):
                rows[table].append(row)
        with connection:
            for table, made in rows.items():
                _insert(connection, table, made)


def _session(
    model: dict[str, list[Row]], number: int, draw: random.Random
) -> Iterator[tuple[str, Row]]:
    name = f"made-{number:07d}"
    whole = number < _WHOLE
    at = (_START + number * _EVERY).replace(tzinfo=None).isoformat(" ", "microseconds")
    session = {k: v for k, v in model["diagnosis_session"][0].items() if k not in _COMPUTED}
    session |= _drawn(number, draw) | {"session_id": name, "created_at": at, "updated_at": at}
    if not whole:
        session |= _cut(session)
    yield "diagnosis_session", session
    calls = model["tool_invocation"] if whole else model["tool_invocation"][:_CALLS]
    for call in calls:
        made = call | {"id": f"{name}-{call['number']}", "session_id": name}
        if not whole:
            made |= {"details": _short_details(call), "tool_name": _tool(draw)}
        yield "tool_invocation", made
    for table in ("journal_entry", "evidence_blob"):
        kept = model[table] if whole else model[table][:4] if table == "journal_entry" else []
        for row in kept:
            yield table, row | {"session_id": name}
    frequent = f"service-{draw.randrange(3)}"  # names that many sessions have, and few
    for entity in (frequent, f"service-{draw.randrange(3, 2000)}"):
        yield (
            "session_entity",
            {
                "session_id": name,
                "path": f"default/default/service/{entity}",
                "role": "scope",
                "name": entity,
                "kind": "service",
            },
        )


_COMPUTED = ("aiops_gate", "rule_grade", "verifier_verdict")


def _drawn(number: int, draw: random.Random) -> Row:
    chat = draw.random() < 0.2
    gate = draw.choices(_GATES, (85, 14, 1))[0]
    evaluation = {"aiops_rule_evaluation": {"verdict": gate}, "rule_evaluation": {"grade": "HIGH"}}
    return {
        "channel": "CHAT" if chat else "AIOPS",
        "question": f"why is service-{number % 400} slow?" if chat else "",
        "conversation_id": f"conversation-{number // 15}" if chat else None,
        "incident_id": None if chat else f"incident-{number // 2}",
        "status": draw.choices(("completed", "failed", "cancelled"), (97, 2, 1))[0],
        "verdict": draw.choices(_VERDICTS, (50, 25, 20, 5))[0],
        "self_evaluation": json.dumps(evaluation),
    }


def _cut(session: Row) -> Row:
    report = json.loads(session["report"])
    return {
        "report": json.dumps(report | {"claims": report["claims"][:2], "rejected": []}),
        "final_report": session["final_report"][:2000],
        "scope": json.dumps({"cut": session["scope"][:2000]}),
        "plan": json.dumps({"cut": session["plan"][:1000]}),
    }


def _short_details(call: Row) -> str:
    details = json.loads(call["details"])
    return json.dumps(details | {"facts": details.get("facts", [])[:4]})


def _tool(draw: random.Random) -> str:
    return draw.choices(_TOOLS, _TOOL_WEIGHTS)[0]


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    if rows:
        names = ", ".join(rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})", rows)  # noqa: S608 - names of ours


def _made(connection: sqlite3.Connection, path: Path) -> Made:
    def texts(query: str) -> tuple[str, ...]:
        return tuple(str(row[0]) for row in connection.execute(query))

    some = "ORDER BY random() LIMIT 500"
    times = texts(f"SELECT created_at FROM diagnosis_session {some}")  # noqa: S608 - ours
    calls = connection.execute(
        "SELECT session_id, id FROM tool_invocation WHERE output_digest <> '' AND session_id IN"
        " (SELECT session_id FROM evidence_blob) ORDER BY random() LIMIT 500"
    )
    return Made(
        sessions=connection.execute("SELECT count(*) FROM diagnosis_session").fetchone()[0],
        invocations=connection.execute("SELECT count(*) FROM tool_invocation").fetchone()[0],
        bytes=path.stat().st_size,
        ids=texts(f"SELECT session_id FROM diagnosis_session {some}"),  # noqa: S608 - ours
        recorded=texts("SELECT DISTINCT session_id FROM evidence_blob LIMIT 200"),
        calls=tuple((session, call) for session, call in calls),
        tools=_TOOLS,
        services=texts(f"SELECT name FROM (SELECT DISTINCT name FROM session_entity) {some}"),  # noqa: S608 - ours
        conversations=texts(
            f"SELECT conversation_id FROM diagnosis_session WHERE channel = 'CHAT' {some}"  # noqa: S608 - ours
        ),
        incidents=texts(
            f"SELECT incident_id FROM diagnosis_session WHERE channel = 'AIOPS' {some}"  # noqa: S608 - ours
        ),
        times=tuple(f"{at.replace(' ', 'T')}Z" for at in times),
    )
