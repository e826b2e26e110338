"""The routes and the shapes of their answers are those that clients know: keys are only added.

`routes.json` holds method, path, answers and the keys of a success. Written anew, after a route
was added on purpose, by: python tests/requirements/test_b_routes.py
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from api_client import opened_api

STORED = Path(__file__).with_name("routes.json")


async def described() -> dict[str, Any]:
    """Return ``GET /path`` -> answers and keys of a success."""
    with tempfile.TemporaryDirectory() as folder:
        async with opened_api(Path(folder)) as api:
            schema = (await api.client.get("/openapi.json")).json()
    return {
        f"{method.upper()} {path}": {
            "answers": sorted(operation["responses"]),
            "data": keys(schema, operation),
        }
        for path, operations in sorted(schema["paths"].items())
        for method, operation in sorted(operations.items())
    }


def keys(schema: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    """Keys of ``data`` in a success."""
    content = operation["responses"].get("200", {}).get("content", {})
    envelope = resolved(schema, content.get("application/json", {}).get("schema", {}))
    data = resolved(schema, envelope.get("properties", {}).get("data", {}))
    return sorted(data.get("properties", {}))


def resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").rpartition("/")[2]
    return schema["components"]["schemas"][name] if name else part


def lost(stored: dict[str, Any], now: dict[str, Any]) -> dict[str, list[str]]:
    """What clients know and would not find any more."""
    kept = {route: was for route, was in stored.items() if route in now}
    found = {
        route: sorted(set(was["data"]) - set(now[route]["data"])) for route, was in kept.items()
    }
    gone = {route: ["the route"] for route in stored if route not in now}
    return gone | {route: names for route, names in found.items() if names}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_b19_what_clients_know_stays() -> None:
    assert lost(json.loads(STORED.read_text(encoding="utf-8")), await described()) == {}


@pytest.mark.anyio
async def test_b20_no_route_comes_or_goes_unnoticed() -> None:
    now = await described()
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert now == stored, "if that is meant: python tests/requirements/test_b_routes.py"


def test_a_lost_key_and_a_lost_route_are_noticed() -> None:
    was: dict[str, Any] = {"GET /a": {"data": ["x", "y"]}, "GET /b": {"data": []}}
    assert lost(was, {"GET /a": {"data": ["y", "z"]}}) == {"GET /b": ["the route"], "GET /a": ["x"]}
    assert lost(was, was) == {}


if __name__ == "__main__":
    text = json.dumps(asyncio.run(described()), indent=1, sort_keys=True)
    STORED.write_text(text + "\n", encoding="utf-8")
