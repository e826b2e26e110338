"""HTTP to a Prometheus-compatible server: its envelope around every answer."""

from collections.abc import Mapping
from typing import Any

import httpx2

from superbizagent.datasources._http import (
    ApiAnswer,
    HttpAccess,
    HttpAnswer,
    HttpClient,
    Pace,
    ask_api,
)
from superbizagent.datasources._http.client import Params
from superbizagent.domain.json_values import mapping

__all__ = ["ApiAnswer", "HttpAnswer", "PrometheusClient", "mapping"]


class PrometheusClient(HttpClient):
    """Reads one server of the Prometheus API. Use as ``async with``.

    Args:
        access: where it is, or only its base address: with a path prefix when the server has one,
            without ``/api/v1``; user name and password in it become basic authentication.
        headers: sent with each request, e.g. ``X-Scope-OrgID``, beside those of ``access``.
        timeout_seconds: for one whole request.
        max_body_bytes: larger answers are refused.
        attempts: how often a failing request is made.
        pace: how many requests may be under way.
        transport: replaces the network in tests.

    Raises:
        UsageError: when the address is no HTTP address.
        ConfigError: when a certificate or token file cannot be used.
    """

    def __init__(  # noqa: PLR0913 - those of HttpClient
        self,
        access: HttpAccess | str,
        *,
        timeout_seconds: float = 60.0,
        headers: Mapping[str, str] | None = None,
        max_body_bytes: int = 512 * 1024 * 1024,
        attempts: int = 3,
        pace: Pace | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        if isinstance(access, str):
            access = HttpAccess(access, headers=dict(headers or {}))
        super().__init__(
            access,
            timeout_seconds=timeout_seconds,
            max_body_bytes=max_body_bytes,
            attempts=attempts,
            pace=pace,
            transport=transport,
        )

    async def get_data(self, path: str, params: Params | None = None) -> Any:
        """Return the ``data`` of an answer.

        Raises:
            DataSourceError: as `ask`.
        """
        return (await self.ask(path, params)).data

    async def ask(self, path: str, params: Params | None = None) -> ApiAnswer:
        """Return the ``data`` of an answer with the server's warnings.

        Raises:
            TemporaryDataSourceError: when the server does not answer or is overloaded.
            PermanentDataSourceError: when it refuses, or is no Prometheus.
        """
        return await ask_api(self, path, params, product="Prometheus")
