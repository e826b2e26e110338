"""How to get in: a kubeconfig file, or the account that a pod is given."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.kubernetes.fields import Raw, flag, mapping, rows, text
from superbizagent.errors import UsageError

__all__ = ["Entrance", "in_cluster", "read_kubeconfig"]

_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entrance:
    """Access to a cluster, and the namespace that it is meant for."""

    access: HttpAccess
    namespace: str = ""


def read_kubeconfig(path: Path, context: str = "") -> Entrance:
    """Return how a kubeconfig's current context lets us in.

    Raises:
        UsageError: when it names no cluster, or gets in by a way that is not supported.
    """
    try:
        with path.open("rb") as stream:
            document = mapping(yaml.safe_load(stream.read(_LARGEST)))
    except (OSError, ValueError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise UsageError(f"the kubeconfig {str(path)!r} cannot be read: {why}") from None
    chosen = context or text(document, "current-context")
    inside = _named(document, "contexts", "context", chosen)
    cluster = _named(document, "clusters", "cluster", text(inside, "cluster"))
    user = _named(document, "users", "user", text(inside, "user"))
    if not text(cluster, "server"):
        raise UsageError(
            f"the kubeconfig {str(path)!r} has no cluster for its context {chosen!r}; choose one"
            " with kubectl config use-context"
        )
    _refuse(path, cluster, user)
    access = HttpAccess(
        text(cluster, "server"),
        username=text(user, "username"),
        password=_whole(user, "password"),
        bearer_token=_whole(user, "token"),
        bearer_token_file=_file(path, user, "tokenFile"),
        ca_file=_file(path, cluster, "certificate-authority"),
        ca_pem=_decoded(path, cluster, "certificate-authority-data"),
        client_cert_file=_file(path, user, "client-certificate"),
        client_key_file=_file(path, user, "client-key"),
        client_pem=_decoded(path, user, "client-certificate-data")
        + _decoded(path, user, "client-key-data"),
        proxy=text(cluster, "proxy-url"),
    )
    return Entrance(access, text(inside, "namespace"))


def in_cluster(address: str, account: Path = _ACCOUNT) -> Entrance:
    """Return how the account of this pod lets us in.

    Args:
        address: of the API, as the pod's environment tells it.
        account: folder of the mounted account.

    Raises:
        UsageError: when this is no pod, or it has no account.
    """
    token = account / "token"
    if not address or not token.is_file():
        raise UsageError(
            "this is not a pod with a service account; give --kubernetes a URL, a kubeconfig or"
            " saved output"
        )
    space = account / "namespace"
    namespace = space.read_text("utf-8").strip() if space.is_file() else ""
    authority = account / "ca.crt"
    access = HttpAccess(
        address, bearer_token_file=token, ca_file=authority if authority.is_file() else None
    )
    return Entrance(access, namespace)


def _named(document: Raw, plural: str, singular: str, name: str) -> Raw:
    for item in rows(document, plural):
        if text(item, "name") == name:
            return mapping(item, singular)
    return {}


def _refuse(path: Path, cluster: Raw, user: Raw) -> None:
    """Refuse ways in that would run a program or skip a check."""
    if mapping(user, "exec") or mapping(user, "auth-provider"):
        raise UsageError(
            f"the kubeconfig {str(path)!r} gets its token from a program, which is not run; start"
            " kubectl proxy and give --kubernetes http://127.0.0.1:8001"
        )
    if flag(cluster, "insecure-skip-tls-verify"):
        raise UsageError(
            f"the kubeconfig {str(path)!r} does not check the server's certificate; give it the"
            " cluster's certificate-authority"
        )


def _whole(source: Mapping[str, Any], key: str) -> str:
    """Return a text that must not be cut: tokens are longer than what is kept of messages."""
    value = source.get(key)
    return value if isinstance(value, str) else ""


def _file(path: Path, source: Raw, key: str) -> Path | None:
    written = text(source, key)
    return path.parent / written if written else None


def _decoded(path: Path, source: Raw, key: str) -> str:
    written = _whole(source, key)
    try:
        return base64.b64decode(written, validate=True).decode("ascii") if written else ""
    except (binascii.Error, UnicodeDecodeError):
        raise UsageError(f"the kubeconfig {str(path)!r} has a damaged {key}") from None
