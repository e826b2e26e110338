"""``superbiz eval``: score the product on labelled data."""

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from superbizagent.errors import NothingReadableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from superbizagent.evaluation.rca.recordings import CaseFolder

__all__ = ["evaluate"]

_Command = Callable[..., Any]
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")


def _data(what: str, *, multiple: bool = False) -> Callable[[_Command], _Command]:
    """Return the option that every command reads its labelled data by."""
    return click.option("--data", required=True, multiple=multiple, type=_FOLDER, help=what)


@click.group(name="eval")
def evaluate() -> None:
    """Score the product on labelled data, which stays outside the package."""


@evaluate.command()
@_data("Folder with true/*.jsonl and stories/*.jsonl.")
@click.option(
    "--cases",
    type=_FOLDER,
    help="Where SET/cases/NAME is found for a case SET/NAME.",
)
@click.option("--held-out", is_flag=True, help="Read held_out/*.jsonl too.")
@click.option("--verbose", "-v", is_flag=True, help="Print each error with its reason.")
@_JSON
def claims(data: Path, cases: Path | None, *, held_out: bool, verbose: bool, as_json: bool) -> None:
    """Judge labelled statements: true ones must stand, wrong ones must not.

    Each case is diagnosed once, in a temporary data folder, by rules. A case whose folder is not
    here is reported as not run.
    """
    from superbizagent.cli.quietly import diagnose_quietly
    from superbizagent.evaluation.claims import score_claims
    from superbizagent.evaluation.claims_summary import claims_json, claims_text
    from superbizagent.evaluation.labelled import read_stories, read_true

    true = read_true(data, held_out=held_out)
    stories = read_stories(data, held_out=held_out)
    score = score_claims(true, stories, diagnose_quietly(), cases)
    _print(claims_json(score) if as_json else claims_text(score, verbose=verbose))


@evaluate.command()
@_data("A recorded incident, or a folder of them; repeatable.", multiple=True)
@click.option("--seed", default=0, show_default=True, help="Of the choice among mutants.")
@click.option("--verbose", "-v", is_flag=True, help="Print each mutant that passed.")
@_JSON
def mutations(data: tuple[Path, ...], seed: int, *, verbose: bool, as_json: bool) -> None:
    """Make true sentences about each incident false in one place, and see whether that is noticed.

    Sentences are those of the report and others on the same facts, in English and Chinese. Wrong
    values are drawn from other facts of the same session. A mutant is caught when it is not marked
    supported; only those whose true sentence is marked supported say something.
    """
    from superbizagent.cli.quietly import diagnose_quietly
    from superbizagent.evaluation.cases import incidents_below
    from superbizagent.evaluation.mutations.score import score_mutations
    from superbizagent.evaluation.mutations.summary import mutations_json, mutations_text

    score = score_mutations(incidents_below(data), diagnose_quietly(), seed)
    _print(mutations_json(score) if as_json else mutations_text(score, verbose=verbose))


@evaluate.command()
@_data("A case, or a folder of them; repeatable.", multiple=True)
@click.option(
    "--without-skill",
    "without",
    multiple=True,
    metavar="NAME",
    help="Do as if this playbook were not there; repeatable.",
)
@_JSON
def incidents(data: tuple[Path, ...], without: tuple[str, ...], *, as_json: bool) -> int:
    """Diagnose recorded incidents and hold each report against what really happened.

    A case is a folder with a recording and a truth.yaml, which the diagnosis never reads. Each is
    diagnosed in a process of its own. A case that cannot be run is listed with the reason; the
    exit code is 3 when none could be.

    "entity" and "kind" tell whether a right one is first, and among the first three; a kind counts
    on a right entity only. "false" marks a cause that was none, "out" counts statements taken out.
    """
    from superbizagent.cli.compose import load_skills, settings_for
    from superbizagent.cli.measuring import measure_alone
    from superbizagent.evaluation.incidents import ScoredIncident, cases_below, score_incidents
    from superbizagent.evaluation.incidents_summary import (
        head_text,
        incidents_json,
        row_text,
        totals_text,
    )

    def show(line: str) -> None:
        if not as_json:
            click.echo(line)

    load_skills(settings_for()).without(without)  # a wrong name is no reason of each case
    scored: list[ScoredIncident] = []
    cases = list(cases_below(data))
    show(head_text())
    for item in score_incidents(cases, partial(measure_alone, without=without)):
        scored.append(item)
        show(row_text(item))
    _print(incidents_json(scored) if as_json else f"\n{totals_text(scored)}")
    some = any(item.outcome is not None for item in scored)
    return 0 if some else NothingReadableError.exit_code


@evaluate.command()
@_data("Folder with SYSTEM/*_structured.csv, the labelled lines of each.")
@_JSON
def logs(data: Path, *, as_json: bool) -> None:
    """Mine the templates of labelled logs, and compare with drain3 where it is installed.

    A CSV file has a line a message: Content, EventId and EventTemplate. Where the log itself stands
    beside it, it is read with its headers too. One setting serves all.

    GA is the share of lines whose group is exactly a true one, FGA the F1 over groups, PA and FTA
    the same with the text right as well. Speed counts CPU seconds on lines with new numbers.
    """
    from superbizagent.evaluation.logs import SystemScore, score_logs
    from superbizagent.evaluation.logs_summary import logs_head, logs_json, logs_row, logs_totals

    scored: list[SystemScore] = []
    for item in score_logs(data):
        if not as_json:
            click.echo(logs_row(item) if scored else f"{logs_head()}\n{logs_row(item)}")
        scored.append(item)
    _print(logs_json(scored) if as_json else f"\n{logs_totals(scored)}")


