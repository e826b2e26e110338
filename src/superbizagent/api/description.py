"""The OpenAPI description: every error that any route can answer, said in one place."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from superbizagent.api.envelope import ProblemEnvelope
from superbizagent.api.problems import documented

__all__ = ["describe"]

_ANY = (400, 415, 500)
_SECURED = (401, 403, 429, 503)
_WITH_BODY = (413, 422)
_REF = "#/components/schemas/{model}"


def describe(app: FastAPI) -> None:
    """Let an application describe itself, with the answers of what stands before its routes."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi


def _described(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    own = ProblemEnvelope.model_json_schema(ref_template=_REF)
    schemas.update(own.pop("$defs", {}))
    schemas["ProblemEnvelope"] = own
    for name in ("HTTPValidationError", "ValidationError"):  # what it would be without us
        schemas.pop(name, None)
    for methods in found.get("paths", {}).values():
        for operation in methods.values():
            _complete(operation)
    return found


def _complete(operation: dict[str, Any]) -> None:
    answers = operation.setdefault("responses", {})
    takes = "requestBody" in operation or operation.get("parameters")
    if _is_default(answers.get("422")):
        del answers["422"]
    statuses = (
        *_ANY,
        *(_WITH_BODY if takes else ()),
        *(_SECURED if "security" in operation else ()),
    )
    content = {"application/json": {"schema": {"$ref": _REF.format(model="ProblemEnvelope")}}}
    for status, said in documented(*statuses).items():
        answers.setdefault(str(status), {"description": said["description"], "content": content})
    operation["responses"] = dict(sorted(answers.items()))


def _is_default(answer: Any) -> bool:
    return "HTTPValidationError" in str(answer)
