"""For each requirement, a small fault in its code and the tests that must notice it.

A mutation is exact text, so a change of the code that makes it stale is reported, not passed over.
Read by `tools/break_requirements.py` and by tests/requirements/test_break_table.py.
"""

from dataclasses import dataclass

__all__ = ["MUTATIONS", "REQUIREMENTS", "Mutation"]

REQUIREMENTS = (
    "A-02", "A-03", "A-04", "A-05", "A-06", "A-07", "A-08", "A-09", "A-11", "A-12", "A-13", "A-14",
    "A-15", "A-16", "A-17", "A-18", "A-19", "A-20", "A-21", "A-22", "A-23", "A-24", "A-25",
    "B-10", "B-11", "B-13", "B-15", "B-16", "B-19", "B-20", "B-23", "B-25", "B-26",
)  # fmt: skip
"""Requirements whose code exists."""

_INVESTIGATION = "src/superbizagent/investigation"
_GATE = f"{_INVESTIGATION}/gate"
_ROWS = "src/superbizagent/analysis/rows"
_SUMMARY = "src/superbizagent/analysis/trace_summary.py"
_FINALISE = f"{_INVESTIGATION}/finalise.py"
_STORAGE = "src/superbizagent/storage"
_EVALUATION = "src/superbizagent/domain/evaluation.py"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: text of one file, replaced."""

    requirement: str
    file: str
    edits: tuple[tuple[str, str], ...]
    """(old, new) pairs; each old text stands in the file exactly once."""
    says: str
    """What the fault does."""

    @property
    def test_prefix(self) -> str:
        """How the names of the requirement's tests begin."""
        return f"test_{self.requirement.replace('-', '').lower()}_"


def _one(requirement: str, file: str, old: str, new: str, says: str) -> Mutation:
    return Mutation(requirement, file, ((old, new),), says)