@evaluate.command()
@_data("A folder of sets, or one set: SET/cases/NAME/label.json.")
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Only this set; repeatable.")
@click.option(
    "--time",
    "times",
    multiple=True,
    type=click.Choice(["exact", "alert", "none"]),
    help="What is known of the time; repeatable. All of them unless given.",
)
@click.option(
    "--inputs",
    metavar="LIST",
    help="Of metrics,graph,logs,traces; more and more of them unless given.",
)
@click.option("--no-healthy", is_flag=True, help="Leave the healthy windows out.")
@click.option(
    "--verdicts",
    is_flag=True,
    help="Diagnose each case whole instead, and count which verdicts are right.",
)
@click.option("--verbose", "-v", is_flag=True, help="Print each case, too.")
@_JSON
def rca(data: Path, sets: tuple[str, ...], *, verdicts: bool, as_json: bool, **asked: Any) -> int:
    """Rank the services of labelled recordings by the analysis core alone, without playbooks.

    Scored with the time of the fault known, with an alert two to five minutes later, and with no
    time at all; beside chance and two published methods on the same windows. A right service that
    shares its score with a wrong one counts as behind it. A case that cannot be read is listed with
    the reason; the exit code is 3 when none could be.
    """
    from superbizagent.evaluation.rca.asked import plan_of
    from superbizagent.evaluation.rca.recordings import cases_of
    from superbizagent.evaluation.rca.score import score_rca
    from superbizagent.evaluation.rca.summary import rca_json
    from superbizagent.evaluation.rca.text import rca_text

    plan = plan_of(asked["times"], asked["inputs"], healthy=not asked["no_healthy"])
    if verdicts:
        return _verdicts(cases_of(data, sets), as_json=as_json)
    score = score_rca(cases_of(data, sets), plan)
    found = rca_json(score)
    _print(found if as_json else rca_text(found, verbose=asked["verbose"]))
    return 0 if score.rows else NothingReadableError.exit_code


def _verdicts(cases: "Iterable[CaseFolder]", *, as_json: bool) -> int:
    from superbizagent.cli.measuring import measure_alone
    from superbizagent.evaluation.rca.verdicts import score_verdicts, verdicts_json, verdicts_text

    def tell(line: str) -> None:
        click.echo(line, err=True)

    judged = list(score_verdicts(cases, measure_alone, tell, os.cpu_count() or 1))
    found = verdicts_json(judged)
    _print(found if as_json else verdicts_text(found))
    return 0 if found["all"]["cases"] else NothingReadableError.exit_code


@evaluate.command()
@_data("Folder with data/GROUP/NAME.csv and labels/combined_windows.json.")
@_JSON
def anomaly(data: Path, *, as_json: bool) -> int:
    """Look at labelled series as they come and count which anomalies raise an alarm.

    Only the past of each look is known. Beside the core stand bounds of three and six standard
    deviations of the day before. Looks closer than a judged window are one alarm; an alarm that
    meets no labelled window is false. The exit code is 3 when no series could be read.
    """
    from superbizagent.evaluation.anomaly.labelled_series import series_below
    from superbizagent.evaluation.anomaly.score import anomaly_json, anomaly_text, score_anomaly

    score = score_anomaly(series_below(data))
    found = anomaly_json(score)
    _print(found if as_json else anomaly_text(found))
    return 0 if score.series else NothingReadableError.exit_code


@evaluate.command()
@_data("A system, or a folder of them: label.csv and raw/*.json in TVDiag's layout.")
@click.option("--verbose", "-v", is_flag=True, help="Print each case in which another is first.")
@_JSON
def alerts(data: Path, *, verbose: bool, as_json: bool) -> None:
    """Rank instances by lists of alerts alone, and hold each ranking against its label.

    Twice by the product: with the other lists of the system as history, of which it reads no
    label, and of each list alone. Beside it what anyone would do: most alerts, first alert, a walk
    along the calls. Equal scores count against it; intervals are of 1,000 resamples.

    label.csv has index, instance and anomaly_type. Each of raw/nodes, edges, metrics, traces and
    logs.json holds, by index: names of instances; pairs of positions in them; instance, metric,
    up|down; caller, callee, operation, PD or status; instance, template.
    """
    from superbizagent.evaluation.alert_lists.cases import read_systems
    from superbizagent.evaluation.alert_lists.score import score_system
    from superbizagent.evaluation.alert_lists.summary import alerts_json, alerts_text

    scored = [score_system(system) for system in read_systems(data)]
    _print(alerts_json(scored) if as_json else alerts_text(scored, verbose=verbose))


def _print(found: dict[str, Any] | str) -> None:
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, indent=1)
    click.echo(text)
