"""Every architecture contract of pyproject.toml holds, and each is able to fail."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = {c["id"]: c for c in CONFIG["tool"]["importlinter"]["contracts"]}

# What may be imported anywhere above errors: value types and canonical JSON.
HOMELESS = {"pydantic", "orjson"}
# Named in a database URL, imported by SQLAlchemy alone.
DRIVERS = {"aiosqlite"}
IMPORT_NAMES = {
    "promql-parser": "promql_parser",
    "protobuf": "google",
    "pydantic-settings": "pydantic_settings",
    "pyyaml": "yaml",
}

LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"

# contract, module (below the package, made or added to), line that must turn it red
BREAKS = [
    ("layers", "errors", "import superbizagent.domain"),
    ("layers", "domain.alert", "import superbizagent.analysis"),
    ("layers", "analysis.extra", "import superbizagent.storage"),
    ("layers", "skills.extra", "import superbizagent.datasources"),
    ("layers", "storage.extra", "import superbizagent.investigation"),
    ("layers", "investigation.extra", "import superbizagent.settings"),
    ("layers", "settings", "import superbizagent.cli"),
    ("layers", "agents.extra", "import superbizagent.skills"),
    ("stages", "investigation.plan", "import superbizagent.investigation.scope"),
    ("stages", "investigation.verify", "import superbizagent.investigation.report"),
    ("sources", "datasources.logfile", "import superbizagent.datasources.bundle"),
    ("sources", "datasources.prometheus.extra", "import superbizagent.datasources.logfile"),
    ("pure", "domain.extra", "import os"),
    ("pure", "analysis.extra", "import time"),
    ("pure", "analysis.extra", "from random import random"),
    ("pure", "promql.extra", "from pathlib import Path"),
    ("pure", "promql.extra", "import superbizagent.telemetry"),
    ("pure", "domain.extra", "def late():\n    import sqlalchemy"),
    ("pure", "errors", "import socket"),  # pure parts reach it through errors
    ("home-storage", "investigation.extra", "import sqlalchemy"),
    ("home-storage", "cli.extra", "from alembic import command"),
    ("home-compression", "cli.extra", "import zstandard"),
    ("home-cli", "investigation.extra", "import click"),
    ("home-cli", "settings", "from rich import print"),
    ("home-settings", "storage.extra", "import pydantic_settings"),
    ("home-telemetry", "cli.extra", "import structlog"),
    ("indirect", "cli.extra", "import logging"),
    ("indirect", "storage.extra", "import aiosqlite"),
    ("home-datasources", "notifications.extra", "import stamina"),
    ("home-http", "skills.extra", "import httpx2"),
    ("home-notifications", "workers.extra", "import apprise"),
    ("layers", "notifications.extra", "import superbizagent.datasources"),
    ("home-promql", "datasources.extra", "import promql_parser"),
    ("home-yaml", "investigation.extra", "import yaml"),
    ("home-frames", "investigation.extra", "import polars"),
    ("home-arrays", "storage.extra", "import numpy"),
    ("api", "api.extra", "import superbizagent.investigation"),
    ("agents", "agents.extra", "import superbizagent.datasources"),
]


def _copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        ROOT / "src" / "superbizagent",
        tmp_path / "src" / "superbizagent",
        ignore=shutil.ignore_patterns("examples", "playbooks", "__pycache__"),
    )
    return tmp_path / "src" / "superbizagent"


def _lint(folder: Path, *contracts: str) -> tuple[int, str]:
    only = [argument for contract in contracts for argument in ("--contract", contract)]
    done = subprocess.run(
        [sys.executable, "-c", LINT_IMPORTS, "--no-logo", "--no-cache", *only],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _append(package: Path, module: str, line: str) -> None:
    parts = module.split(".")
    target = package.joinpath(*parts)
    if target.is_dir():
        target /= "__init__"
    path = target.with_suffix(".py")
    path.parent.mkdir(exist_ok=True)
    if not (path.parent / "__init__.py").exists():
        (path.parent / "__init__.py").write_text("")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")


def test_contracts_hold(tmp_path: Path) -> None:
    _copy(tmp_path)
    status, output = _lint(tmp_path)
    assert status == 0, output
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in output


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "module", "line"), BREAKS)
def test_contract_can_fail(tmp_path: Path, contract: str, module: str, line: str) -> None:
    _append(_copy(tmp_path), module, line)
    status, output = _lint(tmp_path, contract)
    assert status == 1, output
    assert f"superbizagent.{module}" in output
    assert f"{CONTRACTS[contract]['name']} BROKEN" in output


def test_a_package_outside_the_layers_is_refused(tmp_path: Path) -> None:
    _append(_copy(tmp_path), "helpers.extra", "")
    status, output = _lint(tmp_path, "layers")
    assert status == 1, output
    assert "helpers" in output


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    package = _copy(tmp_path)
    _append(package, "domain.first", "import superbizagent.domain.second")
    _append(package, "domain.second", "import superbizagent.domain.first")
    status, output = _lint(tmp_path, "cycles")
    assert status == 1, output
    assert "superbizagent.domain" in output


def test_a_private_module_is_refused_elsewhere(tmp_path: Path) -> None:
    package = _copy(tmp_path)
    _append(package, "skills._hidden", "VALUE = 1")
    _append(package, "cli.extra", "import superbizagent.skills._hidden")
    status, output = _lint(tmp_path, "private")
    assert status == 1, output
    assert "superbizagent.cli.extra" in output


def test_every_contract_is_proven_able_to_fail() -> None:
    proven = {contract for contract, _, _ in BREAKS} | {"cycles", "private"}
    assert proven == set(CONTRACTS)


def test_every_core_library_has_a_home() -> None:
    names = [
        requirement.split("[")[0].split(">")[0] for requirement in CONFIG["project"]["dependencies"]
    ]
    homes = {
        module
        for contract in CONTRACTS.values()
        if contract["type"] == "protected"
        for module in contract["protected_modules"]
    }
    assert {IMPORT_NAMES.get(name, name) for name in names} - HOMELESS - DRIVERS <= homes
