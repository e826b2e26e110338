"""The built wheel: what is in it, and that it works alone, in a fresh environment."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from benchmarks.install import (
    BYTES_BUDGET,
    PACKAGES_BUDGET,
    CoreInstall,
    build_wheel,
    install_core,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def tracked(folder: str) -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "--", folder], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout: nothing says which files belong to it")
    return set(done.stdout.splitlines())


def test_wheel_holds_the_package_and_its_data(names: set[str]) -> None:
    source = {
        path.removeprefix("src/")
        for path in tracked("src")
        if path != "src/superbizagent/examples"  # the link; its content is checked below
    }
    assert source - names == set()
    assert {f"superbizagent/{path}" for path in tracked("examples")} - names == set()
    for expected in (
        "superbizagent/py.typed",
        "superbizagent/examples/mysql-connection-pool/",
        "superbizagent/examples/healthy/",
        "superbizagent/skills/playbooks/diagnose-mysql-connection-pool/SKILL.md",
        "superbizagent/skills/playbooks/diagnose-mysql-connection-pool/checks.yaml",
        "superbizagent/storage/migrations/",
    ):
        assert any(name.startswith(expected) for name in names), expected
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_wheel_holds_nothing_else(names: set[str]) -> None:
    for name in names:
        assert name.startswith(("superbizagent/", "superbizagent-")), name
        assert "__pycache__" not in name
        assert not name.endswith((".db", ".log.tmp", ".orig"))


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> CoreInstall:
    try:
        return install_core(wheel, tmp_path_factory.mktemp("fresh") / "venv")
    except ConnectionError:
        if "CI" in os.environ:
            raise
        pytest.skip("the packages of requirements.lock cannot be fetched from here")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_core_install_is_small(fresh: CoreInstall) -> None:
    assert 20 < len(fresh.packages) <= PACKAGES_BUDGET, fresh.packages
    assert next(fresh.bin.parent.glob("lib/python*/site-packages/polars/__pycache__/*.pyc"))
    assert 100_000_000 < fresh.size_bytes <= BYTES_BUDGET


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_demo_runs_from_the_wheel(fresh: CoreInstall, tmp_path: Path) -> None:
    done = subprocess.run(
        [fresh.bin / "superbiz", "demo", "--json"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "en_US.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)["report"]
    assert report["verdict"] == "root_cause_found"
    assert report["fault_kind"] == "pool_exhaustion"
    assert report["entity"].endswith("/order-service")
    assert any(claim["fact_ids"] for claim in report["claims"])
