"""Run whole diagnoses in this process, as the command line does."""

import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from superbizagent.cli.session import finish
from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import Report
from superbizagent.investigation.run import Finished


def diagnose(folder: Path | None, data_dir: Path, **flags: Any) -> Finished:
    """Diagnose ``folder`` with the options of the command line, stored below ``data_dir``."""
    environment = {
        "SUPERBIZ_DATA_DIR": str(data_dir),
        "XDG_CONFIG_HOME": str(data_dir / "config"),
        "TZ": "UTC",
    }
    given = {"bundle": str(folder) if folder else None, "lang": "en", "quiet": True, **flags}
    with patch.dict(os.environ, environment):
        return finish(given)


def report_of(finished: Finished) -> Report:
    return finished.diagnosis.checked.report


def cause_of(finished: Finished) -> tuple[str, str]:
    """Entity name and fault kind that the report names as cause; empty when it names none."""
    report = report_of(finished)
    if report.verdict not in {Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY}:
        return "", ""
    name = Entity.parse(report.entity).name if report.entity else ""
    return name, report.fault_kind.value if report.fault_kind else ""
