"""The API of a cluster: lists in pages, logs as text. Makes GET requests alone."""

import re
from collections.abc import AsyncIterator
from typing import Any

from superbizagent.datasources._http import HttpClient
from superbizagent.datasources._http.failures import http_status
from superbizagent.datasources.kubernetes.fields import Raw, rows, text
from superbizagent.domain.json_values import mapping
from superbizagent.errors import DataSourceError, PermanentDataSourceError

__all__ = ["KubernetesClient", "Listed", "Resource"]

_PAGE = 500
"""Objects of one page, what kubectl asks for."""
_MOST_PAGES = 60
"""30,000 objects of one kind: more is no look but a copy of the cluster."""
_GONE = 410
_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""Names without content. No other form is accepted: what is not sent cannot leak."""
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


class Resource:
    """One kind of object and where the API lists it.

    Args:
        kind: as objects name it.
        plural: as the address names it.
        group: ``""`` for the core group, else ``apps/v1`` and the like.
        namespaced: whether it lives in a namespace.
        names_only: whether names are all that is asked for.
    """

    def __init__(
        self,
        kind: str,
        plural: str,
        group: str = "",
        *,
        namespaced: bool = True,
        names_only: bool = False,
    ) -> None:
        self.kind = kind
        self.plural = plural
        self.namespaced = namespaced
        self.names_only = names_only
        self._base = f"/apis/{group}" if group else "/api/v1"

    def path(self, namespace: str) -> str:
        """Return the address of the list, of all namespaces when none is given."""
        inside = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{self._base}{inside}/{self.plural}"


class Listed:
    """What a list came to: its objects, and whether all of them were read."""

    def __init__(self) -> None:
        self.items: list[Raw] = []
        self.cut = False


class KubernetesClient(HttpClient):
    """Reads one API server. Use as ``async with``; the arguments are those of `HttpClient`."""

    way_in = (
        "give a token or certificate that may `get` and `list`; see `kubectl auth can-i --list`"
    )

    async def version(self) -> str:
        """Return the server's version.

        Raises:
            DataSourceError: when it does not answer like a Kubernetes API.
        """
        document = mapping(await self.get("/version"))
        version = text(document, "gitVersion")
        if not version:
            raise PermanentDataSourceError(
                f"{self.address} does not answer like a Kubernetes API; give its base address, or"
                " that of `kubectl proxy`"
            )
        return version

    async def list_all(self, resource: Resource, namespace: str = "") -> Listed:
        """Return all objects of a kind, page by page.

        A list whose token ran out is begun once more; objects are those of one state of the
        cluster only as far as the server keeps it.

        Raises:
            DataSourceError: when the server refuses or does not answer.
        """
        try:
            return await self._pages(resource, namespace)
        except DataSourceError as error:
            if http_status(error) != _GONE:
                raise
        return await self._pages(resource, namespace)

    async def log(
        self, namespace: str, pod: str, container: str, *, previous: bool, lines: int
    ) -> list[str]:
        """Return the last lines of a container's log.

        Raises:
            DataSourceError: when there is none, or it may not be read.
        """
        if not (_NAME.fullmatch(namespace) and _NAME.fullmatch(pod)):
            raise PermanentDataSourceError(f"{pod!r} is no name of a pod")
        params = {"tailLines": str(lines), "limitBytes": "262144", "container": container}
        if previous:
            params["previous"] = "true"
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/log"
        answer = await self.fetch(path, params)
        if answer.status >= 400:
            self.decode(answer, path)  # a refusal is JSON, and says why
        return answer.body.decode("utf-8", "replace").splitlines()

    async def _pages(self, resource: Resource, namespace: str) -> Listed:
        found = Listed()
        pages = 0
        async for page in self._each_page(resource, namespace):
            pages += 1
            for item in rows(page, "items"):
                found.items.append({**item, "kind": resource.kind})
            if pages == _MOST_PAGES:
                found.cut = bool(text(page, "metadata", "continue"))
                break
        return found

    async def _each_page(self, resource: Resource, namespace: str) -> AsyncIterator[Raw]:
        token = ""
        path = resource.path(namespace)
        headers = {"Accept": _METADATA} if resource.names_only else None
        while True:
            params = {"limit": str(_PAGE)} | ({"continue": token} if token else {})
            page: Any = self.decode(await self.fetch(path, params, headers), path)
            document = mapping(page)
            if not isinstance(document.get("items"), list):
                if "items" in document and text(document, "kind").endswith("List"):
                    return  # an empty list may come as null
                raise PermanentDataSourceError(
                    f"{self.address}{path} answers with no list; is this a Kubernetes API?"
                )
            if resource.names_only and not _is_metadata(document):
                raise PermanentDataSourceError(
                    f"{self.address}{path} does not list names alone, so it was not read"
                )
            yield document
            token = text(document, "metadata", "continue")
            if not token:
                return


def _is_metadata(document: Raw) -> bool:
    return text(document, "kind") == "PartialObjectMetadataList"
