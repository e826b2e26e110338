"""What scored alert lists come to, as JSON and as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from superbizagent.evaluation.alert_lists.score import METHODS, Placed, ScoredSystem, interval
from superbizagent.evaluation.shares import Share

__all__ = ["alerts_json", "alerts_text"]

_MARGINS = (0.2, 0.4, 0.6)
_MEASURES: Mapping[str, Callable[[Placed], float]] = {
    "AC@1": lambda p: float(p.rank <= 1),
    "AC@3": lambda p: float(p.rank <= 3),
    "AC@5": lambda p: float(p.rank <= 5),
    "Avg@5": lambda p: sum(p.rank <= k for k in range(1, 6)) / 5,
    "MRR": lambda p: 1 / p.rank,
}


def alerts_json(scored: Sequence[ScoredSystem]) -> dict[str, Any]:
    """Return every system with its methods, faults and cases."""
    return {"systems": [_system(item) for item in scored]}


def _system(item: ScoredSystem) -> dict[str, Any]:
    product = item.placed[METHODS[0]]
    return {
        "system": item.name,
        "cases": len(product),
        "chance": round(item.chance, 4),
        "methods": {
            name: _measures(placed) | {"seconds": round(item.seconds[name], 2)}
            for name, placed in item.placed.items()
        },
        "faults": {fault: _measures(own) for fault, own in _by_fault(product).items()},
        "kind": {
            "of the faulty instance": _kind(product, first=False).as_json(),
            "instance and kind first": _kind(product, first=True).as_json(),
        },
        "sure": {
            name: {
                sort: {str(least): _sure(own, least, of=len(placed)) for least in _MARGINS}
                for sort, own in _by_what_leads(placed).items()
            }
            for name, placed in item.placed.items()
            if name in METHODS[:2]
        },
        "ranks": {
            name: {p.case.index: p.rank for p in placed} for name, placed in item.placed.items()
        },
    }


def _measures(placed: Sequence[Placed]) -> dict[str, Any]:
    found: dict[str, Any] = {"cases": len(placed)}
    for name, value in _MEASURES.items():
        each = [value(p) for p in placed]
        low, high = interval(each)
        mean = round(sum(each) / len(each), 4) if each else None
        found[name] = {"value": mean, "interval": [round(low, 4), round(high, 4)]}
    return found


def _by_fault(placed: Sequence[Placed]) -> dict[str, list[Placed]]:
    found: dict[str, list[Placed]] = {}
    for each in sorted(placed, key=lambda p: p.case.fault):
        found.setdefault(each.case.fault, []).append(each)
    return found


def _kind(placed: Sequence[Placed], *, first: bool) -> Share:
    known = [p for p in placed if p.kind_right is not None]
    return Share.of(bool(p.kind_right) and (p.rank == 1 or not first) for p in known)


def _by_what_leads(placed: Sequence[Placed]) -> dict[str, list[Placed]]:
    return {"by any": list(placed), "by its own": [p for p in placed if p.by_itself]}


def _sure(placed: Sequence[Placed], least: float, *, of: int) -> dict[str, Any]:
    """How often the first is right where it leads by at least so much, and how often it does."""
    clear = [p for p in placed if p.margin >= least]
    right = Share.of(p.rank == 1 for p in clear)
    coverage = round(len(clear) / of, 4) if of else None
    return {"coverage": coverage, "right": right.as_json()}


def alerts_text(scored: Sequence[ScoredSystem], *, verbose: bool) -> str:
    """Return tables by system; ``verbose`` lists the cases in which another stands first."""
    return "\n".join(line for item in scored for line in _lines(item, verbose=verbose)).rstrip()


def _lines(item: ScoredSystem, *, verbose: bool) -> Iterator[str]:
    found = _system(item)
    yield f"{item.name}: {found['cases']} lists of alerts, chance {found['chance']:.3f}"
    yield f"  {'':<20}{'AC@1':<20}{'AC@3':<7}{'AC@5':<7}{'Avg@5':<20}{'MRR':<20}s"
    for name, own in found["methods"].items():
        yield f"  {name:<20}{_row(own)}{own['seconds']:.1f}"
    yield "  by fault, with history"
    for fault, own in found["faults"].items():
        name = f"{fault} {own['cases']}"
        yield f"  {name:<20}{_row(own).rstrip()}"
    product = item.placed[METHODS[0]]
    yield f"  kind of fault of the faulty instance {_kind(product, first=False)}"
    yield f"  instance and kind first              {_kind(product, first=True)}"
    yield "  first is right where it leads by a margin (share of the lists)"
    for name, sorts in found["sure"].items():
        for sort, margins in sorts.items():
            said = "".join(f"{_lead(least, own):<26}" for least, own in margins.items())
            yield f"  {name}, {sort:<12}{said.rstrip()}"
    if verbose:
        yield from _wrong(item)
    yield ""


def _lead(least: str, own: Mapping[str, Any]) -> str:
    share = own["right"]["share"]
    return f">= {least}: {'-' if share is None else f'{share:.3f}'} ({own['coverage']:.0%})"


def _row(own: Mapping[str, Any]) -> str:
    wide = {"AC@1", "Avg@5", "MRR"}
    return "".join(
        f"{_cell(own[name]):<20}" if name in wide else f"{own[name]['value']:<7.3f}"
        for name in _MEASURES
    )


def _cell(measure: Mapping[str, Any]) -> str:
    low, high = measure["interval"]
    return f"{measure['value']:.3f} [{low:.2f}, {high:.2f}]"


def _wrong(item: ScoredSystem) -> Iterator[str]:
    for placed in item.placed[METHODS[0]]:
        if placed.rank > 1:
            case = placed.case
            yield (
                f"  case {case.index}: {case.instance} {case.fault} is {placed.rank} of"
                f" {len(case.nodes)}; first is {placed.first}"
            )
