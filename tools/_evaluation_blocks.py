"""Tables of docs/evaluation.md for all but root causes, of what the evaluations return as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["alerts_block", "anomaly_block", "logs_block", "verdicts_block"]

Found = Mapping[str, Any]

_MEASURES = ("AC@1", "AC@3", "AC@5", "Avg@5", "MRR")


def verdicts_block(found: Found) -> str:
    """Return the table of what `verdicts_json` returned."""
    lines = [
        "| Set (cases) | `root_cause_found`, right | `likely`, right | Coverage | Other verdicts |",
        "|---|---|---|---|---|",
    ]
    for name, one in (*found["sets"].items(), ("all", found["all"])):
        sure, likely = (
            f"{one[v]['given']}, {one[v]['right']}" for v in ("root_cause_found", "likely")
        )
        others = ", ".join(
            f"{n} `{v}`"
            for v, n in one["verdicts"].items()
            if v not in {"root_cause_found", "likely"}
        )
        cover = "-" if one["coverage"] is None else f"{one['coverage']:.2f}"
        lines.append(f"| {name} ({one['cases']}) | {sure} | {likely} | {cover} | {others or '-'} |")
    left_out = [f"- left out: {c['set']}, {c['reason']}" for c in found["left_out_cases"]]
    return "\n".join([*lines, *(["", *left_out] if left_out else [])])


def anomaly_block(found: Found) -> str:
    """Return the table of what `anomaly_json` returned."""
    rows = [(f"{g} ({one['series']})", one["detectors"]) for g, one in found["groups"].items()]
    lines = [
        "| Group (series) | Detector | Windows hit | Alarms | Precision | Recall | False a day |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, detectors in (*rows, ("all", found["all"])):
        for name, one in detectors.items():
            lines.append(
                f"| {title} | {name} | {one['hit']} of {one['windows']} | {one['alarms']} |"
                f" {one['precision'] or 0:.2f} | {one['recall'] or 0:.2f} |"
                f" {one['false_alarms_a_day']:.2f} |"
            )
    return "\n".join(lines)


def alerts_block(found: Found) -> str:
    """Return the tables of what `alerts_json` returned."""
    return "\n".join(line for one in found["systems"] for line in _system(one)).rstrip()


def _system(one: Found) -> Iterator[str]:
    yield f"| {one['system']} ({one['cases']} lists) | AC@1 [95 %] | AC@3 | AC@5 | Avg@5 | MRR |"
    yield "|---|---|---|---|---|---|"
    yield f"| chance | {one['chance']:.3f} | | | | |"
    rows = {**one["methods"], **{f"{k} ({v['cases']})": v for k, v in one["faults"].items()}}
    for name, own in rows.items():
        low, high = own["AC@1"]["interval"]
        rest = " | ".join(f"{own[m]['value']:.3f}" for m in _MEASURES[1:])
        yield f"| {name} | {own['AC@1']['value']:.3f} [{low:.2f}, {high:.2f}] | {rest} |"
    yield ""
    told = ", ".join(f"{name} {k['hits']} of {k['total']}" for name, k in one["kind"].items())
    yield f"Kind of fault right: {told}."
    yield ""


def logs_block(found: Found) -> str:
    """Return the table of what `logs_json` returned."""
    lines = ["| System | GA | FGA | PA | FTA | lines a CPU second |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {one['name']} | {_means(one['message'])} | {one['speed']['ours'] / 1e6:.2f} M |"
        for one in found["systems"]
    ]
    totals = found["totals"]
    speed = f"{totals['lines_a_second'] / 1e6:.2f} M"
    lines.append(f"| mean, messages | {_means(totals['message'])} | {speed} |")
    titles = {"raw": "lines with headers", "rival": "drain3, masks", "rival_plain": "drain3, plain"}
    for key, title in titles.items():
        if totals[key]:
            lines.append(f"| mean, {title} | {_means(totals[key])} | |")
    return "\n".join(lines)


def _means(score: Found) -> str:
    return " | ".join(f"{score[m]:.3f}" for m in ("ga", "fga", "pa", "fta"))
