"""The audit log, and the description of the API."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.api.access import needs
from superbizagent.api.envelope import Envelope, json_response, ok
from superbizagent.api.parameters import Time
from superbizagent.api.problems import documented
from superbizagent.api.services import services_of
from superbizagent.domain.access import Permission
from superbizagent.domain.audit import AuditAction, AuditEntry

__all__ = ["router"]

router = APIRouter()


class AuditQuery(BaseModel):
    """Which entries."""

    since: Time | None = Field(default=None, description="RFC 3339, with a zone")
    actor: str | None = Field(default=None, max_length=255, description="Name of a token")
    action: AuditAction | None = None
    before: str | None = Field(default=None, max_length=64, description="`next` of a page")
    limit: int = Field(default=100, ge=1, le=1000)


class AuditPage(BaseModel):
    """Entries, newest first."""

    entries: list[AuditEntry]
    next: str | None = Field(description="Give it as `before` for the next page; null at the end")


@router.get(
    "/api/audit",
    response_model=Envelope[AuditPage],
    responses=documented(401, 403, 422),
    dependencies=[Depends(needs(Permission.ADMIN))],
    summary="Who read and started what",
    tags=["access"],
)
async def audit(request: Request, asked: Annotated[AuditQuery, Query()]) -> Response:
    """List what was read, started, changed and refused; what was just asked is included."""
    await request.app.state.audit.flush()
    entries = await services_of(request).storage.audit.list(**dict(asked))
    found: dict[str, Any] = {
        "entries": [entry.model_dump(mode="json") for entry in entries],
        "next": entries[-1].audit_id if len(entries) == asked.limit else None,
    }
    return ok(found)


@router.get(
    "/openapi.json",
    dependencies=[Depends(needs(Permission.READ))],
    include_in_schema=False,
)
async def description(request: Request) -> Response:
    """Describe the API."""
    return json_response(request.app.openapi())
