"""An API server of Kubernetes as its public documentation describes it, for tests.

It serves the objects it is given: lists in pages with ``limit`` and ``continue``, a resource
version on every list, tokens that expire with 410 Gone, names alone on request, previous logs,
``Status`` objects for refusals, events of ``events.k8s.io`` or of the core group alone. A test
makes paths fail in every way a server, or what stands before it, does. Requests other than GET are
refused and remembered, so that a test can say that there was none.
"""

import json
import ssl
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

__all__ = ["KubernetesServer", "Trouble", "status_object"]

Raw = dict[str, Any]

_GROUPS = {
    "Pod": ("/api/v1", "pods"), "Node": ("/api/v1", "nodes"), "Service": ("/api/v1", "services"),
    "Event": ("/apis/events.k8s.io/v1", "events"), "Namespace": ("/api/v1", "namespaces"),
    "Deployment": ("/apis/apps/v1", "deployments"), "ReplicaSet": ("/apis/apps/v1", "replicasets"),
    "StatefulSet": ("/apis/apps/v1", "statefulsets"), "DaemonSet": ("/apis/apps/v1", "daemonsets"),
    "Job": ("/apis/batch/v1", "jobs"), "CronJob": ("/apis/batch/v1", "cronjobs"),
    "EndpointSlice": ("/apis/discovery.k8s.io/v1", "endpointslices"),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims"),
    "ResourceQuota": ("/api/v1", "resourcequotas"), "LimitRange": ("/api/v1", "limitranges"),
    "StorageClass": ("/apis/storage.k8s.io/v1", "storageclasses"),
    "ServiceAccount": ("/api/v1", "serviceaccounts"), "ConfigMap": ("/api/v1", "configmaps"),
    "Secret": ("/api/v1", "secrets"),
}  # fmt: skip


def status_object(code: int, reason: str, message: str) -> Raw:
    """The object that the API answers every refusal with."""
    return {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    }  # fmt: skip


@dataclass(frozen=True)
class Trouble:
    """What a path answers in place of what it should."""

    code: int = 500
    reason: str = "InternalError"
    message: str = "an error on the server has prevented the request from succeeding"
    html: bool = False
    hang_seconds: float = 0.0
    cut: bool = False
    """Half of a good answer."""
    retry_after: str = ""


