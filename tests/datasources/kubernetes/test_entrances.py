"""Ways in to a live cluster: kubeconfig, client certificate, the account of a pod."""

import asyncio
import base64
import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from clusters import NOW, Cluster
from fault_server import certificate
from kubernetes_server import KubernetesServer
from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.kubernetes import is_kubeconfig
from superbizagent.datasources.kubernetes.kubeconfig import in_cluster, read_kubeconfig
from superbizagent.datasources.kubernetes.live import KubernetesApi
from superbizagent.errors import DataSourceError, UsageError

pytestmark = pytest.mark.real_server

TOKEN = "t0ken-of-nobody"  # noqa: S105 - of no server


class Clock:
    """Stands at the time of the clusters."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return time.monotonic()


def kubeconfig(folder: Path, address: str, user: Any = None, cluster: Any = None) -> Path:
    """Write a kubeconfig, JSON being YAML, whose current context is ``here`` of two."""
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "clusters": [
            {"name": "other", "cluster": {"server": "https://192.0.2.1:6443"}},
            {"name": "mine", "cluster": {"server": address, **(cluster or {})}},
        ],
        "contexts": [
            {"name": "there", "context": {"cluster": "other", "user": "me"}},
            {"name": "here", "context": {"cluster": "mine", "user": "me", "namespace": "shop"}},
        ],
        "current-context": "here",
        "users": [{"name": "me", "user": user or {}}],
    }
    file = folder / "config"
    file.write_text(json.dumps({"kind": "Config", **document}), encoding="utf-8")
    return file


def version(access: HttpAccess) -> str:
    return asyncio.run(KubernetesApi(access, Clock(), timeout_seconds=2).describe()).version


def test_the_token_of_the_current_context_gets_in(tmp_path: Path) -> None:
    server = KubernetesServer(Cluster().objects, token=TOKEN)
    with server.running() as address:
        entrance = read_kubeconfig(kubeconfig(tmp_path, address, {"token": TOKEN}))
        assert version(entrance.access) == "v1.33.1"
    assert entrance.namespace == "shop"
    assert TOKEN not in repr(entrance)


@pytest.mark.parametrize("inline", [True, False], ids=["data", "files"])
def test_a_client_certificate_gets_in(tmp_path: Path, *, inline: bool) -> None:
    cert, key = certificate(tmp_path)
    if inline:
        data = {path: base64.b64encode(path.read_bytes()).decode() for path in (cert, key)}
        user = {"client-certificate-data": data[cert], "client-key-data": data[key]}
        cluster = {"certificate-authority-data": data[cert]}
    else:
        user = {"client-certificate": cert.name, "client-key": key.name}
        cluster = {"certificate-authority": cert.name}
    with KubernetesServer(Cluster().objects, certificate=(cert, key)).running() as address:
        entrance = read_kubeconfig(kubeconfig(tmp_path, address, user, cluster))
        assert version(entrance.access) == "v1.33.1"


def test_a_server_of_another_authority_is_one_clear_line(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    (tmp_path / "theirs").mkdir()
    other, _ = certificate(tmp_path / "theirs")
    with KubernetesServer(Cluster().objects, certificate=(cert, key)).running() as address:
        config = kubeconfig(tmp_path, address, None, {"certificate-authority": str(other)})
        with pytest.raises(DataSourceError, match="is not trusted") as caught:
            version(read_kubeconfig(config).access)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("user", "cluster", "told"),
    [
        ({"exec": {"command": "aws", "args": ["eks", "get-token"]}}, {}, "kubectl proxy"),
        ({"auth-provider": {"name": "gcp"}}, {}, "kubectl proxy"),
        ({}, {"insecure-skip-tls-verify": True}, "certificate-authority"),
        ({"client-key-data": "%%%"}, {}, "damaged client-key-data"),
    ],
    ids=["exec", "auth-provider", "insecure", "damaged"],
)
def test_a_way_in_that_is_not_taken_is_one_line_that_says_what_to_do(
    tmp_path: Path, user: Any, cluster: Any, told: str
) -> None:
    config = kubeconfig(tmp_path, "https://192.0.2.1:6443", user, cluster)
    with pytest.raises(UsageError, match=told) as caught:
        read_kubeconfig(config)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["kind: Config\nclusters: [", "kind: Config\nclusters: []\n"])
def test_a_kubeconfig_without_a_cluster_is_one_line(tmp_path: Path, content: str) -> None:
    config = tmp_path / "config"
    config.write_text(content, encoding="utf-8")
    assert is_kubeconfig(config)
    with pytest.raises(UsageError, match="kubeconfig") as caught:
        read_kubeconfig(config)
    assert "\n" not in str(caught.value)


def test_the_account_of_a_pod_gets_in(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    (tmp_path / "namespace").write_text("shop\n", encoding="utf-8")
    with KubernetesServer(Cluster().objects, token=TOKEN).running() as address:
        entrance = in_cluster(address, tmp_path)
        assert version(entrance.access) == "v1.33.1"
    assert entrance.namespace == "shop"


def test_outside_of_a_pod_there_is_no_account(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a pod"):
        in_cluster("", tmp_path)
