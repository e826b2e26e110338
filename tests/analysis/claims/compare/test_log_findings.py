"""Findings in logs are spoken of by what their text says, each kind of them."""

import pytest

from superbizagent.analysis.claims.compare._findings import concepts_of
from superbizagent.analysis.claims.compare._stricken import _shows as shows
from superbizagent.analysis.claims.concepts import concepts_of_text
from superbizagent.domain.finding import LOG_KINDS, Finding, FindingKind

TEXT = "connection timed out after <*>, error code <*>"


def found(kind: FindingKind) -> Finding:
    return Finding(id="F1", kind=kind, entity="//service/order", subject=TEXT, score=1.0)


@pytest.mark.parametrize("kind", sorted(LOG_KINDS))
def test_every_kind_is_called_by_its_text(kind: FindingKind) -> None:
    assert concepts_of(found(kind)) == concepts_of_text(TEXT) != 0


@pytest.mark.parametrize("kind", sorted(LOG_KINDS))
def test_every_kind_bears_a_word_of_harm_out(kind: FindingKind) -> None:
    assert shows(found(kind), "was failing")
