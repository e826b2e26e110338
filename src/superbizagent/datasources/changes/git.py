"""Commits and tags of a local repository, read by the git program. Nothing is written or fetched.

A commit says which folders it touched; a folder's name is a hint at the service that is kept in
it. Of a merge the merge itself counts: then its content arrived.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from superbizagent.domain.outputs import Change
from superbizagent.domain.payload import read_instant
from superbizagent.domain.window import Window
from superbizagent.errors import PermanentDataSourceError

__all__ = ["is_repository", "read_repository"]

_MOST = 300
"""Commits; more in a day and none of them tells much."""
_SECONDS = 20.0
_PATHS = 20  # of one commit: what touches more folders is about none of them
_RECORD, _FIELD = "\x1e", "\x1f"
_HOLDERS = frozenset(
    {"services", "apps", "packages", "cmd", "components", "modules", "projects", "src", "charts"}
    | {"deploy", "deployments", "k8s", "helm", "manifests", "environments"}
)
"""Folders that hold one folder a service."""
_SAFE = (
    *("--no-pager", "--no-optional-locks", "--literal-pathspecs"),
    *("-c", "core.quotePath=false", "-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false", "-c", "protocol.allow=never"),
)
"""A repository's own configuration may name programs to run; none of them runs."""


def read_repository(path: Path, span: Window) -> tuple[tuple[Change, ...], str]:
    """Return commits and tags of a span, in no particular order, and a remark on what is odd.

    Raises:
        PermanentDataSourceError: when git is not there, refuses, or takes too long.
    """
    if not _git(path, "rev-list", "--all", "--max-count=1"):
        return (), "has no commit yet; name the repository that is deployed, or a file of changes"
    log = _git(
        path,
        "log",
        "--first-parent",
        "-m",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--name-only",
        f"--max-count={_MOST}",
        f"--since={span.start.isoformat()}",
        f"--until={span.end.isoformat()}",
        f"--format={_RECORD}%cI{_FIELD}%h{_FIELD}%an{_FIELD}%s{_FIELD}",
    )
    tags = _git(
        path,
        "for-each-ref",
        "refs/tags",
        "--sort=-creatordate",
        f"--count={_MOST}",
        f"--format=%(creatordate:iso-strict){_FIELD}%(refname:short){_FIELD}%(subject)",
    )
    name = path.resolve().name.removesuffix(".git")
    found = (*_commits(log, name), *_tags(tags, name))
    return tuple(change for change in found if span.covers(change.at)), ""


def is_repository(path: Path) -> bool:
    """Tell whether a folder is in a repository, or is a bare one."""
    return any((p / ".git").exists() for p in (path, *path.parents)) or (path / "HEAD").is_file()


def _git(path: Path, *arguments: str) -> str:
    program = shutil.which("git")
    if program is None:
        raise PermanentDataSourceError(
            "git is not installed; install it, or pass a file of changes"
        )
    # Nothing of the caller's environment, but where git learns which repositories they trust.
    environment = {"HOME": str(Path.home()), "PATH": os.defpath, "LC_ALL": "C"}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, and arguments that are no options
            [program, "-C", str(path), *_SAFE, *arguments],
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise PermanentDataSourceError(
            f"git did not answer within {_SECONDS:.0f} s in {str(path)!r}; pass a file of changes"
        ) from error
    except OSError as error:
        raise PermanentDataSourceError(f"git cannot be run: {error.strerror}") from error
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    # A branch without a commit has no log, which is no failure.
    if done.returncode and not any("does not have any commits" in line for line in told):
        reason = told[0] if told else f"exit code {done.returncode}"
        if "dubious ownership" in reason:
            trust = f"git config --global --add safe.directory {shlex.quote(str(path))}"
            reason = f"it belongs to somebody else; trust it with: {trust}"
        raise PermanentDataSourceError(f"git cannot read {str(path)!r}: {reason}")
    return done.stdout.decode("utf-8", "replace")


def _commits(log: str, repository: str) -> Iterator[Change]:
    for record in log.split(_RECORD)[1:]:
        head = record.split(_FIELD)
        at = read_instant(head[0])
        if len(head) < 5 or at is None:
            continue
        paths = [line for line in head[-1].splitlines() if line.strip()]
        names = _names(paths)
        touched = ", ".join(_tops(paths))
        subject = _FIELD.join(head[3:-1])
        yield Change(
            at=at,
            entity=names[0] if names else "",
            kind="commit",
            summary=f"{head[1]} {subject}{f' ({touched})' if touched else ''}",
            author=head[2],
            revision=head[1],
            also=tuple(names[1:]),
            within=repository,
        )


def _tops(paths: Sequence[str]) -> list[str]:
    """The top-level names that a commit touched, a folder with its slash."""
    parts = [p.partition("/") for p in paths]
    tops = list(dict.fromkeys(f"{top}{slash}" for top, slash, _ in parts))
    return [*tops[:_PATHS], "…"] if len(tops) > _PATHS else tops


def _names(paths: Sequence[str]) -> list[str]:
    """Folders that may be named after a service; the files beside them are about no one."""
    found: dict[str, None] = {}
    for path in paths:
        folders = PurePosixPath(path).parts[:-1]
        if folders and folders[0] in _HOLDERS:
            folders = folders[1:]
        if folders:
            found[folders[0]] = None
    return list(found) if len(found) <= _PATHS else []


def _tags(tags: str, repository: str) -> Iterator[Change]:
    for line in tags.splitlines():
        at, _, rest = line.partition(_FIELD)
        name, _, subject = rest.partition(_FIELD)
        when = read_instant(at)
        if when is None or not name:
            continue
        # `orders/v1.4.2` names a service, `v1.4.2` the repository's only one.
        service, slash, _version = name.rpartition("/")
        yield Change(
            at=when,
            entity=service if slash else repository,
            kind="tag",
            summary=f"{name} {subject}".strip(),
            revision=name,
        )
