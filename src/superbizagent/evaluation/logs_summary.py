"""What scored logs come to, as JSON and as text."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, harmonic_mean
from typing import Any, cast

from superbizagent.evaluation.log_rival import MISSING
from superbizagent.evaluation.log_scores import TemplateScore
from superbizagent.evaluation.logs import SystemScore

__all__ = ["logs_head", "logs_json", "logs_row", "logs_totals"]

_WIDTHS = (14, 26, 19, 14, 10, 16)
_MEASURES = ("ga", "fga", "pa", "fta")


def logs_json(scored: Sequence[SystemScore]) -> dict[str, Any]:
    """Return the means and every system."""
    return {"totals": _totals(scored), "systems": [_system(s) for s in scored]}


def _system(score: SystemScore) -> dict[str, Any]:
    found = asdict(score)
    ratios = {"ratio_masked": _ratio(score, "masked"), "ratio_plain": _ratio(score, "plain")}
    return _rounded(found | ratios)


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Any]", value)
        return {key: _rounded(inner) for key, inner in given.items()}
    return round(value, 4) if isinstance(value, float) else value


def _ratio(score: SystemScore, rival: str) -> float | None:
    theirs: float | None = getattr(score.speed, rival)
    return score.speed.ours / theirs if theirs else None


def _totals(scored: Sequence[SystemScore]) -> dict[str, Any]:
    raw = [s.raw for s in scored if s.raw is not None]
    totals: dict[str, Any] = {
        "systems": len(scored),
        "message": _means([s.message for s in scored]),
        "raw": _means([r.score for r in raw]),
        "raw_dated": fmean([r.dated for r in raw]) if raw else None,
        "rival": _means([s.rival for s in scored if s.rival is not None]),
        "rival_plain": _means([s.rival_plain for s in scored if s.rival_plain is not None]),
        "lines_a_second": harmonic_mean([s.speed.ours for s in scored]),
    }
    for rival in ("masked", "plain"):
        ratios = [r for s in scored if (r := _ratio(s, rival)) is not None]
        totals[f"ratio_{rival}"] = harmonic_mean(ratios) if ratios else None
        totals[f"least_ratio_{rival}"] = min(ratios, default=None)
    behind = [s.rival.fga - s.message.fga for s in scored if s.rival is not None]
    totals["most_behind_rival_fga"] = max(behind, default=None)
    return _rounded(totals)


def _means(scores: Sequence[TemplateScore]) -> dict[str, float] | None:
    if not scores:
        return None
    return {name: fmean([getattr(s, name) for s in scores]) for name in _MEASURES}


def logs_head() -> str:
    """Return the first line of the table."""
    return _line(
        "system",
        "GA    FGA   PA    FTA",
        "raw GA FGA   dated",
        "drain3 GA FGA",
        "lines/s",
        "x drain3, plain",
    )


def logs_row(score: SystemScore) -> str:
    """Return the line of one system."""
    message, raw, theirs = score.message, score.raw, score.rival
    return _line(
        score.name,
        "  ".join(_share(getattr(message, name)) for name in _MEASURES),
        f"{_share(raw.score.ga)}  {_share(raw.score.fga)}  {raw.dated:.0%}" if raw else "-",
        f"{_share(theirs.ga)}  {_share(theirs.fga)}" if theirs else "-",
        f"{score.speed.ours / 1e6:.2f} M",
        "  ".join(
            f"{ratio:.0f}" if (ratio := _ratio(score, rival)) else "-"
            for rival in ("masked", "plain")
        ),
    )


def logs_totals(scored: Sequence[SystemScore]) -> str:
    """Return the means below the table."""
    totals = _totals(scored)
    lines = [_mean_line("messages", totals["message"])]
    if totals["raw"]:
        lines.append(_mean_line("raw lines", totals["raw"]))
        lines[-1] += f"   time found in {totals['raw_dated']:.1%}"
    if not totals["rival"]:
        lines.append(f"lines a CPU second {totals['lines_a_second'] / 1e6:.2f} M (harmonic mean)")
        return "\n".join((*lines, MISSING))
    lines.append(_mean_line("drain3, masks", totals["rival"]))
    lines.append(_mean_line("drain3, plain", totals["rival_plain"]))
    behind = totals["most_behind_rival_fga"]
    lines.append(f"FGA behind drain3 with masks by at most {behind:.3f}")
    times = ", ".join(
        f"{name} {totals[f'ratio_{rival}']:.0f} (least {totals[f'least_ratio_{rival}']:.0f})"
        for rival, name in (("masked", "with masks"), ("plain", "plain"))
    )
    speed = totals["lines_a_second"] / 1e6
    lines.append(f"lines a CPU second {speed:.2f} M; times drain3 {times}; harmonic means")
    return "\n".join(lines)


def _mean_line(name: str, means: dict[str, float]) -> str:
    figures = "  ".join(f"{m.upper()} {means[m]:.3f}" for m in _MEASURES)
    return f"{f'mean, {name}':22s}{figures}"


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1.00"


def _line(*cells: str) -> str:
    return "".join(f"{c:<{w}}" for c, w in zip(cells, _WIDTHS, strict=True)).rstrip()
