"""HTTP to a Loki: its refusals are plain text, and its structured metadata has to be asked for."""

from collections.abc import Mapping
from dataclasses import replace
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
from superbizagent.datasources._http.failures import HttpStatus

__all__ = ["API", "LokiClient"]

API = "/loki/api/v1"

_CATEGORIZED: Mapping[str, str] = {"X-Loki-Response-Encoding-Flags": "categorize-labels"}
"""Without it, structured metadata comes mixed into the labels of the stream, which then falls
apart into one stream a line. Versions that do not know it ignore it."""


class LokiClient(HttpClient):
    """Reads one server of the Loki API. Use as ``async with``.

    Args:
        access: where it is, with a path prefix when it has one, without ``/loki/api/v1``.
        timeout_seconds: for one whole request.
        max_body_bytes: larger answers are refused.
        pace: how many requests may be under way.
        transport: replaces the network in tests.

    Raises:
        ConfigError: when a certificate or token file cannot be used.
    """

    def __init__(
        self,
        access: HttpAccess,
        *,
        timeout_seconds: float,
        max_body_bytes: int,
        pace: Pace | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(
            replace(access, headers={**_CATEGORIZED, **access.headers}),
            timeout_seconds=timeout_seconds,
            max_body_bytes=max_body_bytes,
            attempts=2,
            pace=pace,
            transport=transport,
        )

    async def ask(self, path: str, params: Params | None = None) -> ApiAnswer:
        """Return the ``data`` of an answer with the server's warnings.

        Raises:
            TemporaryDataSourceError: when the server does not answer or is overloaded.
            PermanentDataSourceError: when it refuses, or is no Loki.
        """
        return await ask_api(self, f"{API}{path}", params, product="Loki")

    def decode(self, answer: HttpAnswer, path: str) -> Any:
        """Return the JSON of an answer.

        Raises:
            PermanentDataSourceError: when it is none, or the answer is a refusal.
        """
        plain = answer.content_type.startswith("text/plain")
        if answer.status >= 400 and answer.status != 404 and plain:
            raise self.permanent(
                f"{self.address}{path} answers {answer.status}: {answer.excerpt}"
            ) from HttpStatus(answer.status)
        return super().decode(answer, path)
