"""What it knows and what it reads: playbooks and sources."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.api.access import needs
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.problems import Refused, documented
from superbizagent.api.services import services_of
from superbizagent.domain.access import Permission
from superbizagent.domain.source_state import SourceState
from superbizagent.storage.service_state import SOURCES

__all__ = ["router"]

router = APIRouter(
    prefix="/api", tags=["catalogue"], dependencies=[Depends(needs(Permission.READ))]
)


class SkillList(BaseModel):
    """Playbooks in order of their names."""

    items: list[dict[str, Any]] = Field(description="Name, description, alerts, keywords, source")


class SourceList(BaseModel):
    """Sources as the worker last found them."""

    items: list[SourceState]
    examined_at: datetime | None = Field(description="null: no worker has looked yet")


@router.get(
    "/skills",
    response_model=Envelope[SkillList],
    summary="List the playbooks",
    responses=documented(401, 403),
)
async def list_skills(request: Request) -> Response:
    """Return what each playbook is for, without its text."""
    return ok({"items": services_of(request).skills})


@router.get(
    "/skills/{name}",
    response_model=Envelope[dict[str, Any]],
    summary="Show one playbook",
    responses=documented(401, 403, 404),
)
async def show_skill(
    request: Request, name: Annotated[str, Path(examples=["mysql-connection-pool"])]
) -> Response:
    """Return a playbook with its text and the checks it makes."""
    services = services_of(request)
    found = services.read_skill(name)
    if found is None:
        raise Refused(404, f"there is no playbook {name[:64]!r}", "GET /api/skills lists them")
    return ok(found)


@router.get(
    "/sources",
    response_model=Envelope[SourceList],
    summary="List the sources and how each one answers",
    responses=documented(401, 403),
)
async def list_sources(request: Request) -> Response:
    """Return what the worker found when it last examined each source, about once a minute."""
    stored = await services_of(request).storage.state.get(SOURCES)
    if stored is None:
        return ok({"items": [], "examined_at": None})
    return ok({"items": stored[0]["items"], "examined_at": stored[1]})
