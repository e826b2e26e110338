"""The tables of the service; `incident` and `alert` of the base were never written: made anew.

Written out, not taken from `superbizagent.storage.service_tables`: that file moves on, this one
must not.
"""

import sqlalchemy as sa
from alembic import op

from superbizagent.storage.types import Document, Identifier, LongText, UtcDateTime

__all__ = ["branch_labels", "depends_on", "down_revision", "downgrade", "revision", "upgrade"]

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.drop_table("alert")
    op.drop_table("incident")
    op.create_index("ix_journal_entry_recorded_at", "journal_entry", ["recorded_at"])
    _api_token()
    _audit_entry()
    _change_event()
    _incident()
    _notification()
    _service_edge()
    _service_state()
    _webhook_delivery()
    _alert()
    _feedback()
    _incident_event()
    _session_queue()
    _web_login()
    _indexes()


def downgrade() -> None:
    """Drop the tables, and make the base's two again.

    Raises:
        NotImplementedError: always; go back to a copy of the database instead.
    """
    raise NotImplementedError("restore the copy of the database that was made before the upgrade")


def _api_token() -> None:
    op.create_table(
        "api_token",
        sa.Column("token_id", Identifier(64), nullable=False),
        sa.Column("name", Identifier(255), nullable=False),
        sa.Column("digest", Identifier(80), nullable=False),
        sa.Column("permissions", Document(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("last_used_at", UtcDateTime(), nullable=True),
        sa.Column("revoked_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("token_id", name="pk_api_token"),
        sa.UniqueConstraint("digest", name="uq_api_token_digest"),
    )


def _audit_entry() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("audit_id", Identifier(64), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("actor", Identifier(255), nullable=False),
        sa.Column("token_id", Identifier(64), nullable=True),
        sa.Column("action", Identifier(64), nullable=False),
        sa.Column("target", Identifier(255), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("client", Identifier(64), nullable=False),
        sa.Column("request_id", Identifier(64), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("audit_id", name="pk_audit_entry"),
    )
    op.create_index("ix_audit_entry_at", "audit_entry", ["at"])


def _change_event() -> None:
    op.create_table(
        "change_event",
        sa.Column("change_id", Identifier(64), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("service", Identifier(255), nullable=False),
        sa.Column("kind", Identifier(64), nullable=False),
        sa.Column("body", Document(), nullable=False),
        sa.Column("received_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("change_id", name="pk_change_event"),
    )
    op.create_index("ix_change_event_at", "change_event", ["at"])


def _incident() -> None:
    op.create_table(
        "incident",
        sa.Column("incident_id", Identifier(64), nullable=False),
        sa.Column("title", LongText(), nullable=False),
        sa.Column("status", Identifier(32), nullable=False),
        sa.Column("severity", Identifier(32), nullable=False),
        sa.Column("skipped_reason", Identifier(64), nullable=True),
        sa.Column("alert_count", sa.Integer(), nullable=False),
        sa.Column("session_count", sa.Integer(), nullable=False),
        sa.Column("session_id", Identifier(128), nullable=True),
        sa.Column("services", LongText(), nullable=False),
        sa.Column("waiting", Document(), nullable=True),
        sa.Column("state", Document(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("closed_at", UtcDateTime(), nullable=True),
        sa.Column("merged_into", Identifier(64), nullable=True),
        sa.PrimaryKeyConstraint("incident_id", name="pk_incident"),
    )
    op.create_index("ix_incident_closed_at", "incident", ["closed_at"])
    op.create_index("ix_incident_created_at", "incident", ["created_at"])
    op.create_index("ix_incident_merged_into", "incident", ["merged_into"])
    op.create_index("ix_incident_status", "incident", ["status"])


def _notification() -> None:
    op.create_table(
        "notification",
        sa.Column("notification_id", Identifier(64), nullable=False),
        sa.Column("incident_id", Identifier(64), nullable=False),
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("channel", Identifier(64), nullable=False),
        sa.Column("kind", Identifier(32), nullable=False),
        sa.Column("status", Identifier(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("notice", Document(), nullable=False),
        sa.Column("reference", Document(), nullable=True),
        sa.Column("error", LongText(), nullable=False),
        sa.Column("next_attempt_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("sent_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("notification_id", name="pk_notification"),
    )
    op.create_index("ix_notification_incident_id", "notification", ["incident_id"])
    op.create_index("ix_notification_status", "notification", ["status", "next_attempt_at"])


def _service_edge() -> None:
    op.create_table(
        "service_edge",
        sa.Column("caller", Identifier(255), nullable=False),
        sa.Column("callee", Identifier(255), nullable=False),
        sa.Column("data_source", Identifier(255), nullable=False),
        sa.Column("seen_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("caller", "callee", name="pk_service_edge"),
    )


def _service_state() -> None:
    op.create_table(
        "service_state",
        sa.Column("name", Identifier(64), nullable=False),
        sa.Column("value", Document(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_service_state"),
    )


def _webhook_delivery() -> None:
    op.create_table(
        "webhook_delivery",
        sa.Column("delivery_id", Identifier(64), nullable=False),
        sa.Column("sender", Identifier(32), nullable=False),
        sa.Column("digest", Identifier(80), nullable=False),
        sa.Column("body", LongText(), nullable=False),
        sa.Column("notes", Document(), nullable=False),
        sa.Column("alert_count", sa.Integer(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("received_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("delivery_id", name="pk_webhook_delivery"),
    )
    op.create_index("ix_webhook_delivery_digest", "webhook_delivery", ["digest"])
    op.create_index("ix_webhook_delivery_received_at", "webhook_delivery", ["received_at"])


def _alert() -> None:
    op.create_table(
        "alert",
        sa.Column("alert_id", Identifier(64), nullable=False),
        sa.Column("incident_id", Identifier(64), nullable=False),
        sa.Column("delivery_id", Identifier(64), nullable=False),
        sa.Column("fingerprint", Identifier(128), nullable=False),
        sa.Column("sender", Identifier(32), nullable=False),
        sa.Column("name", Identifier(255), nullable=False),
        sa.Column("status", Identifier(32), nullable=False),
        sa.Column("severity", Identifier(32), nullable=False),
        sa.Column("reason", Document(), nullable=False),
        sa.Column("skipped_reason", Identifier(64), nullable=True),
        sa.Column("skipped", Document(), nullable=True),
        sa.Column("body", Document(), nullable=False),
        sa.Column("state", Document(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("starts_at", UtcDateTime(), nullable=True),
        sa.Column("ends_at", UtcDateTime(), nullable=True),
        sa.Column("received_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
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


def _feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("feedback_id", Identifier(64), nullable=False),
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("judgement", Identifier(16), nullable=False),
        sa.Column("kind", Identifier(255), nullable=False),
        sa.Column("right_entity", Identifier(255), nullable=False),
        sa.Column("right_fault_kind", Identifier(32), nullable=False),
        sa.Column("comment", LongText(), nullable=False),
        sa.Column("author", Identifier(255), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["diagnosis_session.session_id"],
            name="fk_feedback_session_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("feedback_id", name="pk_feedback"),
    )
    op.create_index("ix_feedback_kind", "feedback", ["kind"])
    op.create_index("ix_feedback_session_id", "feedback", ["session_id"])


def _incident_event() -> None:
    op.create_table(
        "incident_event",
        sa.Column("event_id", Identifier(64), nullable=False),
        sa.Column("incident_id", Identifier(64), nullable=False),
        sa.Column("kind", Identifier(32), nullable=False),
        sa.Column("details", Document(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incident.incident_id"],
            name="fk_incident_event_incident_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("event_id", name="pk_incident_event"),
    )
    op.create_index("ix_incident_event_incident_id", "incident_event", ["incident_id"])
    op.create_index("ix_incident_event_kind", "incident_event", ["kind", "at"])


def _session_queue() -> None:
    op.create_table(
        "session_queue",
        sa.Column("session_id", Identifier(128), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("enqueued_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["diagnosis_session.session_id"],
            name="fk_session_queue_session_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", name="pk_session_queue"),
    )
    op.create_index("ix_session_queue_priority", "session_queue", ["priority", "enqueued_at"])


def _web_login() -> None:
    op.create_table(
        "web_login",
        sa.Column("digest", Identifier(80), nullable=False),
        sa.Column("token_id", Identifier(64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["api_token.token_id"], name="fk_web_login_token_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_web_login"),
    )


def _indexes() -> None:
    """Put indexes that the list of sessions is read from in place of those of single columns."""
    for name in ("created_at", "status", "verdict", "aiops_gate"):
        op.drop_index(f"ix_diagnosis_session_{name}", "diagnosis_session")
    op.drop_index("ix_session_entity_name", "session_entity")
    op.drop_index("ix_tool_invocation_tool_name", "tool_invocation")
    op.create_index("ix_session_entity_name_session_id", "session_entity", ["name", "session_id"])
    op.create_index(
        "ix_tool_invocation_tool_name_session_id", "tool_invocation", ["tool_name", "session_id"]
    )
    filters = ("channel", "status", "verdict", "aiops_gate")
    for first in ("", *filters):
        columns = [first] if first else []
        columns += ["created_at", "session_id", *(name for name in filters if name != first)]
        op.create_index(f"ix_diagnosis_session_by_{first or 'age'}", "diagnosis_session", columns)
