"""Which page a browser sends a request from.

A browser adds a cookie, and reaches the loopback address, for any page that asks it to. It also
says which page that is, and a page cannot change what it says.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from superbizagent.api.config import ServiceConfig
from superbizagent.api.problems import Refused

__all__ = ["SAFE_METHODS", "refuse_other_pages"]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""What these ask for changes nothing, and no other page can read the answer: CORS is closed."""


def refuse_other_pages(
    headers: Mapping[str, str], config: ServiceConfig, *, proven: bool = False
) -> None:
    """Let no other page act in somebody's name.

    Args:
        headers: of the request, by lower-case name.
        config: knows our public address.
        proven: refuse also what does not say where it comes from: no browser of today is so.

    Raises:
        Refused: 403.
    """
    ours = _is_ours(headers, config)
    if ours or (ours is None and not proven):
        return
    raise Refused(
        403,
        "this request comes from a page of another address",
        "use our own page, or send `Authorization: Bearer TOKEN`; behind a proxy set"
        " [service] public_url",
        code="other_page",
    )


def _is_ours(headers: Mapping[str, str], config: ServiceConfig) -> bool | None:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    if origin is None:
        return None
    try:
        there, public = urlsplit(origin), urlsplit(config.public_url)
    except ValueError:
        return False
    known = {headers.get("host", ""), public.netloc} - {""}
    return bool(there.netloc) and there.netloc.lower() in {name.lower() for name in known}
