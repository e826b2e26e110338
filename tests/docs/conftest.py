"""The text files of the repository."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked_files() -> list[Path]:
    """Every file that belongs to the repository, new ones included."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout: nothing says which files belong to it")
    paths = (ROOT / line for line in done.stdout.splitlines())
    return [path for path in paths if path.is_file()]


@pytest.fixture(scope="session")
def repository() -> list[Path]:
    return tracked_files()


@pytest.fixture(scope="session")
def pages(repository: list[Path]) -> dict[str, str]:
    """Every Markdown page by its path in the repository."""
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in repository
        if path.suffix == ".md" and "tests" not in path.relative_to(ROOT).parts
    }
