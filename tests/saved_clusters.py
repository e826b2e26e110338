"""Saved output of clusters, written into a folder and read back."""

import asyncio
from pathlib import Path

from diagnosing import cause_of, diagnose
from superbizagent.datasources.kubernetes import KubernetesDump
from superbizagent.domain.cluster import ClusterObject, ClusterSnapshot, KubernetesQuery


def seen(dump: KubernetesDump) -> ClusterSnapshot:
    output = asyncio.run(dump.get_kubernetes(KubernetesQuery())).output
    assert isinstance(output, ClusterSnapshot)
    return output


def of(folder: Path, **files: str | bytes) -> ClusterSnapshot:
    """Return what is read of files whose names have ``_`` for the dot before their last part."""
    for name, content in files.items():
        stem, _, suffix = name.rpartition("_")
        held = content if isinstance(content, bytes) else content.encode()
        (folder / f"{stem}.{suffix}").write_bytes(held)
    return seen(KubernetesDump(folder))


def named(found: ClusterSnapshot, kind: str, name: str) -> ClusterObject:
    return next(o for o in found.objects if (o.entity.kind, o.entity.name) == (kind, name))


def readings(found: ClusterSnapshot, kind: str, name: str) -> dict[str, float | str]:
    return {r.name: r.value for r in named(found, kind, name).readings}


def cause(folder: Path, question: str, **files: str) -> tuple[str, str]:
    """Entity and kind that a diagnosis of saved files names."""
    saved = folder / "saved"
    saved.mkdir()
    of(saved, **files)
    return cause_of(diagnose(None, folder / "data", kubernetes=str(saved), question=question))
