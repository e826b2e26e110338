"""The base: every table of the product, so that later versions need not add any.

Written out, not taken from `superbizagent.storage.tables`: that file moves on, this one must not.
"""

import sqlalchemy as sa
from alembic import op

from superbizagent.storage.json_path import json_text
from superbizagent.storage.types import Blob, Document, Identifier, LongText, Real, UtcDateTime

__all__ = ["branch_labels", "depends_on", "down_revision", "downgrade", "revision", "upgrade"]

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = (
    "conversation",
    "diagnosis_session",
    "health_baseline",
    "incident",
    "knowledge_document",
    "alert",
    "evidence_blob",
    "journal_entry",
    "knowledge_chunk",
    "model_call",
    "session_claim",
    "session_entity",
    "tool_invocation",
)
"""In the order in which they are created."""

_EVALUATION: sa.Column[object] = sa.Column("self_evaluation")


def _of_session(table: str) -> sa.ForeignKeyConstraint:
    """Rows go when their session goes."""
    target = ["diagnosis_session.session_id"]
    name = f"fk_{table}_session_id"
    return sa.ForeignKeyConstraint(["session_id"], target, name=name, ondelete="CASCADE")


def upgrade() -> None:
    """Create the tables."""
    _conversation()
    _diagnosis_session()
    _health_baseline()
    _incident()
    _knowledge_document()
    _alert()
    _evidence_blob()
    _journal_entry()
    _knowledge_chunk()
    _model_call()
    _session_claim()
    _session_entity()
    _tool_invocation()


def downgrade() -> None:
    """Drop the tables."""
    for name in reversed(_TABLES):
        op.drop_table(name)