@dataclass
class KubernetesServer:
    """Serves on loopback while it is used in a ``with`` statement."""

    objects: Sequence[Raw] = ()
    logs: Mapping[tuple[str, str, bool], str] = field(
        default_factory=dict[tuple[str, str, bool], str]
    )
    """(pod, container, previous) -> text."""
    troubles: Mapping[str, Trouble] = field(default_factory=dict[str, Trouble])
    """Plural, or ``*`` for all -> what goes wrong."""
    token: str = ""
    """When given, a request without it is refused."""
    namespaces_only: frozenset[str] = frozenset()
    """When given, only these may be listed, and nothing of the whole cluster."""
    core_events: bool = False
    """Whether the newer group of events is missing, as on an old server."""
    expire_tokens: int = 0
    """How many requests for a further page are answered with 410 Gone."""
    certificate: tuple[Path, Path] | None = None
    """When given, it serves TLS with this certificate and key, and lets in who shows the same."""
    requests: list[tuple[str, str, dict[str, str]]] = field(
        default_factory=list[tuple[str, str, dict[str, str]]]
    )
    """Method, path and headers of every request."""

    @contextmanager
    def running(self) -> Generator[str]:
        """Serve, and yield the base address."""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.requests.append(("GET", self.path, dict(self.headers.items())))
                with suppress(BrokenPipeError, ConnectionResetError):
                    owner.answer(self)

            def _refuse(self) -> None:
                owner.requests.append((self.command, self.path, dict(self.headers.items())))
                owner.send(self, 405, status_object(405, "MethodNotAllowed", "no writing here"))

            do_POST = do_PUT = do_PATCH = do_DELETE = _refuse  # noqa: N815 - names of the library

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        scheme = "http"
        if self.certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.certificate[0])
            server.socket = context.wrap_socket(server.socket, server_side=True)
            scheme = "https"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"{scheme}://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        split = urlsplit(handler.path)
        params = dict(parse_qsl(split.query))
        if self.token and handler.headers.get("Authorization") != f"Bearer {self.token}":
            self.send(handler, 401, status_object(401, "Unauthorized", "Unauthorized"))
        elif split.path == "/version":
            self._perhaps(
                handler, "version", {"major": "1", "minor": "33", "gitVersion": "v1.33.1"}
            )
        elif split.path.endswith("/log"):
            self._log(handler, split.path, params)
        else:
            self._list(handler, split.path, params)

    def send(self, handler: BaseHTTPRequestHandler, code: int, body: Raw | str) -> None:
        """Send JSON, or text as it is."""
        is_text = isinstance(body, str)
        data = (body if is_text else json.dumps(body)).encode()  # type: ignore[union-attr]
        kind = "text/plain" if is_text else "application/json"
        self._bytes(handler, code, data, kind)

    def _bytes(
        self, handler: BaseHTTPRequestHandler, code: int, data: bytes, kind: str, **more: str
    ) -> None:
        handler.send_response(code)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in more.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    def _perhaps(self, handler: BaseHTTPRequestHandler, plural: str, body: Raw) -> None:
        trouble = self.troubles.get(plural) or self.troubles.get("*")
        if trouble is None:
            self.send(handler, 200, body)
            return
        time.sleep(trouble.hang_seconds)
        if trouble.html:
            page = b"<html><title>Sign in</title><body>Please sign in</body></html>"
            self._bytes(handler, 200, page, "text/html")
        elif trouble.cut:
            whole = json.dumps(body).encode()
            self._bytes(handler, 200, whole[: len(whole) // 2], "application/json")
        else:
            data = json.dumps(status_object(trouble.code, trouble.reason, trouble.message)).encode()
            more = {"Retry_After": trouble.retry_after} if trouble.retry_after else {}
            self._bytes(handler, trouble.code, data, "application/json", **more)

    # Lists ---------------------------------------------------------------------------------------

    def _list(self, handler: BaseHTTPRequestHandler, path: str, params: dict[str, str]) -> None:
        base, _, plural = path.rpartition("/")
        base, _, inside = base.partition("/namespaces/")
        kind = next((k for k, (b, p) in _GROUPS.items() if (b, p) == (base, plural)), "")
        if plural == "events":
            newer = base.startswith("/apis/events")
            kind = "Event" if newer is not self.core_events else ""
        if not kind:
            message = "the server could not find the requested resource"
            self.send(handler, 404, status_object(404, "NotFound", message))
            return
        clustered = kind in {"Node", "Namespace", "StorageClass"}
        if self.namespaces_only and (clustered or inside not in self.namespaces_only):
            message = (
                f'{plural} is forbidden: User "system:serviceaccount:ops:superbiz" cannot list'
                f' resource "{plural}" in API group "" at the cluster scope'
            )
            self.send(handler, 403, status_object(403, "Forbidden", message))
            return
        found = [o for o in self.objects if o["kind"] == kind]
        found = [o for o in found if not inside or o["metadata"].get("namespace") == inside]
        if params.get("continue") and self.expire_tokens:
            self.expire_tokens -= 1
            message = "The provided continue parameter is too old to display a consistent list"
            self.send(handler, 410, status_object(410, "Expired", message))
            return
        names_only = "PartialObjectMetadataList" in handler.headers.get("Accept", "")
        self._perhaps(handler, plural, self._page(kind, found, params, names_only=names_only))

    def _page(
        self, kind: str, found: list[Raw], params: dict[str, str], *, names_only: bool
    ) -> Raw:
        first = int(params.get("continue", "0"))
        limit = int(params.get("limit", "0")) or len(found)
        page, rest = found[first : first + limit], len(found) - first - limit
        metadata: Raw = {"resourceVersion": "41520"}
        if rest > 0:
            metadata |= {"continue": str(first + limit), "remainingItemCount": rest}
        if names_only:
            kept = [{"metadata": {"name": o["metadata"]["name"],
                                  "namespace": o["metadata"].get("namespace", "")}}
                    for o in page]  # fmt: skip
            return {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                    "metadata": metadata, "items": kept}  # fmt: skip
        # Items of a typed list carry neither kind nor version.
        items = [{k: v for k, v in o.items() if k not in {"kind", "apiVersion"}} for o in page]
        return {"kind": f"{kind}List", "apiVersion": "v1", "metadata": metadata, "items": items}

    def _log(self, handler: BaseHTTPRequestHandler, path: str, params: dict[str, str]) -> None:
        trouble = self.troubles.get("log")
        if trouble is not None:
            self._perhaps(handler, "log", {})
            return
        pod, container = path.split("/")[-2], params.get("container", "")
        previous = params.get("previous") == "true"
        text = self.logs.get((pod, container, previous))
        if text is None:
            message = (
                f'previous terminated container "{container}" in pod "{pod}" not found'
                if previous
                else f'container "{container}" in pod "{pod}" is waiting to start'
            )
            self.send(handler, 400, status_object(400, "BadRequest", message))
            return
        lines = text.splitlines()[-int(params.get("tailLines", "1000000")) :]
        self.send(handler, 200, "\n".join(lines) + "\n")
