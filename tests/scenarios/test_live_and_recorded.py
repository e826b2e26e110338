"""The pool incident reads the same live and recorded, whatever its metrics are called."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import prometheus_server
import variants
from diagnosing import cause_of, diagnose, report_of
from prometheus_server import PrometheusServer, write_recording
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import Report, Section

pytestmark = pytest.mark.real_server

RECORDED = ("metrics.parquet", "alert.json", "source.json", "rules.json")


@dataclass(frozen=True)
class Incident:
    """One incident, recorded and on a server that has the same rules."""

    folder: Path
    url: str


def rules_of(folder: Path) -> str:
    """The recorded rules as a rule file; JSON is YAML."""
    groups = [
        {
            "name": group["name"],
            "rules": [
                {
                    "alert": rule["name"],
                    "expr": rule["query"],
                    "for": f"{round(rule['duration'])}s",
                    "labels": rule["labels"],
                }
                for rule in group["rules"]
            ],
        }
        for group in json.loads((folder / "rules.json").read_text(encoding="utf-8"))["groups"]
    ]
    return json.dumps({"groups": groups})


@pytest.fixture(scope="module", params=["as recorded", "micrometer"])
def incident(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Incident]:
    prometheus_server.need("prometheus")
    whole = variants.copy(variants.POOL, tmp_path_factory.mktemp("whole") / "incident")
    if request.param == "micrometer":
        variants.micrometer(whole)
    folder = tmp_path_factory.mktemp("recorded")
    for name in RECORDED:
        (folder / name).write_bytes((whole / name).read_bytes())
    server = PrometheusServer(tmp_path_factory.mktemp("server"), rules_of(folder))
    write_recording(server, folder)
    yield Incident(folder, server.url)
    server.stop()


def said(report: Report, *sections: Section) -> list[str]:
    """Sentences of some sections, without citations and without how long ago it was.

    Where a live system's data end is told by a few of its targets: a scrape earlier or later. On
    another day than the incident's its report says the date with each time.
    """
    texts = [claim.text for claim in report.claims if claim.section in sections]
    texts = [re.sub(r"\d{4}-\d\d-\d\d (?=\d\d:)", "", text) for text in texts]
    varying = r"\[E[\d.]+\]|…|, [\dhmins. ]+ ago|(?<=still true at )[\d:-]+"
    return [re.sub(varying, "", text).strip() for text in texts]


def test_it_reads_the_same(incident: Incident, tmp_path: Path) -> None:
    recorded = diagnose(incident.folder, tmp_path / "a")
    alert = str(incident.folder / "alert.json")
    live = diagnose(None, tmp_path / "b", prometheus=incident.url, alert=alert)
    assert cause_of(live) == cause_of(recorded) == ("order-service", "pool_exhaustion")
    one, other = report_of(live), report_of(recorded)
    assert (one.verdict, one.entity) == (other.verdict, other.entity)
    for section in (Section.WHAT, Section.IMPACT, Section.WHY, Section.SURENESS):
        assert said(one, section) == said(other, section)
    what = " ".join(said(one, Section.WHAT))
    assert re.search(r"101 s after its rule came true at (\S+ )?12:41:20 \(100 % >= 95 %\)", what)
    assert "The rule of alert OrderServiceConnectionPoolExhausted is, for 1m: " in " ".join(
        said(one, Section.FINDINGS)
    )
    rules = [f.diagnosis.scope.rule for f in (live, recorded)]
    assert [rule.source for rule in rules if rule] == ["prometheus", "bundle"]


def test_other_names_find_the_same_cause_with_the_same_numbers(tmp_path: Path) -> None:
    plain = variants.copy(variants.POOL, tmp_path / "plain")
    java = variants.copy(variants.POOL, tmp_path / "java")
    variants.micrometer(java)
    found = [diagnose(folder, tmp_path / f"data-{folder.name}") for folder in (plain, java)]
    reports = [report_of(finished) for finished in found]
    assert {report.verdict for report in reports} == {Verdict.ROOT_CAUSE_FOUND}
    for section in (Section.WHAT, Section.IMPACT, Section.WHY, Section.SURENESS, Section.DO_NOW):
        assert said(reports[0], section) == said(reports[1], section)
