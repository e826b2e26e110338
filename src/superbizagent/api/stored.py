"""A stored session by the id in a path: there, or 404."""

import re
from typing import Annotated, NoReturn

from fastapi import Path

from superbizagent.api.problems import Refused
from superbizagent.api.services import Services
from superbizagent.domain.session import SESSION_ID_LENGTH, SESSION_ID_PATTERN, DiagnosisSession

__all__ = ["SessionId", "fit_id", "no_session", "session_of"]

SessionId = Annotated[
    str, Path(description="Id of a session", examples=["019806f2-7c1e-7c55-9f0a-3f1f6f0a7c11"])
]

_FIT = re.compile(SESSION_ID_PATTERN.removesuffix("$"))


def fit_id(session_id: str) -> str:
    """Return the id if a session may have it.

    Raises:
        Refused: 404 otherwise; a database that takes no such text is not asked.
    """
    if len(session_id) > SESSION_ID_LENGTH or not _FIT.fullmatch(session_id):
        no_session(session_id)
    return session_id


async def session_of(services: Services, session_id: str) -> DiagnosisSession:
    """Return a session.

    Raises:
        Refused: 404 when there is none.
        IntegrityError: when its row cannot be read.
    """
    session = await services.storage.sessions.get(fit_id(session_id))
    return session or no_session(session_id)


def no_session(session_id: str) -> NoReturn:
    """Say that there is none.

    Raises:
        Refused: always, 404.
    """
    raise Refused(
        404,
        f"there is no session {session_id[:SESSION_ID_LENGTH]!r}",
        "GET /api/traces lists those there are",
    )
