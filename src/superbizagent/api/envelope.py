"""The one shape of every answer, and of every error: ``{code, message, data}``."""

from typing import Any, Generic, TypeVar

from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.domain.canonical import canonical_bytes

__all__ = ["Envelope", "Problem", "ProblemEnvelope", "json_response", "ok", "problem"]

T = TypeVar("T")


class Envelope(BaseModel, Generic[T]):
    """A success; ``code`` is 200 whatever the HTTP status, as existing clients expect."""

    code: int = 200
    message: str = "success"
    data: T


class Problem(BaseModel):
    """What went wrong, for programs and for people."""

    error_code: str = Field(description="A stable word", examples=["not_found"])
    hint: str = Field(description="What to do next")
    request_id: str = Field(description="Stands in our log lines and in the audit log")


class ProblemEnvelope(BaseModel):
    """An error; ``code`` is the HTTP status."""

    code: int = Field(examples=[404])
    message: str
    data: Problem


def json_response(content: Any, status: int = 200) -> Response:
    """Return JSON, written once and canonically, past FastAPI's second validation."""
    return Response(canonical_bytes(content), status_code=status, media_type="application/json")


def ok(data: Any, status: int = 200) -> Response:
    """Return a success."""
    return json_response({"code": 200, "message": "success", "data": data}, status)


def problem(status: int, code: str, message: str, hint: str, request_id: str) -> Response:
    """Return an error."""
    data = {"error_code": code, "hint": hint, "request_id": request_id}
    return json_response({"code": status, "message": message, "data": data}, status)
