"""What answers at an address: told by a few small questions, each documented by its product.

Nothing but the address that was given is asked, at it and below the usual path prefixes.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx2

from superbizagent.datasources._http import HttpAccess, HttpClient
from superbizagent.domain.json_values import mapping
from superbizagent.errors import (
    ConfigError,
    DataSourceError,
    DeniedDataSourceError,
    PermanentDataSourceError,
    TemporaryDataSourceError,
)

__all__ = ["Found", "identify"]

_PREFIXES = ("", "/prometheus", "/select/0/prometheus", "/alertmanager")
"""Where Mimir, VictoriaMetrics' cluster and all-in-one installations have their APIs."""

_PAGE = re.compile(
    r"/(?:graph|query|targets|alerts|rules|status|config|vmui|explore|metrics|ready"
    r"|-/\w+|api/v[12]|loki/api/v1)(?:/.*)?$"
)
"""Pages and API paths that people copy from their browser."""

_KINDS = {"prometheus": "prometheus", "loki": "loki", "alertmanager": "alertmanager"}
"""Grafana's types of data sources that are read."""

_SECONDS = 5.0
_MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """What answers at one address."""

    address: str
    """Base address to configure, with its prefix; without credentials."""
    kind: str = ""
    """``prometheus``, ``alertmanager``, ``loki``, ``grafana``, ``kubernetes``; empty: not told."""
    product: str = ""
    version: str = ""
    reason: str = ""
    """Why it cannot be told or read, and what to do."""
    parts: tuple["Found", ...] = ()
    """Grafana's data sources, by their addresses behind it."""
    name: str = ""
    """What Grafana calls a data source."""


async def identify(
    access: HttpAccess, *, transport: httpx2.AsyncBaseTransport | None = None
) -> Found:
    """Return what answers at an address; what does not answer is a value.

    Args:
        access: the address and how it lets us in.
        transport: replaces the network in tests.
    """
    reasons: list[str] = []
    for base in _bases(access):
        try:
            async with HttpClient(
                replace(access, url=base),
                timeout_seconds=_SECONDS,
                max_body_bytes=_MAX_BYTES,
                attempts=1,
                transport=transport,
            ) as client:
                for look in _LOOKS:
                    found = await _try(look, client, reasons)
                    if found is not None:
                        return found
        except (TemporaryDataSourceError, ConfigError) as error:
            return Found(access.address, reason=str(error))
    denied = next((text for text in reasons if "denies access" in text), "")
    unknown = (
        f"{access.address} answers, but not like Prometheus, Alertmanager, Loki, Grafana or the"
        " API of Kubernetes; give the base address of one of them"
    )
    return Found(access.address, reason=denied or unknown)


def _bases(access: HttpAccess) -> list[str]:
    """Return the addresses to try: the one given, without a page's path, with usual prefixes."""
    given = httpx2.URL(access.url.strip()).copy_with(query=None, fragment=None)
    text = str(given).rstrip("/")
    bare = _PAGE.sub("", text)
    return list(dict.fromkeys([text, *(f"{bare}{prefix}" for prefix in _PREFIXES)]))


_Look = Callable[[HttpClient], Awaitable[Found | None]]


async def _try(look: _Look, client: HttpClient, reasons: list[str]) -> Found | None:
    try:
        return await look(client)
    except PermanentDataSourceError as error:
        reasons.append(str(error))
        return None


async def _optional(client: HttpClient, path: str) -> dict[str, Any]:
    """Return what a page says, empty where it does not exist."""
    try:
        return mapping(await client.get(path))
    except DataSourceError:
        return {}


async def _prometheus(client: HttpClient) -> Found | None:
    try:
        names = mapping(await client.get("/api/v1/labels", {"limit": "1"}))
    except DeniedDataSourceError as error:
        if "no org id" not in str(error):
            raise
        return Found(client.address, "prometheus", "Mimir or Cortex", reason=str(error))
    if names.get("status") != "success" or not isinstance(names.get("data"), list):
        return None
    about = mapping((await _optional(client, "/api/v1/status/buildinfo")).get("data"))
    product = str(about.get("application") or "")
    if not product:
        product = await _family(client)
    return Found(client.address, "prometheus", product, str(about.get("version", "")))


async def _family(client: HttpClient) -> str:
    """Tell servers of Prometheus's API apart by a page that only one of them has."""
    if "topByCount" in await _optional(client, "/api/v1/status/top_queries"):
        return "VictoriaMetrics"
    if (await _optional(client, "/api/v1/stores")).get("status") == "success":
        return "Thanos Query"
    return "Prometheus"


async def _alertmanager(client: HttpClient) -> Found | None:
    status = mapping(await client.get("/api/v2/status"))
    if not {"versionInfo", "config", "cluster"} & set(status):
        return None
    version = str(mapping(status.get("versionInfo")).get("version", ""))
    return Found(client.address, "alertmanager", "Alertmanager", version)


async def _loki(client: HttpClient) -> Found | None:
    about = await _optional(client, "/loki/api/v1/status/buildinfo")
    version = str(about.get("version", ""))
    try:
        names = mapping(await client.get("/loki/api/v1/labels"))
    except DeniedDataSourceError as error:
        if not version:
            raise
        return Found(client.address, "loki", "Loki", version, reason=str(error))
    if names.get("status") != "success":  # without any stream, `data` is left out
        return None
    return Found(client.address, "loki", "Loki", version)


async def _grafana(client: HttpClient) -> Found | None:
    health = mapping(await client.get("/api/health"))
    if "database" not in health:
        return None
    found = Found(client.address, "grafana", "Grafana", str(health.get("version", "")))
    try:
        rows = await client.get("/api/datasources")
    except DeniedDataSourceError:
        return replace(
            found,
            reason=f"{client.address} lists its data sources for a token only; give one with"
            " --header 'Authorization: Bearer TOKEN'",
        )
    parts = [_part(client.address, mapping(row)) for row in _rows(rows)]
    readable = tuple(part for part in parts if part is not None)
    if readable:
        return replace(found, parts=readable)
    return replace(found, reason=f"{client.address} has no data source of a kind that is read")


def _rows(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _part(grafana: str, row: dict[str, Any]) -> Found | None:
    kind, uid = _KINDS.get(str(row.get("type"))), str(row.get("uid") or "")
    if kind is None or not re.fullmatch(r"[\w-]+", uid):
        return None
    address = f"{grafana}/api/datasources/proxy/uid/{uid}"
    return Found(address, kind, "through Grafana", name=str(row.get("name", "")))


async def _kubernetes(client: HttpClient) -> Found | None:
    version = mapping(await client.get("/version")).get("gitVersion")
    if not version:
        return None
    return Found(client.address, "kubernetes", "Kubernetes API", str(version))


_LOOKS: tuple[_Look, ...] = (_loki, _prometheus, _alertmanager, _grafana, _kubernetes)
