"""The tables of the service: alerts and incidents, access, the queue, feedback, what it learnt.

On the same metadata as `tables`, whose rules hold here too.
"""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table

from superbizagent.storage.tables import DIGEST_LENGTH, SESSION_ID_LENGTH, metadata
from superbizagent.storage.types import Document, Identifier, LongText, Name, UtcDateTime

__all__ = [
    "alert",
    "api_token",
    "audit_entry",
    "change_event",
    "feedback",
    "incident",
    "incident_event",
    "notification",
    "service_edge",
    "service_state",
    "session_queue",
    "web_login",
    "webhook_delivery",
]

incident = Table(
    "incident",
    metadata,
    Column("incident_id", Identifier(), primary_key=True),
    Column("title", LongText(), nullable=False),
    Column("status", Name(32), nullable=False),
    Column("severity", Name(32), nullable=False),
    Column("skipped_reason", Name(64)),  # every alert of it was recorded and not diagnosed
    Column("alert_count", Integer, nullable=False),
    Column("session_count", Integer, nullable=False),
    Column("session_id", Identifier(SESSION_ID_LENGTH)),  # the newest
    Column("services", LongText(), nullable=False),  # a name a line, with a line end on both sides
    Column("waiting", Document()),  # a `Wait`: why it is not diagnosed yet
    Column("state", Document(), nullable=False),  # what grouping and dispatch go by
    Column("started_at", UtcDateTime()),
    Column("ended_at", UtcDateTime()),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("updated_at", UtcDateTime(), nullable=False),
    Column("closed_at", UtcDateTime()),  # from then on no alert joins it
    Column("merged_into", Identifier()),  # has its alerts; was not merged itself
    Index("ix_incident_closed_at", "closed_at"),
    Index("ix_incident_created_at", "created_at"),
    Index("ix_incident_merged_into", "merged_into"),
    Index("ix_incident_status", "status"),
)

