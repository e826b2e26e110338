"""Whole diagnoses of labelled recordings: which verdict they end with, and how often it is right.

Each case is diagnosed from a copy under a name that tells nothing, with a label from which the
truth was taken out.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from superbizagent.domain.canonical import loads
from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import Verdict
from superbizagent.errors import SuperbizError
from superbizagent.evaluation.incidents import Measure, Outcome
from superbizagent.evaluation.rca.label import LABEL_FILE, read_label
from superbizagent.evaluation.rca.recordings import CaseFolder

__all__ = ["JudgedCase", "score_verdicts", "verdicts_json", "verdicts_text"]

_TOLD = ("entry", "alert_metric", "inject_time", "alert_time", "end_time", "normal")
"""Keys of a label that say when and where it hurt, and not why."""
_NAMED = (Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY)


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case and what its diagnosis came to; a text says why there is none."""

    case: CaseFolder
    outcome: Outcome | str
    causes: frozenset[str] = frozenset()

    @property
    def is_right(self) -> bool:
        """Whether the entity that the report names is a right one."""
        return isinstance(self.outcome, Outcome) and self._name(self.outcome.entity) in self.causes

    def within(self, most: int) -> bool:
        """Tell whether a right one is among the first candidates."""
        if not isinstance(self.outcome, Outcome):
            return False
        names = list(dict.fromkeys(self._name(path) for path, _ in self.outcome.ranking))
        return bool(self.causes & set(names[:most]))

    @staticmethod
    def _name(path: str) -> str:
        return Entity.parse(path).name if path else ""


def score_verdicts(
    cases: Iterable[CaseFolder],
    measure: Measure,
    tell: Callable[[str], None] = lambda _: None,
    at_once: int = 1,
) -> Iterator[JudgedCase]:
    """Diagnose each case; yields in the order of the cases, whatever becomes of any of them.

    Args:
        cases: where they are.
        measure: diagnoses a folder.
        tell: is told of each case as it is done, one line.
        at_once: how many are diagnosed at the same time.
    """
    every = list(cases)
    with ThreadPoolExecutor(max_workers=max(1, at_once)) as pool:
        found = pool.map(partial(_judged, measure=measure), every)
        for number, one in enumerate(found, 1):
            tell(f"{number}/{len(every)} {one.case.set}/{one.case.name}: {_told(one)}")
            yield one


def _judged(case: CaseFolder, measure: Measure) -> JudgedCase:
    try:
        causes = read_label(case.folder).causes
        with _nameless(case.folder) as folder:
            return JudgedCase(case, measure(folder, ()), causes)
    except SuperbizError as error:
        return JudgedCase(case, " ".join(str(error).split()))
    except Exception as error:  # noqa: BLE001 - one broken case is one line, not the end of all
        return JudgedCase(case, f"{type(error).__name__}: {' '.join(str(error).split())}")


def _told(one: JudgedCase) -> str:
    if isinstance(one.outcome, str):
        return f"left out: {one.outcome}"
    names = one.outcome.verdict in _NAMED
    right = (", right" if one.is_right else ", wrong") if names else ""
    return f"{one.outcome.verdict.value}{right} ({one.outcome.seconds:.1f} s)"


@contextmanager
def _nameless(case: Path) -> Generator[Path]:
    """Copy a case under a name that tells nothing, without its truth."""
    with tempfile.TemporaryDirectory(prefix="superbiz-eval-") as scratch:
        target = Path(scratch) / "case"
        target.mkdir()
        for item in case.iterdir():
            if item.name != LABEL_FILE:
                (target / item.name).symlink_to(item.resolve())
        label = loads((case / LABEL_FILE).read_bytes())
        told = {key: label[key] for key in _TOLD if key in label}
        (target / LABEL_FILE).write_bytes(orjson.dumps(told))
        normal = case.parent / "_normal"
        if normal.is_dir():
            (Path(scratch) / "_normal").symlink_to(normal.resolve())
        yield target


def verdicts_json(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """Return by set and for all how many ended with each verdict, and how many of them right."""
    sets = dict.fromkeys(j.case.set for j in judged)
    return {
        "sets": {name: _counts([j for j in judged if j.case.set == name]) for name in sets},
        "all": _counts(judged),
        "left_out_cases": [
            {"set": j.case.set, "case": j.case.name, "reason": j.outcome}
            for j in judged
            if isinstance(j.outcome, str)
        ],
    }


def _counts(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    run = [(j, j.outcome) for j in judged if isinstance(j.outcome, Outcome)]
    ended = Counter(outcome.verdict for _, outcome in run)
    named = sum(ended[verdict] for verdict in _NAMED)
    return {
        "cases": len(run),
        "coverage": round(named / len(run), 3) if run else None,
        "first": sum(j.within(1) for j, _ in run),
        "first_three": sum(j.within(3) for j, _ in run),
        "verdicts": {v.value: ended[v] for v in Verdict if ended[v]},
        **{
            verdict.value: {
                "given": ended[verdict],
                "right": sum(j.is_right for j, o in run if o.verdict is verdict),
            }
            for verdict in _NAMED
        },
        "seconds": round(sum(o.seconds for _, o in run) / len(run), 2) if run else None,
        "peak_mib": round(max((o.peak_bytes for _, o in run), default=0) / 2**20),
    }


def verdicts_text(found: dict[str, Any]) -> str:
    """Return one line a set: right of given by verdict, and how many cases got a cause at all."""
    head = f"{'set':20} {'cases':>5} {'first':>5} {'three':>5} {'root_cause_found':>16}"
    lines = [f"{head} {'likely':>9} {'coverage':>8} {'s':>6} {'MiB':>5}  verdicts"]
    for name, one in (*found["sets"].items(), ("all", found["all"])):
        sure, likely = (f"{one[v.value]['right']}/{one[v.value]['given']}" for v in _NAMED)
        cover = "-" if one["coverage"] is None else f"{one['coverage']:.3f}"
        ended = ", ".join(f"{n} {verdict}" for verdict, n in one["verdicts"].items())
        lines.append(
            f"{name:20} {one['cases']:>5} {one['first']:>5} {one['first_three']:>5} {sure:>16}"
            f" {likely:>9} {cover:>8} {one['seconds'] or 0:>6} {one['peak_mib']:>5}  {ended}"
        )
    lines += [f"left out: {c['set']}/{c['case']}: {c['reason']}" for c in found["left_out_cases"]]
    return "\n".join(lines)
