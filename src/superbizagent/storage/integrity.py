"""Checks that what is stored of a session is what was written.

Each entry of the journal covers its own columns, every column of the row and of the blob parts
that were written with it, and its predecessor; the session's row holds how long the chain is and
its last hash. The last entry of a finished session covers the session's own columns and the
entities it was about, and each key of ``self_evaluation`` has an entry too. So any changed, added,
removed or reordered value shows. ``session_claim`` is left out: who works on a session right now is
rewritten every few seconds and says nothing of what was found.

What it shows without a key is corruption, and a change made by hand. Whoever owns the database can
write all of it anew, consistently; only a chain made with a key (`Storage.integrity_key`), or a
head hash that was kept elsewhere, tells that too.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import Table

from superbizagent.domain.canonical import loads
from superbizagent.domain.journal import EntryKind, IntegrityProblem, IntegrityReport
from superbizagent.domain.session import SessionStatus
from superbizagent.storage.claims import no_session
from superbizagent.storage.fingerprints import (
    chain_hash,
    column_marks,
    content_hash,
    row_hash,
    stable,
)
from superbizagent.storage.raw_rows import read_rows
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import (
    diagnosis_session,
    evidence_blob,
    journal_entry,
    session_entity,
    tool_invocation,
)

__all__ = ["verify_session"]

Row = Mapping[str, Any]

_FINAL = frozenset(status.value for status in SessionStatus if status.is_final)


async def verify_session(
    storage: Storage, session_id: str, key: bytes | None = None
) -> IntegrityReport:
    """Check everything that is stored of one session.

    Args:
        storage: Where it is.
        session_id: Which one.
        key: The key the chain was made with. Given one, every link must have been made with it.

    Raises:
        StorageError: when nothing is stored under that id, or the database refuses.
    """
    tables = (diagnosis_session, journal_entry, tool_invocation, evidence_blob, session_entity)
    async with storage.database.read() as connection:
        sessions, entries, rows, blobs, entities = [
            await read_rows(connection, table, session_id) for table in tables
        ]
    if not sessions and not entries:
        raise no_session(session_id)
    check = _Check(session_id, entries, key)
    check.chain(sessions[0] if sessions else None)
    check.contents()
    check.invocations(rows)
    check.blobs(blobs)
    check.session(sessions[0] if sessions else None)
    check.entities(entities)
    head = check.linked[-1]["hash"] if check.linked else ""
    return IntegrityReport(
        session_id=session_id,
        entries=len(entries),
        head_hash=str(head),
        keyed=key is not None and not any("key" in p.message for p in check.problems),
        sealed=any(e["kind"] == EntryKind.SESSION.value for e in entries),
        problems=tuple(check.problems),
    )


class _Check:
    """One check; every step adds what it finds."""

    def __init__(self, session_id: str, entries: Sequence[Row], key: bytes | None) -> None:
        self.session_id = session_id
        self.problems: list[IntegrityProblem] = []
        self.entries = sorted(entries, key=_place)
        self.linked = [e for e in self.entries if isinstance(e["seq"], int)]
        self._key = key

    def chain(self, session: Row | None) -> None:
        """Every entry has its place, its predecessor and its hash, and none is missing."""
        prev = ""
        seqs = {e["seq"] for e in self.linked}
        last = max(seqs, default=0)
        head = self.linked[-1]["hash"] if self.linked else ""
        length = session["journal_length"] if session is not None else last
        if session is not None and head != session["head_hash"] and isinstance(length, int):
            last = max(last, min(length, last + 1000))  # the tail is gone; 1000 make the point
        for seq in sorted(set(range(1, last + 1)) - seqs):
            self._say(journal_entry, f"seq {seq}", "seq", "this entry is missing")
        for entry in self.linked:
            self._link(entry, prev)
            prev = str(entry["hash"])
        if session is not None:
            self._head(session, prev)
        for entry in self.entries:
            if not isinstance(entry["seq"], int) and self._ended(session):
                self._say(journal_entry, _name(entry), "seq", "this entry is not in the chain")

    def contents(self) -> None:
        """Each entry's own columns are those that were hashed."""
        for entry in self.entries:
            content = content_hash(entry)
            if content != entry["content_hash"]:
                for column in self._changed_columns(entry, content):
                    self._say(journal_entry, _name(entry), column, "it is not what was written")

    def invocations(self, rows: Sequence[Row]) -> None:
        """Each evidence call has its row, unchanged, and there are no others."""
        by_id = {row["id"]: row for row in rows}
        known: set[Any] = set()
        for entry in self.entries:
            if entry["kind"] == EntryKind.CALL.value:
                known.add(entry["row_id"])
                self._compare(tool_invocation, entry, by_id.get(entry["row_id"]))
            elif entry["kind"] == EntryKind.DUPLICATE.value and entry["row_id"] not in by_id:
                self._say(tool_invocation, str(entry["row_id"]), "", "this row is missing")
        for row_id in by_id.keys() - known:
            self._say(tool_invocation, str(row_id), "", "no entry of the journal wrote this row")

    def blobs(self, rows: Sequence[Row]) -> None:
        """Each stored output has its parts, unchanged, and there are no others."""
        marks = [m for entry in self.entries for m in _fingerprints(entry).get("blobs", ())]
        self._compare_all(evidence_blob, ("digest", "part"), rows, marks)

    def entities(self, rows: Sequence[Row]) -> None:
        """A finished session has the entities that it was sealed with, and no others."""
        seals = self._seals()
        if seals:
            marks = _fingerprints(seals[-1]).get("entities", ())
            self._compare_all(session_entity, ("role", "path"), rows, marks)

    def session(self, session: Row | None) -> None:
        """A finished session's columns and every key of its evaluation are as written."""
        if session is None:
            self._say(diagnosis_session, self.session_id, "", "the session's row is missing")
            return
        seals = self._seals()
        if seals:
            self._compare(diagnosis_session, seals[-1], session)
        elif self._ended(session):
            self._say(diagnosis_session, self.session_id, "status", "it ended without a seal")
        self._evaluations(session["self_evaluation"])

    def _link(self, entry: Row, prev: str) -> None:
        name = _name(entry)
        if entry["prev_hash"] != prev:
            self._say(journal_entry, name, "prev_hash", "it does not follow the entry before it")
        stored = str(entry["hash"])
        keyed = stored.startswith("hmac-")
        if self._key is None and keyed:
            return  # nobody without the key can tell
        if self._key is not None and not keyed:
            self._say(journal_entry, name, "hash", "it was linked without the key")
            return
        parts = entry["seq"], str(entry["prev_hash"]), str(entry["content_hash"])
        if chain_hash(self._key, *parts) != stored:
            text = "its place in the chain is not what was written"
            self._say(journal_entry, name, "hash", text)

    def _changed_columns(self, entry: Row, content: str) -> list[str]:
        marks: Row = _fingerprints(entry).get("entry", {})
        if not marks:
            return ["fingerprints"]
        now = column_marks(journal_entry, entry)
        changed = [c for c in marks if now.get(c) != marks[c]]
        if changed:
            return changed
        # All that has a mark is as it was: it was the marks themselves, or the hash over them.
        link = chain_hash(self._key, entry["seq"] or 0, str(entry["prev_hash"]), content)
        return ["content_hash" if link == entry["hash"] else "fingerprints"]

    def _head(self, session: Row, head: str) -> None:
        if session["journal_length"] != len(self.linked):
            text = f"it says {session['journal_length']}, {len(self.linked)} entries are linked"
            self._say(diagnosis_session, self.session_id, "journal_length", text)
        if session["head_hash"] != head:
            text = "the chain does not end in it: entries are missing or it was changed"
            self._say(diagnosis_session, self.session_id, "head_hash", text)

    def _evaluations(self, stored: Any) -> None:
        written: dict[str, Any] = {}
        for entry in self.entries:
            if entry["kind"] == EntryKind.EVALUATION.value:
                result = _json(entry["result"])
                written[str(result.get("key"))] = result.get("value")
        found = cast("Row", stored if isinstance(stored, dict) else {})
        if not isinstance(stored, dict):
            text = "it is no JSON object"
            self._say(diagnosis_session, self.session_id, "self_evaluation", text)
        for name in sorted(written.keys() | found.keys()):
            text = _difference(name, written, found)
            if text:
                column = f"self_evaluation.{name}"
                self._say(diagnosis_session, self.session_id, column, text)

    def _compare(self, table: Table, entry: Row, row: Row | None) -> None:
        name = str(entry["row_id"])
        if row is None:
            self._say(table, name, "", f"this row is missing; {_name(entry)} wrote it")
        elif row_hash(table, row) != entry["row_hash"]:
            self._name_columns(table, name, row, _fingerprints(entry).get("row", {}))

    def _compare_all(
        self, table: Table, key: tuple[str, str], rows: Sequence[Row], marks: Sequence[Row]
    ) -> None:
        """Compare rows that are known by two columns with what an entry says of each."""
        stored = {tuple(row[name] for name in key): row for row in rows}
        expected = {tuple(mark[name] for name in key): mark for mark in marks}
        for place, mark in expected.items():
            row = stored.get(place)
            name = f"{place[0]} {place[1]}"
            if row is None:
                self._say(table, name, "", "this row is missing")
            elif row_hash(table, row) != mark["hash"]:
                self._name_columns(table, name, row, mark["marks"])
        for place in stored.keys() - expected.keys():
            text = "no entry of the journal wrote this row"
            self._say(table, f"{place[0]} {place[1]}", "", text)

    def _seals(self) -> list[Row]:
        return [e for e in self.entries if e["kind"] == EntryKind.SESSION.value]

    def _name_columns(self, table: Table, name: str, row: Row, marks: Mapping[str, str]) -> None:
        now = column_marks(table, row)
        changed = [c for c in now if now[c] != marks.get(c)]
        for column in changed or [""]:
            self._say(table, name, column, "it is not what was written")

    def _ended(self, session: Row | None) -> bool:
        return session is not None and session["status"] in _FINAL

    def _say(self, table: Table, row: str, column: str, message: str) -> None:
        problem = IntegrityProblem(table=table.name, row=row, column=column, message=message)
        self.problems.append(problem)


def _place(entry: Row) -> tuple[bool, int, str, str]:
    """Sort key: linked entries by place, then the others by key."""
    seq = entry["seq"]
    linked = isinstance(seq, int)
    return not linked, seq if linked else 0, str(entry["key"]), str(entry["attempt"])


def _name(entry: Row) -> str:
    again = "" if entry["attempt"] == 1 else f" (attempt {entry['attempt']})"
    return f"{entry['key']}{again}"


def _difference(name: str, written: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    if name not in found:
        return "this evaluation is missing"
    if name not in written:
        return "no entry of the journal wrote this evaluation"
    same = stable(written[name]) == stable(found[name])
    return "" if same else "it is not what was written"


def _fingerprints(entry: Row) -> Row:
    return _json(entry["fingerprints"])


def _json(text: Any) -> Row:
    """Read a column that holds a JSON object; what cannot be read has been reported as changed."""
    try:
        value = loads(text)
    except (ValueError, TypeError):
        return {}
    return cast("Row", value) if isinstance(value, dict) else {}