MUTATIONS = (
    _one(
        "A-02",
        f"{_INVESTIGATION}/scope.py",
        "    alert = leading_alert(incident.alerts)\n",
        "    alert = None\n",
        "the payload's alert is not looked at",
    ),
    _one(
        "A-03",
        f"{_INVESTIGATION}/journal/session_journal.py",
        "        answer = await _answer(perform)\n",
        "        await _answer(perform)\n        answer = await _answer(perform)\n",
        "a source is asked without a row",
    ),
    _one(
        "A-04",
        f"{_GATE}/coverage.py",
        "    ruling = _taken(rows, expected) or _used(",
        "    ruling = _used(",
        "a report without any evidence row is not noticed",
    ),
    _one(
        "A-04",
        f"{_GATE}/focus.py",
        "    missing = [w for w in wanted if not any(report.names(name) for name in w.names)]\n",
        "    missing: list[PayloadIdentifier] = []\n",
        "every report counts as on target",
    ),
    _one(
        "A-05",
        f"{_GATE}/presence.py",
        "import re\n",
        "import re\nimport socket\n",
        "the gate imports the network",
    ),
    _one(
        "A-06",
        f"{_GATE}/coverage.py",
        "    return tuple(sorted(kept, key=lambda r: (r.number, r.id)))",
        "    return tuple(kept)",
        "the result depends on the order in which rows were read",
    ),
    _one(
        "A-07",
        _EVALUATION,
        'AIOPS_RULE_EVALUATION = "aiops_rule_evaluation"',
        'AIOPS_RULE_EVALUATION = "aiops_evaluation"',
        "the result is stored under another key",
    ),
    _one(
        "A-08",
        "src/superbizagent/api/judgements.py",
        "next((word for word in words if isinstance(word, str)), None)",
        "None",
        "the trace does not say the verdict",
    ),
    _one(
        "A-09",
        f"{_GATE}/aiops_gate.py",
        "    rows = judged.rows\n",
        '    __import__("socket").getaddrinfo("localhost", 80)\n    rows = judged.rows\n',
        "the gate asks the network",
    ),
    _one(
        "A-11",
        "src/superbizagent/api/streams/events.py",
        '        "verdict": session.verdict,\n',
        '        "verdict": session.aiops_gate,\n',
        "the stream ends with the verdict of the gate",
    ),
    _one(
        "A-12",
        f"{_STORAGE}/migrations/versions/r0001_base.py",
        '        sa.Column("journal_key", Identifier(200), nullable=False),\n'
        '        sa.Column("attempt", sa.Integer(), nullable=False),\n'
        '        sa.Column("number"',
        '        sa.Column("journal_key", Identifier(200), nullable=False),\n'
        '        sa.Column("verdict", Identifier(16), nullable=True),\n'
        '        sa.Column("attempt", sa.Integer(), nullable=False),\n'
        '        sa.Column("number"',
        "tool_invocation has one column more",
    ),
    _one(
        "A-13",
        f"{_STORAGE}/schema.py",
        'REVISIONS = ("0001", "0002")',
        'REVISIONS = ("0000", "0001", "0002")',
        "there is another migration",
    ),
    _one(
        "A-14",
        _EVALUATION,
        '    PAYLOAD_FOCUS = "payload_focus"',
        '    PAYLOAD_FOCUS = "focus"',
        "a check has another name",
    ),
    _one(
        "A-15",
        f"{_GATE}/aiops_gate.py",
        "yield from read_facts(row, _FACTS_A_ROW)",
        "yield from read_facts(row)",
        "the gate's work is not bounded per row",
    ),
    _one(
        "A-16",
        f"{_GATE}/ruling.py",
        "    return Ruling(CheckStatus.WARN, rule, message, expected, found)",
        '    return Ruling(CheckStatus.WARN, rule, message, expected, "")',
        "a warning does not say what was found",
    ),
    _one(
        "A-17",
        f"{_STORAGE}/sessions.py",
        'merged = {**row["self_evaluation"], key: value}',
        "merged = {key: value}",
        "writing one evaluation drops the others",
    ),
    _one(
        "A-18",
        _FINALISE,
        "    key: str = AIOPS_RULE_EVALUATION",
        "    key: str = RULE_EVALUATION",
        "the gate writes the generic key",
    ),
    Mutation(
        "A-19",
        _FINALISE,
        (
            ("    await record.store_outcome(outcome)\n", ""),
            (
                "    return await _evaluate(record, judged, now, judgement.evaluators)",
                """    written = await _evaluate(record, judged, now, judgement.evaluators)
    await record.store_outcome(outcome)
    return written""",
            ),
        ),
        "the report is judged before it is stored",
    ),
    _one(
        "A-19",
        _FINALISE,
        "            value = evaluator.evaluate(judged, now)",
        "            evaluator.evaluate(judged, now)\n"
        "            value = evaluator.evaluate(judged, now)",
        "the evaluator is called twice",
    ),
    _one(
        "A-20",
        f"{_STORAGE}/raw_rows.py",
        "mine = table.c.session_id.in_(session_ids)",
        'mine = table.c.session_id != ""',
        "rows of every session are read",
    ),
    _one(
        "A-21",
        _FINALISE,
        "        except Exception:  # noqa: BLE001 - as above",
        "        except OSError:  # as above",
        "an evaluator's error fails the run",
    ),
    _one(
        "A-22",
        _EVALUATION,
        'GATE_SCOPE = "rule_gate: on topic, used evidence; says',
        'GATE_SCOPE = "verified: the diagnosis is correct; says',
        "the result claims more than the gate can know",
    ),
    _one(
        "A-23",
        f"{_GATE}/normalise.py",
        "    return plain(text).translate(_DROP)",
        "    return plain(text)",
        "another way to write a name is not recognised",
    ),
    _one(
        "A-24",
        f"{_GATE}/focus.py",
        "    rule = failed if fail else warned",
        "    rule = failed",
        "an off-target report is FAIL without being configured",
    ),
    _one(
        "A-24",
        f"{_GATE}/presence.py",
        "    if whole in PLACEHOLDERS or _SLOT.match(body):",
        "    if _SLOT.match(body):",
        "a placeholder counts as a report",
    ),
    _one(
        "A-25",
        f"{_GATE}/aiops_gate.py",
        "    worst = max(checks",
        "    worst = min(checks",
        "the verdict is the best check",
    ),
    _one(
        "B-10",
        f"{_ROWS}/own.py",
        "            values=(*line.values, *fact.values),",
        "            values=fact.values,",
        "named numbers of a log line are lost when the line is cut",
    ),
    _one(
        "B-11",
        f"{_ROWS}/foreign.py",
        '_ALERT_KEYS = ("alertname", "alert_name", "alertName")',
        '_ALERT_KEYS = ("alertName",)',
        "alerts are not recognised",
    ),
    _one(
        "B-13",
        f"{_ROWS}/fact.py",
        "    except orjson.JSONDecodeError:\n        return None",
        "    except KeyError:\n        return None",
        "malformed JSON raises",
    ),
    _one(
        "B-15",
        _SUMMARY,
        "            if draft.size(first) <= room:",
        "            if first >= 0:",
        "the total is not capped",
    ),
    _one(
        "B-16",
        _SUMMARY,
        '    whole = " ".join([*head,',
        '    whole = " ".join(["exhausted", *head,',
        "a summary says what the row does not",
    ),
    _one(
        "B-19",
        "src/superbizagent/api/routes/traces.py",
        "    tool_trace_summary: ToolTraceSummary\n",
        "    summary: ToolTraceSummary\n",
        "a key that clients know has another name",
    ),
    _one(
        "B-20",
        "src/superbizagent/api/routes/catalogue.py",
        '    "/sources",\n',
        '    "/source",\n',
        "a route has another path",
    ),
    _one(
        "B-23",
        _SUMMARY,
        "sorted(read_facts(record), key=",
        "sorted((), key=",
        "facts are not extracted: the symptom of the live run",
    ),
    _one(
        "B-25",
        f"{_ROWS}/reading.py",
        "facts_of_json(parsed(record.retrieval_details))",
        'facts_of_json(record.retrieval_details["evidence_summaries"])',
        "rows without retrieval details raise",
    ),
    _one(
        "B-26",
        f"{_INVESTIGATION}/run.py",
        "    bind_session(session.session_id)\n",
        "",
        "log lines do not say of which run they are",
    ),
)  # fmt: skip
