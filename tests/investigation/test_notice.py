"""A report as a message: ten lines, both languages, nothing that is not in the report."""

import re
from datetime import UTC, datetime
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.notification import (
    MOST_CHARACTERS,
    MOST_LINES,
    IncidentFacts,
    Notice,
    NoticeKind,
)
from superbizagent.domain.report import Claim, ClaimKind, Report, Section
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.notice import cause_of, trial_notice, write_notice
from tests.investigation.incidents import Shop, load_skills, pool_incident, quiet_shop

FACTS = IncidentFacts(incident_id="i-1", title="OrdersPoolExhausted", severity="critical")
AT = datetime(2026, 7, 6, 10, 0, tzinfo=UTC)
MARK = re.compile(r"\[E[\d.]+\]")


@lru_cache
def report_of(kind: str, language: Language) -> Report:
    shops = {"pool": pool_incident, "quiet": quiet_shop}
    shop: Shop = shops[kind]()
    return shop.diagnose(load_skills(), language=language).report


def written(
    report: Report, facts: IncidentFacts = FACTS, kind: NoticeKind = NoticeKind.FIRST, **more: object
) -> Notice:
    return write_notice(report, facts, "s-1", kind, **more)  # pyright: ignore[reportArgumentType] - options of the test