alert = Table(
    "alert",
    metadata,
    Column("alert_id", Identifier(), primary_key=True),
    Column(
        "incident_id",
        Identifier(),
        ForeignKey("incident.incident_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("delivery_id", Identifier(), nullable=False),
    Column("fingerprint", Identifier(128), nullable=False),
    Column("sender", Name(32), nullable=False),
    Column("name", Name(), nullable=False),
    Column("status", Name(32), nullable=False),
    Column("severity", Name(32), nullable=False),
    Column("reason", Document(), nullable=False),  # why it belongs to this incident
    Column("skipped_reason", Name(64)),
    Column("skipped", Document()),  # the same with what its sentence names
    Column("body", Document(), nullable=False),
    Column("state", Document(), nullable=False),  # what grouping goes by
    Column("times", Integer, nullable=False),  # how often it was delivered
    Column("starts_at", UtcDateTime()),
    Column("ends_at", UtcDateTime()),
    Column("received_at", UtcDateTime(), nullable=False),
    Column("updated_at", UtcDateTime(), nullable=False),
    Index("ix_alert_incident_id", "incident_id"),
    Index("ix_alert_fingerprint", "fingerprint"),
)

incident_event = Table(
    "incident_event",
    metadata,
    Column("event_id", Identifier(), primary_key=True),
    Column(
        "incident_id",
        Identifier(),
        ForeignKey("incident.incident_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("kind", Name(32), nullable=False),
    Column("details", Document(), nullable=False),
    Column("at", UtcDateTime(), nullable=False),
    Index("ix_incident_event_incident_id", "incident_id"),
    Index("ix_incident_event_kind", "kind", "at"),
)

webhook_delivery = Table(
    "webhook_delivery",
    metadata,
    Column("delivery_id", Identifier(), primary_key=True),
    Column("sender", Name(32), nullable=False),
    Column("digest", Identifier(DIGEST_LENGTH), nullable=False),
    Column("body", LongText(), nullable=False),  # whole, redacted
    Column("notes", Document(), nullable=False),  # what was odd and how it was read
    Column("alert_count", Integer, nullable=False),
    Column("times", Integer, nullable=False),  # how often the same bytes came
    Column("received_at", UtcDateTime(), nullable=False),
    Index("ix_webhook_delivery_digest", "digest"),
    Index("ix_webhook_delivery_received_at", "received_at"),
)

session_queue = Table(
    "session_queue",
    metadata,
    Column(
        "session_id",
        Identifier(SESSION_ID_LENGTH),
        ForeignKey("diagnosis_session.session_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("priority", Integer, nullable=False),  # 0 is first
    Column("enqueued_at", UtcDateTime(), nullable=False),
    Index("ix_session_queue_priority", "priority", "enqueued_at"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("feedback_id", Identifier(), primary_key=True),
    Column(
        "session_id",
        Identifier(SESSION_ID_LENGTH),
        ForeignKey("diagnosis_session.session_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("judgement", Name(16), nullable=False),
    Column("kind", Name(), nullable=False),  # the kind of answer that was judged
    Column("right_entity", Identifier(255), nullable=False),
    Column("right_fault_kind", Name(32), nullable=False),
    Column("comment", LongText(), nullable=False),
    Column("author", Name(), nullable=False),
    Column("created_at", UtcDateTime(), nullable=False),
    Index("ix_feedback_session_id", "session_id"),
    Index("ix_feedback_kind", "kind"),
)

notification = Table(
    "notification",
    metadata,
    Column("notification_id", Identifier(), primary_key=True),
    Column("incident_id", Identifier(), nullable=False),
    Column("session_id", Identifier(SESSION_ID_LENGTH), nullable=False),
    Column("channel", Name(64), nullable=False),
    Column("kind", Name(32), nullable=False),
    Column("status", Name(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("notice", Document(), nullable=False),
    Column("reference", Document()),  # what the channel calls the message
    Column("error", LongText(), nullable=False),
    Column("next_attempt_at", UtcDateTime()),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("sent_at", UtcDateTime()),
    Index("ix_notification_incident_id", "incident_id"),
    Index("ix_notification_status", "status", "next_attempt_at"),
)

api_token = Table(
    "api_token",
    metadata,
    Column("token_id", Identifier(), primary_key=True),
    Column("name", Name(), nullable=False),
    Column("digest", Identifier(DIGEST_LENGTH), nullable=False, unique=True),
    Column("permissions", Document(), nullable=False),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("expires_at", UtcDateTime()),
    Column("last_used_at", UtcDateTime()),
    Column("revoked_at", UtcDateTime()),
)

web_login = Table(
    "web_login",
    metadata,
    Column("digest", Identifier(DIGEST_LENGTH), primary_key=True),  # of the cookie's value
    Column(
        "token_id",
        Identifier(),
        ForeignKey("api_token.token_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("expires_at", UtcDateTime(), nullable=False),
)

audit_entry = Table(
    "audit_entry",
    metadata,
    Column("audit_id", Identifier(), primary_key=True),
    Column("at", UtcDateTime(), nullable=False),
    Column("actor", Name(), nullable=False),
    Column("token_id", Identifier()),
    Column("action", Name(64), nullable=False),
    Column("target", Name(), nullable=False),
    Column("status", Integer, nullable=False),
    Column("client", Name(64), nullable=False),
    Column("request_id", Identifier(), nullable=False),
    Column("times", Integer, nullable=False),  # equal ones that came within a second
    Index("ix_audit_entry_at", "at"),
)

change_event = Table(
    "change_event",
    metadata,
    Column("change_id", Identifier(), primary_key=True),
    Column("at", UtcDateTime(), nullable=False),
    Column("service", Name(), nullable=False),
    Column("kind", Name(64), nullable=False),
    Column("body", Document(), nullable=False),
    Column("received_at", UtcDateTime(), nullable=False),
    Index("ix_change_event_at", "at"),
)

service_edge = Table(
    "service_edge",
    metadata,
    Column("caller", Identifier(255), primary_key=True),
    Column("callee", Identifier(255), primary_key=True),
    Column("data_source", Name(), nullable=False),
    Column("seen_at", UtcDateTime(), nullable=False),
)

service_state = Table(
    "service_state",
    metadata,
    Column("name", Identifier(), primary_key=True),
    Column("value", Document(), nullable=False),
    Column("updated_at", UtcDateTime(), nullable=False),
)
