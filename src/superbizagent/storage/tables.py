"""The tables, one definition for three databases.

Rules that hold for all of them: ids compare byte by byte, times are UTC to the microsecond, every
constraint has a name, no column is added per evaluation or per retrieval field. What is searched
inside a JSON column is a generated column over it. The migration that creates them is written out
in `migrations`; a test holds the two equal.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Computed,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from superbizagent.storage.json_path import json_text
from superbizagent.storage.types import (
    Blob,
    Document,
    Identifier,
    LongText,
    Name,
    Real,
    UtcDateTime,
)

__all__ = [
    "DIGEST_LENGTH",
    "KEY_LENGTH",
    "LISTED_BY",
    "SESSION_ID_LENGTH",
    "conversation",
    "diagnosis_session",
    "evidence_blob",
    "health_baseline",
    "journal_entry",
    "knowledge_chunk",
    "knowledge_document",
    "metadata",
    "model_call",
    "session_claim",
    "session_entity",
    "tool_invocation",
]

SESSION_ID_LENGTH = 128
KEY_LENGTH = 200
DIGEST_LENGTH = 80
"""``hmac-sha256:`` and 64 hex digits, with room."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def _session_id(*, key: bool = False) -> Column[str]:
    """The session a row belongs to; rows go when the session goes."""
    return Column(
        "session_id",
        Identifier(SESSION_ID_LENGTH),
        ForeignKey("diagnosis_session.session_id", ondelete="CASCADE"),
        primary_key=key,
        nullable=False,
    )


conversation = Table(
    "conversation",
    metadata,
    Column("conversation_id", Identifier(SESSION_ID_LENGTH), primary_key=True),
    Column("title", LongText(), nullable=False),
    Column("turns", Integer, nullable=False),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("updated_at", UtcDateTime(), nullable=False),
)

