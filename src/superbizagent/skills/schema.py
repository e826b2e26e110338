"""The JSON Schema of ``checks.yaml``, for editors; generated from the types that validate it."""

import json
from importlib.resources import files

from superbizagent.domain.check import UsedCheck
from superbizagent.domain.skill import CheckFile

__all__ = ["checks_schema", "checks_schema_text", "shipped_schema_text"]


def checks_schema_text() -> str:
    """Return the schema as the text that is shipped."""
    return json.dumps(checks_schema(), indent=2, ensure_ascii=False) + "\n"


def checks_schema() -> dict[str, object]:
    """Return the schema of a whole ``checks.yaml``."""
    schema = CheckFile.model_json_schema()
    definitions = schema["$defs"]
    definitions["UsedCheck"] = _used_check()
    items = {"anyOf": [{"$ref": "#/$defs/Check"}, {"$ref": "#/$defs/UsedCheck"}]}
    definitions["Hypothesis"]["properties"]["evidence"]["items"] = items
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "superbizagent checks.yaml",
    }
    return {**schema, **head}


def _used_check() -> dict[str, object]:
    """What a file may write instead of a check; what it is made of is defined beside it."""
    schema = UsedCheck.model_json_schema()
    return {key: value for key, value in schema.items() if key != "$defs"}


def shipped_schema_text() -> str:
    """Return the schema file that is part of the package."""
    return (files("superbizagent.skills") / "checks.schema.json").read_text(encoding="utf-8")
