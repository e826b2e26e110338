"""May this sender hand something in: by a token, by its signature, or as anybody on loopback."""

from fastapi import Request

from superbizagent.api.access import Bearer, principal_of
from superbizagent.api.problems import Refused
from superbizagent.api.services import services_of
from superbizagent.api.signatures import is_signed, signature_error
from superbizagent.api.watch import caller_is
from superbizagent.domain.access import Permission, Principal
from superbizagent.domain.incident_record import Sender

__all__ = ["check_sender", "ingesting"]


async def check_sender(request: Request, sender: Sender, bearer: Bearer) -> bytes:
    """Return the body of a request that is let in.

    A sender whose secret is set signs, or shows a token: nobody else speaks for it.

    Raises:
        Refused: 401 for a body that is not its sender's, or nobody's; 403 without the permission.
    """
    services = services_of(request)
    if not is_signed(sender, services.config.senders) or bearer is not None:
        await ingesting(request, bearer)
        return await request.body()
    body = await request.body()
    wrong = signature_error(
        sender, services.config.senders, request.headers, body, services.clock.now()
    )
    if wrong is not None:
        raise Refused(
            401,
            wrong,
            "check the secret on both sides, and our clock; or send a token",
            headers={"WWW-Authenticate": "Bearer"},
        )
    caller_is(request, Principal(name=sender.value))
    return body


async def ingesting(request: Request, bearer: Bearer) -> Principal:
    """Return who hands something in.

    Raises:
        Refused: 401 when nobody can be told, 403 without the permission.
    """
    services = services_of(request)
    now = services.clock.monotonic()
    shown = f"{bearer.scheme} {bearer.credentials}" if bearer is not None else ""
    known = services.callers.get(shown, now)
    if known is None:
        known = await principal_of(request, bearer, None)
        services.callers.put(shown, known, now)
    caller_is(request, known)
    if not known.may(Permission.INGEST):
        raise Refused(403, f"the token {known.name!r} has no permission 'ingest'")
    return known