diagnosis_session = Table(
    "diagnosis_session",
    metadata,
    Column("session_id", Identifier(SESSION_ID_LENGTH), primary_key=True),
    Column("conversation_id", Identifier(SESSION_ID_LENGTH)),
    Column("incident_id", Identifier()),
    Column("parent_session_id", Identifier(SESSION_ID_LENGTH)),
    Column("channel", Name(16), nullable=False),
    Column("question", LongText(), nullable=False),
    Column("payload", Document(), nullable=False),
    Column("scope", Document()),
    Column("plan", Document()),
    Column("selected_skill", Name(), nullable=False),
    Column("reasoner", Name(32), nullable=False),
    Column("language", Name(8), nullable=False),
    Column("status", Name(16), nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("verdict", Name(32), nullable=False),
    Column("final_report", LongText()),
    Column("report", Document()),
    Column("report_digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("self_evaluation", Document(), nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Real(), nullable=False),
    Column("error", LongText(), nullable=False),
    Column("code_version", Name(64), nullable=False),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("started_at", UtcDateTime()),
    Column("updated_at", UtcDateTime(), nullable=False),
    Column("finished_at", UtcDateTime()),
    Column("journal_length", Integer, nullable=False),
    Column("head_hash", Identifier(DIGEST_LENGTH), nullable=False),
    Index("ix_diagnosis_session_conversation_id", "conversation_id"),
    Index("ix_diagnosis_session_incident_id", "incident_id"),
)
_evaluation = diagnosis_session.c.self_evaluation
for _column in (
    Column(
        "aiops_gate",
        Name(16),
        Computed(json_text(_evaluation, "aiops_rule_evaluation", "verdict"), persisted=True),
    ),
    Column(
        "rule_grade",
        Name(16),
        Computed(json_text(_evaluation, "rule_evaluation", "grade"), persisted=True),
    ),
    Column(
        "verifier_verdict",
        Name(32),
        Computed(json_text(_evaluation, "verifier_evaluation", "verdict"), persisted=True),
    ),
):
    diagnosis_session.append_column(_column)
for _column in (diagnosis_session.c.rule_grade, diagnosis_session.c.verifier_verdict):
    Index(f"ix_diagnosis_session_{_column.name}", _column)
# The list of sessions is read out of these alone, whatever its filters: each holds all that a
# filter compares, since a session's row is long and its short columns stand behind its documents.
LISTED_BY = ("channel", "status", "verdict", "aiops_gate")
for _name in ("", *LISTED_BY):
    _more = [c for c in LISTED_BY if c != _name]
    _parts = [*([_name] if _name else []), "created_at", "session_id", *_more]
    Index(
        f"ix_diagnosis_session_by_{_name or 'age'}", *(diagnosis_session.c[part] for part in _parts)
    )

session_entity = Table(
    "session_entity",
    metadata,
    _session_id(key=True),
    Column("path", Identifier(255), primary_key=True),
    Column("role", Name(16), primary_key=True),
    Column("name", Name(), nullable=False),
    Column("kind", Name(64), nullable=False),
    Index("ix_session_entity_name_session_id", "name", "session_id"),
)

session_claim = Table(
    "session_claim",
    metadata,
    _session_id(key=True),
    Column("owner", Identifier(128), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("heartbeat_at", UtcDateTime(), nullable=False),
)

tool_invocation = Table(
    "tool_invocation",
    metadata,
    Column("id", Identifier(), primary_key=True),
    _session_id(),
    Column("journal_key", Identifier(KEY_LENGTH), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("agent", Name(64), nullable=False),
    Column("tool_name", Name(64), nullable=False),
    Column("source", Name(8), nullable=False),
    Column("data_source", Name(), nullable=False),
    Column("purpose", LongText(), nullable=False),
    Column("input", Document(), nullable=False),
    Column("status", Name(16), nullable=False),
    Column("truncated", Boolean(create_constraint=False), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", LongText(), nullable=False),
    Column("started_at", UtcDateTime(), nullable=False),
    Column("finished_at", UtcDateTime(), nullable=False),
    Column("duration_us", BigInteger, nullable=False),
    Column("output_preview", LongText(), nullable=False),
    Column("output_digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("output_bytes", BigInteger, nullable=False),
    Column("details", Document(), nullable=False),
    Column("retrieval_details", Document()),
    Column("retrieval_query", LongText()),
    Column("retrieval_hit_count", Integer),
    Column("retrieval_top_score", Real()),
    Column("reused_from", Identifier(), nullable=False),
    Index("ix_tool_invocation_session_id_number", "session_id", "number"),
    Index("ix_tool_invocation_tool_name_session_id", "tool_name", "session_id"),
)

model_call = Table(
    "model_call",
    metadata,
    Column("id", Identifier(), primary_key=True),
    _session_id(),
    Column("journal_key", Identifier(KEY_LENGTH), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("agent", Name(64), nullable=False),
    Column("provider", Name(64), nullable=False),
    Column("model", Name(), nullable=False),
    Column("status", Name(16), nullable=False),
    Column("finish_reason", Name(64), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", LongText(), nullable=False),
    Column("started_at", UtcDateTime(), nullable=False),
    Column("duration_us", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Real(), nullable=False),
    Column("prompt_digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("request_digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("response_digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("details", Document(), nullable=False),
    Index("ix_model_call_session_id", "session_id"),
)

journal_entry = Table(
    "journal_entry",
    metadata,
    _session_id(),
    Column("key", Identifier(KEY_LENGTH), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("seq", Integer),
    Column("kind", Name(32), nullable=False),
    Column("request_hash", Identifier(DIGEST_LENGTH), nullable=False),
    Column("result", LongText(), nullable=False),
    Column("blob_digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("row_id", Identifier(SESSION_ID_LENGTH), nullable=False),
    Column("row_hash", Identifier(DIGEST_LENGTH), nullable=False),
    Column("fingerprints", LongText(), nullable=False),
    Column("recorded_at", UtcDateTime(), nullable=False),
    Column("content_hash", Identifier(DIGEST_LENGTH), nullable=False),
    Column("prev_hash", Identifier(DIGEST_LENGTH)),
    Column("hash", Identifier(DIGEST_LENGTH)),
    PrimaryKeyConstraint("session_id", "key", "attempt"),
    UniqueConstraint("session_id", "seq"),
    Index("ix_journal_entry_recorded_at", "recorded_at"),
)

evidence_blob = Table(
    "evidence_blob",
    metadata,
    _session_id(key=True),
    Column("digest", Identifier(DIGEST_LENGTH), primary_key=True),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("parts", Integer, nullable=False),
    Column("encoding", Name(16), nullable=False),
    Column("raw_bytes", BigInteger, nullable=False),
    Column("data", Blob(), nullable=False),
)

health_baseline = Table(
    "health_baseline",
    metadata,
    Column("data_source", Identifier(200), primary_key=True),
    Column("entity", Identifier(255), primary_key=True),
    Column("signal", Identifier(255), primary_key=True),
    Column("samples", BigInteger, nullable=False),
    Column("median", Real(), nullable=False),
    Column("spread", Real(), nullable=False),
    Column("details", Document(), nullable=False),
    Column("window_start_at", UtcDateTime(), nullable=False),
    Column("window_end_at", UtcDateTime(), nullable=False),
    Column("updated_at", UtcDateTime(), nullable=False),
)

knowledge_document = Table(
    "knowledge_document",
    metadata,
    Column("document_id", Identifier(), primary_key=True),
    Column("name", Name(), nullable=False, unique=True),
    Column("path", LongText(), nullable=False),
    Column("title", LongText(), nullable=False),
    Column("media_type", Name(128), nullable=False),
    Column("language", Name(8), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("status", Name(16), nullable=False),
    Column("error", LongText(), nullable=False),
    Column("index_version", Name(64), nullable=False),
    Column("attributes", Document(), nullable=False),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("updated_at", UtcDateTime(), nullable=False),
)

knowledge_chunk = Table(
    "knowledge_chunk",
    metadata,
    Column("chunk_id", Identifier(), primary_key=True),
    Column(
        "document_id",
        Identifier(),
        ForeignKey("knowledge_document.document_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("ordinal", Integer, nullable=False),
    Column("parent_id", Identifier()),
    Column("heading", LongText(), nullable=False),
    Column("text", LongText(), nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("start_offset", BigInteger, nullable=False),
    Column("end_offset", BigInteger, nullable=False),
    Column("embedding_model", Name(), nullable=False),
    Column("embedding", Blob()),
    Column("attributes", Document(), nullable=False),
    UniqueConstraint("document_id", "ordinal"),
)
