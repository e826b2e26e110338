"""Errors become answers here, and nowhere else."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from superbizagent.api.envelope import ProblemEnvelope, problem
from superbizagent.api.request_ids import request_id_of
from superbizagent.domain.plain import plain
from superbizagent.errors import (
    ConfigError,
    ConflictError,
    DataSourceError,
    IntegrityError,
    StorageError,
    SuperbizError,
    UsageError,
)
from superbizagent.telemetry import get_logger

__all__ = ["Refused", "documented", "install_handlers", "internal_error", "problem_of"]

_STATUS: Mapping[type[SuperbizError], tuple[int, str]] = {
    ConflictError: (409, "conflict"),
    UsageError: (400, "usage"),
    ConfigError: (503, "config"),
    DataSourceError: (503, "datasource"),
    IntegrityError: (500, "integrity"),
    StorageError: (503, "storage"),
}
_WORDS = {
    400: ("bad_request", "correct the request; /openapi.json shows its shape"),
    401: ("unauthorized", "send `Authorization: Bearer TOKEN`; `superbiz token create` makes one"),
    403: ("forbidden", "use a token that has this permission; `superbiz token list` shows them"),
    404: ("not_found", "check the path; /openapi.json lists them"),
    405: ("method_not_allowed", "use another method; /openapi.json lists them"),
    408: ("too_slow", "send the whole request at once"),
    409: ("conflict", "read the state again and decide anew"),
    413: ("too_large", "send less, or raise [service] max_body_bytes"),
    415: ("unsupported_media_type", "send JSON with `Content-Type: application/json`"),
    422: ("invalid", "correct the named field; /openapi.json shows its shape"),
    429: ("too_many_requests", "wait and try again; Retry-After says how long"),
    431: ("headers_too_large", "send fewer and shorter headers, and a shorter path"),
    500: ("internal", "report it with the request id; our log holds the reason"),
    503: ("unavailable", "try again later; /readyz says what is missing"),
}


class Refused(HTTPException):
    """An answer that is no success: the caller can mend it.

    Args:
        status: HTTP status.
        message: what is wrong, with the object's name.
        hint: what to do next; else the usual advice for this status.
        code: stable word; else the usual one for this status.
        headers: further headers, such as ``Retry-After``.
    """

    def __init__(
        self,
        status: int,
        message: str,
        hint: str = "",
        code: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, dict(headers or {}))
        self.hint = hint
        self.error_code = code


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for its OpenAPI description."""
    return {
        status: {"model": ProblemEnvelope, "description": _WORDS[status][0].replace("_", " ")}
        for status in statuses
    }


def problem_of(status: int, message: str, hint: str = "", request_id: str = "") -> Response:
    """Return an error with the usual word, and the usual advice unless there is a better one."""
    word, advice = _WORDS.get(status, ("error", "see /openapi.json"))
    return problem(status, word, plain(message, 500), hint or advice, request_id)


def internal_error(error: Exception, request_id: str) -> Response:
    """Log what nobody expected; return the answer, which tells nothing of it."""
    get_logger("api").error("internal error", exc_info=error, request_id=request_id)
    hint = f"report it with the request id {request_id}; our log holds the reason"
    return problem_of(500, "internal error", hint, request_id)


def install_handlers(app: FastAPI) -> None:
    """Give every error its answer; nothing of ours prints a traceback to a caller."""

    async def known(request: Request, error: Exception) -> Response:
        assert isinstance(error, SuperbizError)  # noqa: S101 - what it is registered for
        kinds = (kind for kind in type(error).__mro__ if kind in _STATUS)
        status, _ = _STATUS.get(next(kinds, StorageError), (500, "internal"))
        what, _, advice = " ".join(str(error).split()).partition("; ")
        if not advice:
            what, _, advice = what.partition(": ")
        get_logger("api").warning("refused", status=status, code=error.code, error=str(error))
        return problem(status, error.code, plain(what, 500), advice, request_id_of(request))

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
        word, advice = _WORDS.get(error.status_code, ("error", "see /openapi.json"))
        code = getattr(error, "error_code", "") or word
        hint = getattr(error, "hint", "") or advice
        said = plain(str(error.detail), 500)
        response = problem(error.status_code, code, said, hint, request_id_of(request))
        response.headers.update(error.headers or {})
        return response

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
        given = request.headers.get("content-type", "application/json")
        if error.body is not None and "json" not in given.lower():
            said = f"the body is {given[:80]!r} and has to be JSON"
            return problem_of(415, said, request_id=request_id_of(request))
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return problem_of(422, f"{place}: {first['msg']}", request_id=request_id_of(request))

    app.add_exception_handler(SuperbizError, known)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
