"""What a session may be called."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from superbizagent.domain.ids import uuid7
from superbizagent.domain.session import DiagnosisSession

AT = datetime(2026, 7, 6, tzinfo=UTC)


def named(session_id: str) -> DiagnosisSession:
    return DiagnosisSession(session_id=session_id, created_at=AT, updated_at=AT)


@pytest.mark.parametrize("name", ["s", "case-1", "a.b_c:d", "x" * 128, uuid7(0, bytes(10))])
def test_plain_names_are_taken(name: str) -> None:
    assert named(name).session_id == name


@pytest.mark.parametrize("name", ["", "we ird", "../x", "a/b", "a\n", "é", "a%", "x" * 129])
def test_what_a_path_a_url_or_a_shell_would_read_otherwise_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="session_id"):
        named(name)
