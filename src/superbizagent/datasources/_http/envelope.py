"""The envelope that Prometheus and Loki put around every answer of their API."""

from dataclasses import dataclass
from typing import Any, cast

from superbizagent.datasources._http.client import HttpClient, Params, pairs_of
from superbizagent.domain.json_values import mapping

__all__ = ["ApiAnswer", "ask_api"]

_LONGEST_ADDRESS = 3000
"""Characters of a query in an address: proxies take 4 kB at least. Longer ones are posted; not all
of them, because some gateways let readers GET only."""

_WARNINGS_KEPT = 5


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """The ``data`` of an answer, and what the server said about it."""

    data: Any
    warnings: tuple[str, ...] = ()
    partial: bool = False
    """Some of the servers behind this one did not take part."""


async def ask_api(
    client: HttpClient, path: str, params: Params | None = None, *, product: str
) -> ApiAnswer:
    """Return the ``data`` of an answer with the server's warnings.

    Args:
        client: of the server.
        path: of the API.
        params: by GET, or by POST when they are long.
        product: what the server should be, for messages.

    Raises:
        TemporaryDataSourceError: when the server does not answer or is overloaded.
        PermanentDataSourceError: when it refuses, or is no such server.
    """
    pairs = pairs_of(params or ())
    if sum(len(name) + len(value) for name, value in pairs) > _LONGEST_ADDRESS:
        document = mapping(await client.post_form(path, pairs))
    else:
        document = mapping(await client.get(path, pairs))
    if "data" not in document:
        raise client.permanent(
            f"{client.address}{path} answers without 'data'; is this a {product}?"
        )
    said = document.get("warnings")
    warnings = [str(w)[:300] for w in cast("list[Any]", said)] if isinstance(said, list) else []
    partial = document.get("isPartial") is True  # VictoriaMetrics' cluster
    if partial:
        warnings.append("the server says that its answer is partial")
    return ApiAnswer(document["data"], tuple(warnings[:_WARNINGS_KEPT]), partial)
