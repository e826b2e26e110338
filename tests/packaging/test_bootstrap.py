"""What a newcomer reads when the set-up cannot go on, and that it does not do things twice."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

OLD_PYTHON = """#!/bin/sh
case "$2" in
    *print*) echo 3.9.2 ;;
    *) exit 1 ;;
esac
"""
PYTHON_WITHOUT_VENV = """#!/bin/sh
case "$2" in
    *ensurepip*) exit 1 ;;
    *print*) echo 3.12.1 ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    (folder / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "bootstrap.sh", folder / "tools")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for lock in ROOT.glob("requirements*.lock"):
        shutil.copy(lock, folder)
    return folder


def fake(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def make(checkout: Path, target: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=checkout,
        env={"PATH": "/usr/bin:/bin", "HOME": str(checkout)} | env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_old_python_is_named_in_one_line(checkout: Path) -> None:
    python = fake(checkout, "oldpython", OLD_PYTHON)
    done = make(checkout, "env-core", PYTHON=f"./{python.name}")
    lines = done.stderr.splitlines()
    assert done.returncode != 0
    assert lines[0] == (
        "superbizagent: needs Python 3.11 or newer: ./oldpython is 3.9.2; install one, "
        "or name it: make demo PYTHON=/path/to/python3.12"
    )
    assert len([line for line in lines if not line.startswith("make")]) == 1


def test_no_python_at_all_is_said(checkout: Path) -> None:
    done = make(checkout, "env-core", PYTHON="./nothing-here")
    assert "needs Python 3.11 or newer: none found; install one" in done.stderr


@pytest.mark.slow
def test_a_python_in_a_folder_with_a_blank_is_found(checkout: Path) -> None:
    folder = checkout / "a folder"
    folder.mkdir()
    (folder / "python").symlink_to(sys.executable)
    done = make(checkout, "env-core", PYTHON="./a folder/python", PIP_NO_INDEX="1")
    assert "could not install the packages of requirements.lock" in done.stderr


def test_a_python_without_venv_names_the_package(checkout: Path) -> None:
    python = fake(checkout, "barepython", PYTHON_WITHOUT_VENV)
    done = make(checkout, "env-core", PYTHON=f"./{python.name}")
    assert done.returncode != 0
    assert "apt-get install python3-venv" in done.stderr


@pytest.mark.slow
def test_an_unreachable_index_says_what_to_do(checkout: Path) -> None:
    done = make(checkout, "env-core", PYTHON=sys.executable, PIP_NO_INDEX="1")
    assert done.returncode != 0
    assert "could not install the packages of requirements.lock" in done.stderr
    assert "point pip at a mirror" in done.stderr
    assert not (checkout / ".venv" / ".installed-core").exists()


def test_an_environment_of_an_old_python_is_left_alone(checkout: Path) -> None:
    (checkout / ".venv" / "bin").mkdir(parents=True)
    python = fake(
        checkout / ".venv" / "bin", "python", OLD_PYTHON.replace("*) exit 1", "'') ;;\n *) exit 1")
    )
    done = make(checkout, "env-core", PYTHON=sys.executable)
    assert ".venv holds Python 3.9.2" in done.stderr
    assert "make clean-all" in done.stderr
    assert python.exists()


def test_what_is_installed_is_not_installed_again(checkout: Path) -> None:
    """A fake environment counts pip's calls; a changed input or a moved checkout costs new ones."""
    (checkout / ".venv" / "bin").mkdir(parents=True)
    fake(checkout / ".venv" / "bin", "python", "#!/bin/sh\nshift\necho $1 >>calls\n")

    def calls(folder: Path) -> int:
        assert make(folder, "env-core").returncode == 0
        return (folder / "calls").read_text().splitlines().count("pip")

    first = calls(checkout)
    assert first > 0
    assert calls(checkout) == first
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert calls(checkout) == 2 * first
    moved = checkout.with_name("moved")
    checkout.rename(moved)
    assert calls(moved) == 3 * first


def test_help_is_the_default_and_lists_every_target() -> None:
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = makefile.split(".PHONY:")[1].splitlines()[0].split()
    for target in phony:
        if target not in {"env", "env-core"}:
            assert f"\n  {target:<10} " in done.stdout, target


def test_ci_installs_nothing_that_the_readme_does_not_name() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)
    packages = {
        pair.split(":")[1]
        for pair in script.replace(";", " ").split()
        if pair.count(":") == 1 and pair.split(":")[0] and "$" not in pair and "{" not in pair
    }
    assert "mariadb-server" in packages
    for package in packages:
        assert package in readme, package
    for command in ("make check", "make test"):
        assert command in readme
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