def _conversation() -> None:
    op.create_table(
        "conversation",
        sa.Column("conversation_id", Identifier(128), nullable=False),
        sa.Column("title", LongText(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_conversation"),
    )


def _diagnosis_session() -> None:
    op.create_table(
        "diagnosis_session",
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("conversation_id", Identifier(128), nullable=True),
        sa.Column("incident_id", Identifier(64), nullable=True),
        sa.Column("parent_session_id", Identifier(128), nullable=True),
        sa.Column("channel", Identifier(16), nullable=False),
        sa.Column("question", LongText(), nullable=False),
        sa.Column("payload", Document(), nullable=False),
        sa.Column("scope", Document(), nullable=True),
        sa.Column("plan", Document(), nullable=True),
        sa.Column("selected_skill", Identifier(255), nullable=False),
        sa.Column("reasoner", Identifier(32), nullable=False),
        sa.Column("language", Identifier(8), nullable=False),
        sa.Column("status", Identifier(16), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("verdict", Identifier(32), nullable=False),
        sa.Column("final_report", LongText(), nullable=True),
        sa.Column("report", Document(), nullable=True),
        sa.Column("report_digest", Identifier(80), nullable=False),
        sa.Column("self_evaluation", Document(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", Real(), nullable=False),
        sa.Column("error", LongText(), nullable=False),
        sa.Column("code_version", Identifier(64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("journal_length", sa.Integer(), nullable=False),
        sa.Column("head_hash", Identifier(80), nullable=False),
        *_read_out_of_evaluation(),
        sa.PrimaryKeyConstraint("session_id", name="pk_diagnosis_session"),
    )
    for column in (
        "aiops_gate",
        "conversation_id",
        "created_at",
        "incident_id",
        "rule_grade",
        "status",
        "verdict",
        "verifier_verdict",
    ):
        op.create_index(f"ix_diagnosis_session_{column}", "diagnosis_session", [column])


def _read_out_of_evaluation() -> list[sa.Column[str]]:
    """Generated columns, so that an evaluation can be searched without a column of its own."""
    columns = (
        ("aiops_gate", 16, "aiops_rule_evaluation", "verdict"),
        ("rule_grade", 16, "rule_evaluation", "grade"),
        ("verifier_verdict", 32, "verifier_evaluation", "verdict"),
    )
    return [
        sa.Column(
            name,
            Identifier(length),
            sa.Computed(json_text(_EVALUATION, evaluator, key), persisted=True),
            nullable=True,
        )
        for name, length, evaluator, key in columns
    ]


def _health_baseline() -> None:
    op.create_table(
        "health_baseline",
        sa.Column("data_source", Identifier(200), nullable=False),
        sa.Column("entity", Identifier(255), nullable=False),
        sa.Column("signal", Identifier(255), nullable=False),
        sa.Column("samples", sa.BigInteger(), nullable=False),
        sa.Column("median", Real(), nullable=False),
        sa.Column("spread", Real(), nullable=False),
        sa.Column("details", Document(), nullable=False),
        sa.Column("window_start_at", UtcDateTime(), nullable=False),
        sa.Column("window_end_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("data_source", "entity", "signal", name="pk_health_baseline"),
    )


def _incident() -> None:
    op.create_table(
        "incident",
        sa.Column("incident_id", Identifier(64), nullable=False),
        sa.Column("fingerprint", Identifier(128), nullable=False),
        sa.Column("title", LongText(), nullable=False),
        sa.Column("status", Identifier(32), nullable=False),
        sa.Column("skipped_reason", Identifier(64), nullable=True),
        sa.Column("alert_count", sa.Integer(), nullable=False),
        sa.Column("labels", Document(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("incident_id", name="pk_incident"),
        sa.UniqueConstraint("fingerprint", name="uq_incident_fingerprint"),
    )
    op.create_index("ix_incident_created_at", "incident", ["created_at"])


def _knowledge_document() -> None:
    op.create_table(
        "knowledge_document",
        sa.Column("document_id", Identifier(64), nullable=False),
        sa.Column("name", Identifier(255), nullable=False),
        sa.Column("path", LongText(), nullable=False),
        sa.Column("title", LongText(), nullable=False),
        sa.Column("media_type", Identifier(128), nullable=False),
        sa.Column("language", Identifier(8), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("digest", Identifier(80), nullable=False),
        sa.Column("status", Identifier(16), nullable=False),
        sa.Column("error", LongText(), nullable=False),
        sa.Column("index_version", Identifier(64), nullable=False),
        sa.Column("attributes", Document(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_knowledge_document"),
        sa.UniqueConstraint("name", name="uq_knowledge_document_name"),
    )


def _alert() -> None:
    op.create_table(
        "alert",
        sa.Column("alert_id", Identifier(64), nullable=False),
        sa.Column("incident_id", Identifier(64), nullable=False),
        sa.Column("fingerprint", Identifier(128), nullable=False),
        sa.Column("sender", Identifier(32), nullable=False),
        sa.Column("name", Identifier(255), nullable=False),
        sa.Column("status", Identifier(32), nullable=False),
        sa.Column("body", Document(), nullable=False),
        sa.Column("starts_at", UtcDateTime(), nullable=True),
        sa.Column("ends_at", UtcDateTime(), nullable=True),
        sa.Column("received_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incident.incident_id"],
            name="fk_alert_incident_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("alert_id", name="pk_alert"),
    )
    op.create_index("ix_alert_fingerprint", "alert", ["fingerprint"])
    op.create_index("ix_alert_incident_id", "alert", ["incident_id"])


def _evidence_blob() -> None:
    op.create_table(
        "evidence_blob",
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("digest", Identifier(80), nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("parts", sa.Integer(), nullable=False),
        sa.Column("encoding", Identifier(16), nullable=False),
        sa.Column("raw_bytes", sa.BigInteger(), nullable=False),
        sa.Column("data", Blob(), nullable=False),
        _of_session("evidence_blob"),
        sa.PrimaryKeyConstraint("session_id", "digest", "part", name="pk_evidence_blob"),
    )


def _journal_entry() -> None:
    op.create_table(
        "journal_entry",
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("key", Identifier(200), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=True),
        sa.Column("kind", Identifier(32), nullable=False),
        sa.Column("request_hash", Identifier(80), nullable=False),
        sa.Column("result", LongText(), nullable=False),
        sa.Column("blob_digest", Identifier(80), nullable=False),
        sa.Column("row_id", Identifier(128), nullable=False),
        sa.Column("row_hash", Identifier(80), nullable=False),
        sa.Column("fingerprints", LongText(), nullable=False),
        sa.Column("recorded_at", UtcDateTime(), nullable=False),
        sa.Column("content_hash", Identifier(80), nullable=False),
        sa.Column("prev_hash", Identifier(80), nullable=True),
        sa.Column("hash", Identifier(80), nullable=True),
        _of_session("journal_entry"),
        sa.PrimaryKeyConstraint("session_id", "key", "attempt", name="pk_journal_entry"),
        sa.UniqueConstraint("session_id", "seq", name="uq_journal_entry_session_id_seq"),
    )


def _knowledge_chunk() -> None:
    op.create_table(
        "knowledge_chunk",
        sa.Column("chunk_id", Identifier(64), nullable=False),
        sa.Column("document_id", Identifier(64), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("parent_id", Identifier(64), nullable=True),
        sa.Column("heading", LongText(), nullable=False),
        sa.Column("text", LongText(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("start_offset", sa.BigInteger(), nullable=False),
        sa.Column("end_offset", sa.BigInteger(), nullable=False),
        sa.Column("embedding_model", Identifier(255), nullable=False),
        sa.Column("embedding", Blob(), nullable=True),
        sa.Column("attributes", Document(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["knowledge_document.document_id"],
            name="fk_knowledge_chunk_document_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("chunk_id", name="pk_knowledge_chunk"),
        sa.UniqueConstraint(
            "document_id", "ordinal", name="uq_knowledge_chunk_document_id_ordinal"
        ),
    )


def _model_call() -> None:
    op.create_table(
        "model_call",
        sa.Column("id", Identifier(64), nullable=False),
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("journal_key", Identifier(200), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("agent", Identifier(64), nullable=False),
        sa.Column("provider", Identifier(64), nullable=False),
        sa.Column("model", Identifier(255), nullable=False),
        sa.Column("status", Identifier(16), nullable=False),
        sa.Column("finish_reason", Identifier(64), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", LongText(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", Real(), nullable=False),
        sa.Column("prompt_digest", Identifier(80), nullable=False),
        sa.Column("request_digest", Identifier(80), nullable=False),
        sa.Column("response_digest", Identifier(80), nullable=False),
        sa.Column("details", Document(), nullable=False),
        _of_session("model_call"),
        sa.PrimaryKeyConstraint("id", name="pk_model_call"),
    )
    op.create_index("ix_model_call_session_id", "model_call", ["session_id"])


def _session_claim() -> None:
    op.create_table(
        "session_claim",
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("owner", Identifier(128), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=False),
        _of_session("session_claim"),
        sa.PrimaryKeyConstraint("session_id", name="pk_session_claim"),
    )


def _session_entity() -> None:
    op.create_table(
        "session_entity",
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("path", Identifier(255), nullable=False),
        sa.Column("role", Identifier(16), nullable=False),
        sa.Column("name", Identifier(255), nullable=False),
        sa.Column("kind", Identifier(64), nullable=False),
        _of_session("session_entity"),
        sa.PrimaryKeyConstraint("session_id", "path", "role", name="pk_session_entity"),
    )
    op.create_index("ix_session_entity_name", "session_entity", ["name"])


def _tool_invocation() -> None:
    op.create_table(
        "tool_invocation",
        sa.Column("id", Identifier(64), nullable=False),
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("journal_key", Identifier(200), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("agent", Identifier(64), nullable=False),
        sa.Column("tool_name", Identifier(64), nullable=False),
        sa.Column("source", Identifier(8), nullable=False),
        sa.Column("data_source", Identifier(255), nullable=False),
        sa.Column("purpose", LongText(), nullable=False),
        sa.Column("input", Document(), nullable=False),
        sa.Column("status", Identifier(16), nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", LongText(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("output_preview", LongText(), nullable=False),
        sa.Column("output_digest", Identifier(80), nullable=False),
        sa.Column("output_bytes", sa.BigInteger(), nullable=False),
        sa.Column("details", Document(), nullable=False),
        sa.Column("retrieval_details", Document(), nullable=True),
        sa.Column("retrieval_query", LongText(), nullable=True),
        sa.Column("retrieval_hit_count", sa.Integer(), nullable=True),
        sa.Column("retrieval_top_score", Real(), nullable=True),
        sa.Column("reused_from", Identifier(64), nullable=False),
        _of_session("tool_invocation"),
        sa.PrimaryKeyConstraint("id", name="pk_tool_invocation"),
    )
    op.create_index(
        "ix_tool_invocation_session_id_number", "tool_invocation", ["session_id", "number"]
    )
    op.create_index("ix_tool_invocation_tool_name", "tool_invocation", ["tool_name"])
