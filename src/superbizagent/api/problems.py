"""Errors become answers here, and nowhere else."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from superbizagent.api.envelope import ProblemEnvelope, problem
from superbizagent.api.request_ids import request_id_of
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

__all__ = ["Refused", "documented", "install_handlers"]

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
    409: ("conflict", "read the state again and decide anew"),
    413: ("too_large", "send less, or raise [service] max_body_bytes"),
    415: ("unsupported_media_type", "send JSON with `Content-Type: application/json`"),
    422: ("invalid", "correct the named field; /openapi.json shows its shape"),
    429: ("too_many_requests", "wait and try again; Retry-After says how long"),
    503: ("unavailable", "try again later; /readyz says what is missing"),
}


def _word(status: int, said: str) -> tuple[str, str, str]:
    """Return code, message and the usual advice of a status."""
    code, advice = _WORDS[status]
    return code, said, advice


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
        return problem(status, error.code, what, advice, request_id_of(request))

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
        word, advice = _WORDS.get(error.status_code, ("error", "see /openapi.json"))
        code = getattr(error, "error_code", "") or word
        hint = getattr(error, "hint", "") or advice
        response = problem(error.status_code, code, str(error.detail), hint, request_id_of(request))
        response.headers.update(error.headers or {})
        return response

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
        given = request.headers.get("content-type", "application/json")
        if error.body is not None and "json" not in given.lower():
            said = f"the body is {given[:80]!r} and has to be JSON"
            return problem(415, *_word(415, said), request_id_of(request))
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        said = f"{place}: {first['msg']}"
        return problem(422, "invalid", said, _WORDS[422][1], request_id_of(request))

    async def unexpected(request: Request, error: Exception) -> Response:
        number = request_id_of(request)
        get_logger("api").error("internal error", exc_info=error, request_id=number)
        hint = f"report it with the request id {number}; our log holds the reason"
        return problem(500, "internal", "internal error", hint, number)

    app.add_exception_handler(SuperbizError, known)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, unexpected)
