"""Who may do what with the service."""

from enum import StrEnum

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["ANYBODY", "ApiToken", "Permission", "Principal"]


class Permission(StrEnum):
    """What a token is good for; `ADMIN` holds the others."""

    READ = "read"
    """Sessions, reports, evidence, incidents."""
    DIAGNOSE = "diagnose"
    """Start, cancel and judge diagnoses; chat."""
    INGEST = "ingest"
    """Hand in alerts and changes."""
    ADMIN = "admin"


class Principal(Model):
    """Who is asking."""

    name: str
    token_id: str | None = None
    login: str | None = None
    """Of a login of the page: the digest of its cookie."""
    permissions: frozenset[Permission] = frozenset()

    def may(self, permission: Permission) -> bool:
        """Tell whether this one may."""
        return permission in self.permissions or Permission.ADMIN in self.permissions


ANYBODY = Principal(name="anybody", permissions=frozenset(Permission))
"""Whoever reaches the loopback address of an installation that has no token."""


class ApiToken(Model):
    """A token as it is listed: the secret itself is not stored anywhere."""

    token_id: str
    name: str
    permissions: frozenset[Permission]
    created_at: Instant
    expires_at: Instant | None = None
    last_used_at: Instant | None = None
    revoked_at: Instant | None = None
