"""What a core install brings: the built wheel and requirements.lock in a fresh environment.

`make bench` prints it; tests/packaging holds the budgets. Packages are fetched as `make demo`
fetches them, so this needs a package index or pip's cache.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BYTES_BUDGET", "PACKAGES_BUDGET", "CoreInstall", "build_wheel", "install_core"]

ROOT = Path(__file__).resolve().parents[1]

PACKAGES_BUDGET = 45
"""The most packages beside superbizagent itself: each is one more to trust and to keep current."""
BYTES_BUDGET = 380_000_000
"""The most bytes on disk, bytecode included: what fits an on-call machine and a small image."""

# What `python -m venv` brings by itself.
_INSTALLER = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
_NAMES = "from importlib.metadata import distributions as d; print(*{x.name.lower() for x in d()})"


@dataclass(frozen=True, slots=True)
class CoreInstall:
    """One environment with the wheel in it."""

    bin: Path
    """Its folder of programs."""
    packages: tuple[str, ...]
    """Names, superbizagent and the installer left out."""
    size_bytes: int
    """All files of site-packages, bytecode included, the installer left out."""


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout into `folder`.

    Raises:
        subprocess.CalledProcessError: when the build fails.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return next(folder.glob("*.whl"))


def install_core(wheel: Path, venv: Path) -> CoreInstall:
    """Install `wheel` and what requirements.lock names into a new environment at `venv`.

    Raises:
        ConnectionError: when the packages cannot be fetched; carries pip's words.
        subprocess.CalledProcessError: when anything else fails.
    """
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--compile"]
    locked = [*pip, "--require-hashes", "--only-binary", ":all:", "-r", ROOT / "requirements.lock"]
    done = subprocess.run(locked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConnectionError(done.stderr)
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)

    names = subprocess.run([python, "-c", _NAMES], capture_output=True, text=True, check=True)
    packages = set(names.stdout.split()) - {"superbizagent", "pip", "setuptools"}
    site_packages = next(venv.glob("lib/python*/site-packages"))
    size = sum(
        path.lstat().st_size
        for path in site_packages.rglob("*")
        if path.is_file() and not path.relative_to(site_packages).parts[0].startswith(_INSTALLER)
    )
    return CoreInstall(venv / "bin", tuple(sorted(packages)), size)


def _main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        install = install_core(build_wheel(Path(folder)), Path(folder) / "venv")
    print(
        f"core install: {len(install.packages)} packages (at most {PACKAGES_BUDGET}), "
        f"{install.size_bytes / 1e6:.0f} MB with bytecode (at most {BYTES_BUDGET / 1e6:.0f})"
    )
    return int(len(install.packages) > PACKAGES_BUDGET or install.size_bytes > BYTES_BUDGET)


if __name__ == "__main__":
    sys.exit(_main())
