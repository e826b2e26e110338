"""What scored recordings come to, as tables for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["rca_text"]

Found = Mapping[str, Any]

_FIGURES = ("ac1", "ac3", "ac5", "avg5", "mrr")
_LEVELS = {"built_in": "the bar of all systems", "learnt": "what was learnt of it"}
_HEAD = (
    f"  {'set':20} {'inputs':25} {'AC@1':^16} {'AC@3':>5} {'AC@5':>5} {'Avg@5':>5} {'MRR':>5}"
    f" {'named':>7} {'right':>5} {'s':>6} {'MiB':>5}"
)


def rca_text(found: Found, *, verbose: bool = False) -> str:
    """Return the tables of what `rca_json` returned; each case, too, when verbose."""
    lines = [line for time, part in found["times"].items() for line in _time(time, part)]
    lines += _healthy(found["healthy"])
    for item in found["left_out_cases"]:
        lines.append(f"left out: {item['set']}/{item['case']}: {item['reason']}")
    if verbose:
        lines += _cases(found["cases"])
    return "\n".join(lines)


def _time(time: str, part: Found) -> Iterator[str]:
    words = {
        "exact": "the time of the fault is known",
        "alert": "an alert 2 to 5 minutes after the fault, its start unknown",
        "none": "no time is known: the whole capture",
    }
    yield f"time {time}: {words[time]}"
    yield _HEAD
    for name, one in part["sets"].items():
        yield from _set(name, one)
    for inputs, figures in part["macro"].items():
        values = " ".join(f"{figures[k]:5.3f}" for k in _FIGURES[1:])
        yield f"  {'mean of sets':20} {inputs:25} {figures['ac1']:5.3f}{'':11} {values}"
    if part["without_a_time"]:
        yield f"  {part['without_a_time']} cases have no time for this mode"
    yield from _faults(part["sets"])
    yield from _sure(part)
    yield ""


def _set(name: str, one: Found) -> Iterator[str]:
    label = f"{name} ({one['cases']})"
    yield f"  {label:20} {'chance':25} {one['chance']:5.3f}"
    for inputs, figures in one["inputs"].items():
        yield (
            f"  {'':20} {inputs:25} {_figures(figures)} {figures['answered']:>7}"
            f" {figures['answer_right']:>5} {figures['seconds']:>6.2f} {figures['peak_mib']:>5}"
        )
    for method, figures in one["baselines"].items():
        title = {"nsigma": "N-sigma", "baro": "BARO-like"}[method]
        yield f"  {'':20} {title + ' ' + figures['variant']:25} {_figures(figures)}"
    for method, values in one["reference"].items():
        title = {"nsigma": "N-sigma", "baro": "BARO-like", "core": "prototype"}[method]
        top1, top3, avg5 = values
        yield (
            f"  {'':20} {'study: ' + title:25} {top1:5.3f}{'':11} {top3:5.3f} {'':5} {avg5:5.3f}"
        )


def _figures(figures: Found) -> str:
    first, low, high = figures["ac1"]
    rest = " ".join(f"{figures[k][0]:5.3f}" for k in _FIGURES[1:])
    return f"{first:5.3f} [{low:.2f},{high:.2f}] {'':2}{rest}".replace("  ", " ", 0)


def _faults(sets: Found) -> Iterator[str]:
    yield f"  {'fault':37} {'cases':>5} {'AC@1':>6} {'AC@3':>6} {'MRR':>6}"
    for name, one in sets.items():
        for fault, figures in one["faults"].items():
            yield (
                f"  {name + ': ' + fault:37} {figures['cases']:>5} {figures['ac1'][0]:>6.3f}"
                f" {figures['ac3'][0]:>6.3f} {figures['mrr'][0]:>6.3f}"
            )
        missed = ", ".join(f"{n} {why}" for why, n in one["misses"].items()) or "none"
        yield f"  {name + ': missed':37} {missed}"
        kinds = one["kinds"]
        if kinds["of_truth"]["total"]:
            yield (
                f"  {name + ': kind right':37} {_share(kinds['given_first'])} of those first,"
                f" {_share(kinds['of_truth'])} of the true, both {_share(kinds['both'])}"
            )


def _share(share: Found) -> str:
    return f"{share['hits']}/{share['total']}"


def _sure(part: Found) -> Iterator[str]:
    for margin, at in part["margins"].items():
        precision = "-" if at["precision"] is None else f"{at['precision']:.3f}"
        yield f"  margin >= {margin}: coverage {at['coverage']:.3f}, precision {precision}"
    found = part["left_out"]
    if not found:
        return
    for name, one in (*found["sets"].items(), ("all", found["pooled"])):
        words = [f"{key} {one[key]['right']}/{one[key]['answered']}"
                 for key in ("root_cause_found", "likely")]  # fmt: skip
        yield f"  thresholds of the other sets, {name}: {', '.join(words)} of {one['cases']}"


def _healthy(found: Found) -> Iterator[str]:
    if not found:
        return
    yield "healthy windows called abnormal, and faults; learnt from windows that share no minute"
    yield f"  {'set':20} {'judged by':25} {'false alarms':34} detected"
    for name, one in found.items():
        for level, title in _LEVELS.items():
            alarms, hits = one[level]["false_alarms"], one[level]["detected"]
            yield f"  {name:20} {title:25} {_whole(alarms):34} {_whole(hits)}"
    beside = sum(one["healthy_with_spans_or_logs"] for n, one in found.items() if n != "pooled")
    yield f"  spans or log records were there to look at in {beside} of the healthy windows"
    yield ""


def _whole(share: Found) -> str:
    if share["share"] is None:
        return "too few windows"
    low, high = share["interval"]
    return f"{_share(share)} {share['share']:.1%} [{low:.1%}, {high:.1%}]"


def _cases(rows: Sequence[Found]) -> Iterator[str]:
    for row in rows:
        rank = "-" if row["rank"] is None else row["rank"]
        kind = "" if row["kind_right"] is None or row["kind_right"] else f" kind {row['kind']}"
        named = "named" if row["answered"] else "calm"
        yield (
            f"{row['time']:5} {row['inputs']:25} {row['set']}/{row['case']}: rank {rank} of"
            f" {row['candidates']}, margin {row['margin']:.2f}, {named}, first"
            f" {' > '.join(row['top']) or '-'}{', missed: ' + row['miss'] if row['miss'] else ''}"
            f"{kind}"
        )
