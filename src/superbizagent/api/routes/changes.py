"""Deployments and configuration changes: reported here, listed as evidence by every diagnosis."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.api.access import Bearer
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.problems import Refused, documented
from superbizagent.api.senders import ingesting
from superbizagent.api.services import services_of
from superbizagent.domain.canonical import digest
from superbizagent.domain.change_rows import given_changes
from superbizagent.domain.ids import derived_id
from superbizagent.domain.incident_record import ReportedChange
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.window import Instant

__all__ = ["router"]

router = APIRouter(prefix="/api/changes", tags=["intake"])

_MOST = 10_000
_NAME, _KIND = 255, 64


class Noted(BaseModel):
    """What was stored."""

    change_ids: list[str] = Field(description="One for each change; the same change keeps its id")
    duplicates: int = Field(description="Changes that were known")


_EXAMPLE: dict[str, Any] = {
    "service": "checkout",
    "at": "2026-05-06T12:00:00Z",
    "kind": "deploy",
    "title": "checkout 4.2.1: smaller connection pool",
    "version": "4.2.1",
    "author": "release-bot",
    "url": "https://ci.example/builds/4711",
}
_SCHEMA = {
    "anyOf": [
        {"type": "object", "additionalProperties": True},
        {"type": "array", "items": {"type": "object", "additionalProperties": True}},
    ]
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _SCHEMA, "example": _EXAMPLE}},
    }
}


@router.post(
    "",
    status_code=202,
    response_model=Envelope[Noted],
    responses=documented(401, 403, 413, 422, 503),
    summary="Report deployments and configuration changes",
    openapi_extra=_BODY,
)
async def report(request: Request, bearer: Bearer) -> Response:
    """Store one change or a list of them.

    Keys are taken in their usual spellings: `service`, `at`, `kind`, `title`, `version`, `author`.
    A change without a time is taken as made now.
    """
    await ingesting(request, bearer)
    services = services_of(request)
    now = services.clock.now()
    body = await request.body()
    found = given_changes(body.decode("utf-8", "replace").strip(), now)
    if not found:
        raise Refused(
            422,
            f"no change can be read out of this body of {len(body)} bytes",
            'send {"service": "checkout", "at": "2026-05-06T12:00:00Z", "kind": "deploy", …}',
        )
    if len(found) > _MOST:
        raise Refused(422, f"{len(found)} changes at once are too many", f"send at most {_MOST}")
    changes = [
        _reported(c.model_dump(mode="json"), g, now, services.storage.redactor) for c, g in found
    ]
    new = await services.storage.changes.put(changes)
    ids = list(dict.fromkeys(one.change_id for one in changes))
    return ok({"change_ids": ids, "duplicates": len(changes) - new}, 202)


def _reported(
    change: dict[str, Any], given: dict[str, Any], now: Instant, redactor: Redactor
) -> ReportedChange:
    change = redactor.json(change)
    return ReportedChange(
        change_id=derived_id("change", digest(change)),
        at=change["at"],
        service=change["entity"][:_NAME],
        kind=change["kind"][:_KIND],
        body={"change": change, "given": redactor.json(given)},
        received_at=now,
    )
