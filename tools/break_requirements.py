"""Break each requirement's code in turn and see its named test go red.

``make break`` runs it. Every fault of `tools.mutations` is put into a copy of the tree, never into
the tree itself, and the requirement's tests run there: they must fail, and by a failed test, not by
a module that no longer loads. First the tests run on the copy as it is and must be green. Ends with
status 1 when a test stays green, a fault no longer applies, or a requirement has no test or fault.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tools.mutations import MUTATIONS, REQUIREMENTS, Mutation

__all__ = ["Outcome", "break_one", "copy_of", "files_with", "main", "untested"]

ROOT = Path(__file__).resolve().parents[1]
TESTS = "tests/requirements"
JOBS = min(2, os.cpu_count() or 1)
_COPIED = ("src", "tests", "tools", "lab", "benchmarks", "examples", "pyproject.toml")
_JUNK = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
_TIME_OUT_SECONDS = 120
_RED = 1
"""What pytest ends with when tests failed; 2 is a module that does not load, 5 no test."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault."""

    mutation: Mutation
    red: bool
    detail: str
    """The test that failed, or why this is no success."""


@contextmanager
def copy_of(root: Path) -> Generator[Path]:
    """Yield a copy of what the tests need of the tree at ``root``."""
    with tempfile.TemporaryDirectory(prefix="break-") as folder:
        for name in _COPIED:
            source = root / name
            if source.is_dir():
                shutil.copytree(source, Path(folder) / name, ignore=_JUNK)
            elif source.is_file():
                shutil.copy(source, folder)
        yield Path(folder)


def files_with(root: Path, prefix: str) -> list[str]:
    """Return the test files below ``root`` that hold a test with this prefix."""
    found = (root / TESTS).glob("test_*.py")
    return sorted(
        str(path.relative_to(root))
        for path in found
        if re.search(rf"^(?:async )?def {prefix}", path.read_text(encoding="utf-8"), re.MULTILINE)
    )


def untested(root: Path, requirements: Iterable[str], mutations: Iterable[Mutation]) -> list[str]:
    """Return what each requirement lacks: a test, or a fault that breaks it."""
    broken = {mutation.requirement for mutation in mutations}
    lacks: list[str] = []
    for name in requirements:
        if not files_with(root, f"test_{name.replace('-', '').lower()}_"):
            lacks.append(f"{name} has no test")
        if name not in broken:
            lacks.append(f"{name} has no fault")
    return lacks


def break_one(copy: Path, mutation: Mutation) -> Outcome:
    """Put one fault into a copy, run the requirement's tests, and take it out again."""
    path = copy / mutation.file
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    after = before
    for old, new in mutation.edits:
        if after.count(old) != 1:
            count = after.count(old)
            return Outcome(
                mutation, red=False, detail=f"{mutation.file} has the text {count} times"
            )
        after = after.replace(old, new)
    path.write_text(after, encoding="utf-8")
    try:
        status, output = _run_tests(copy, (mutation.test_prefix,))
    finally:
        path.write_text(before, encoding="utf-8")
    failed = re.findall(r"^FAILED \S+?::(\w+)", output, re.MULTILINE)
    if status == _RED and failed:
        return Outcome(mutation, red=True, detail=failed[0])
    why = "tests stay green" if status == 0 else f"pytest ended with {status}: {_last_line(output)}"
    return Outcome(mutation, red=False, detail=why)


def _run_tests(copy: Path, prefixes: Sequence[str]) -> tuple[int, str]:
    """Run the tests with these prefixes in a copy; return pytest's status and output."""
    files = sorted({file for prefix in prefixes for file in files_with(copy, prefix)})
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-rf"]
    command += ["--no-header", "--tb=no", "-k", " or ".join(prefixes), *files]
    # the copy's package before the installed one; nothing of ours may look at the caller's
    env = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command,
        cwd=copy,
        env=env,
        capture_output=True,
        text=True,
        timeout=_TIME_OUT_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def _break_all(root: Path, mutations: Sequence[Mutation]) -> Iterator[Outcome]:
    """Break one after the other, in as many copies as there are workers."""
    with copy_of(root) as first, copy_of(root) as second, ThreadPoolExecutor(JOBS) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for copy in (first, second)[:JOBS]:
            copies.put(copy)

        def work(mutation: Mutation) -> Outcome:
            copy = copies.get()
            try:
                return break_one(copy, mutation)
            finally:
                copies.put(copy)

        yield from pool.map(work, mutations)


def main(arguments: Sequence[str]) -> int:
    """Break the named requirements, by default all; return the exit status.

    Args:
        arguments: requirement ids such as ``A-06``.
    """
    chosen = [m for m in MUTATIONS if not arguments or m.requirement in arguments]
    lacks = [] if arguments else untested(ROOT, REQUIREMENTS, MUTATIONS)
    for line in lacks:
        print(line, flush=True)
    with copy_of(ROOT) as copy:
        status, output = _run_tests(copy, sorted({m.test_prefix for m in chosen}))
    if status != 0:
        print(output)
        print("the tests are red before anything is broken")
        return 1
    print(f"unbroken: {_last_line(output)}", flush=True)
    green = 0
    for outcome in _break_all(ROOT, chosen):
        green += not outcome.red
        word = "red  " if outcome.red else "GREEN"
        line = f"{outcome.mutation.requirement} {word} {outcome.mutation.says} ({outcome.detail})"
        print(line, flush=True)
    print(f"{len(chosen) - green} of {len(chosen)} faults noticed")
    return int(bool(green or lacks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
