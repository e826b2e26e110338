"""The lock files hold what pyproject.toml asks for, with hashes, and agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from benchmarks.install import PACKAGES_BUDGET

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {path.name: path.read_text(encoding="utf-8") for path in ROOT.glob("requirements*.lock")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins(lock: str) -> dict[str, str]:
    """Package name to the version that this Python takes."""
    lines = re.findall(r"^([a-z0-9-]+)==(\S+?)(?: ; (.+?))? \\$", LOCKS[lock], flags=re.MULTILINE)
    return {
        name: version for name, version, marker in lines if not marker or Marker(marker).evaluate()
    }


def asked(group: str) -> list[Requirement]:
    """The requirements of a dependency group, of the project itself for an empty name."""
    if not group:
        return [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    requirements: list[Requirement] = []
    for entry in PROJECT["dependency-groups"][group]:
        if isinstance(entry, str):
            requirements.append(Requirement(entry))
        else:
            requirements += asked(entry["include-group"])
    return requirements


@pytest.mark.parametrize(
    ("lock", "group"),
    [
        ("requirements.lock", ""),
        ("requirements-dev.lock", ""),
        ("requirements-dev.lock", "dev"),
        ("requirements-build.lock", "build"),
        ("requirements-docs.lock", "docs"),
    ],
)
def test_lock_holds_what_is_asked(lock: str, group: str) -> None:
    held = pins(lock)
    for requirement in asked(group):
        name = requirement.name.lower().replace("_", "-")
        assert requirement.specifier.contains(held[name]), f"{requirement}: run make lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_a_hash(lock: str) -> None:
    blocks = re.split(r"\n(?=\S)", LOCKS[lock].split("\n", 2)[2])
    assert len(blocks) >= len(pins(lock)) > 0
    for block in blocks:
        assert "--hash=sha256:" in block, block


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_names_an_index(lock: str) -> None:
    assert "://" not in LOCKS[lock]
    assert "--index-url" not in LOCKS[lock]
    assert "--find-links" not in LOCKS[lock]


def test_locks_agree() -> None:
    core = pins("requirements.lock")
    build = pins("requirements-build.lock")
    dev = pins("requirements-dev.lock")
    assert core.items() <= dev.items()
    assert build.items() <= dev.items()
    docs = pins("requirements-docs.lock")
    assert {name: docs[name] for name in docs.keys() & dev.keys()}.items() <= dev.items()


def test_core_is_small() -> None:
    assert len(pins("requirements.lock")) <= PACKAGES_BUDGET
