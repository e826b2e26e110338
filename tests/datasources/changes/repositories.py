"""Small git repositories with commits of known times."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

_SETTINGS = (
    "-c",
    "user.name=Ann",
    "-c",
    "user.email=ann@example.com",
    "-c",
    "init.defaultBranch=main",
)


def git(
    path: Path, *arguments: str, when: str = "2026-05-06T08:00:00Z", home: Path | None = None
) -> None:
    """Run git in a folder, with a settings file of its own unless ``home`` has one."""
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    subprocess.run(
        ["git", "-C", str(path), *_SETTINGS, *arguments],
        check=True,
        capture_output=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home or path), **dates},
    )


def repository(path: Path) -> Path:
    """Make an empty repository."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet")
    return path


def commit(path: Path, files: Mapping[str, str], when: str, subject: str) -> None:
    """Commit some files with their contents."""
    for name, text in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--message", subject, when=when)
