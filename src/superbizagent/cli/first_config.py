"""The first configuration file: which servers were found, written down without their secrets."""

import asyncio
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from superbizagent.cli.live import KINDS, parse_header
from superbizagent.datasources.probe import Found, identify
from superbizagent.datasources.prometheus import HttpAccess
from superbizagent.errors import NothingReadableError, UsageError
from superbizagent.settings import CONFIG_NAME, RECORDED

__all__ = ["write_first_config"]

_MOST_LINES = 15
"""A file that is read in one look; further servers are listed instead."""

_WHAT_TO_GIVE = (
    "give the addresses of your systems: superbiz init http://HOST:9090 (Prometheus)"
    " http://HOST:9093 (Alertmanager) http://HOST:3100 (Loki) https://grafana.example.com;"
    " nothing is searched for"
)


@dataclass(frozen=True, slots=True)
class _Server:
    """One server to be written down."""

    found: Found
    access: HttpAccess
    """How it was asked."""
    through: str = ""
    """``grafana`` when it is one of its data sources."""


def write_first_config(urls: Sequence[str], headers: Sequence[str], *, force: bool) -> None:
    """Probe the addresses, write the file, say what was found and what is next.

    Raises:
        UsageError: when nothing is given, an address is none, or the file is there already.
        NothingReadableError: when nothing was found that can be read.
    """
    path = Path(CONFIG_NAME)
    if not urls:
        raise UsageError(_WHAT_TO_GIVE)
    if path.exists() and not force:
        raise UsageError(f"{CONFIG_NAME} is there already; --force replaces it")
    sent = dict(parse_header(text) for text in headers)
    accesses = [HttpAccess(url, headers=sent) for url in urls]
    found = asyncio.run(_ask(accesses))
    servers: list[_Server] = []
    for access, one in zip(accesses, found, strict=True):
        click.echo(_told(one))
        for part in one.parts:
            click.echo(f"  {_told(part)}")
        servers += [_Server(one, access)] if one.kind in KINDS else []
        servers += [_Server(part, access, one.kind) for part in one.parts]
    if not servers:
        raise NothingReadableError("nothing was found that can be read; see above for each address")
    _write(path, servers)


async def _ask(accesses: Sequence[HttpAccess]) -> list[Found]:
    return list(await asyncio.gather(*(identify(access) for access in accesses)))


def _told(found: Found) -> str:
    what = " ".join(part for part in (found.product, found.version, found.name) if part)
    text = f"{found.address}  {what or 'not known'}"
    if found.kind and found.kind not in KINDS and not (found.parts or found.reason):
        text += ": not read in this version"
    return f"{text}: {found.reason}" if found.reason else text


def _ways_in(server: _Server, owner: str) -> Iterator[tuple[str, str]]:
    """Yield lines of the file, each with what is to be exported for it.

    Args:
        server: of which the lines are.
        owner: what variables are named after.
    """
    access, variable = server.access, re.sub(r"\W+", "_", owner).upper()
    plain = {name: text for name, text in access.headers.items() if access.is_plain(name)}
    if plain:
        pairs = ", ".join(f"{_toml(name)} = {_toml(text)}" for name, text in plain.items())
        yield f"headers = {{ {pairs} }}", ""
    if access.user:
        yield f"username = {_toml(access.user)}", ""
        yield f'password_env = "{variable}_PASSWORD"', f"{variable}_PASSWORD"
    for name, text in access.headers.items():
        if name.lower() == "authorization" and text.lower().startswith("bearer "):
            yield f'bearer_token_env = "{variable}_TOKEN"', f"{variable}_TOKEN"
        elif not access.is_plain(name):
            kind = server.found.kind
            yield f"# {name}: SUPERBIZ_SOURCES__{kind.upper()}__HEADERS as a JSON object", ""


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _write(path: Path, servers: Sequence[_Server]) -> None:
    lines = ["# What superbiz reads. Check it: superbiz config check; ask it: superbiz doctor"]
    left_out: list[_Server] = []
    exports: dict[str, None] = {}
    kinds = [server.found.kind for server in servers]
    for server, name in zip(servers, _names(servers), strict=True):
        kind = server.found.kind
        several = kinds.count(kind) > 1
        ways = list(_ways_in(server, server.through or (name if several else kind)))
        block = (
            [f"[[sources.{kind}]]", f"name = {_toml(name)}"] if several else [f"[sources.{kind}]"]
        )
        block += [f"url = {_toml(server.found.address)}", *(line for line, _ in ways)]
        if len(lines) + len(block) > _MOST_LINES:
            left_out.append(server)
            continue
        lines += block
        exports |= dict.fromkeys(variable for _, variable in ways if variable)
    _put(path, "\n".join(lines) + "\n")
    click.echo(f"wrote {path} ({len(lines)} lines)")
    for server in left_out:
        click.echo(f"left out, to keep it short: {server.found.address}", err=True)
    for name in exports:
        click.echo(f"export {name}=…, which the file names; no secret is written", err=True)
    click.echo("next: superbiz doctor", err=True)


def _put(path: Path, text: str) -> None:
    """Write the file so that a full disk leaves the one that was there."""
    draft = path.with_name(f"{path.name}.new")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise UsageError(
            f"{str(path)!r} cannot be written: {error.strerror}; go to a folder that can be"
        ) from None


def _names(servers: Sequence[_Server]) -> list[str]:
    """Return a name for each server: Grafana's, else its host's, each once."""
    taken = {*KINDS, *RECORDED}
    names: list[str] = []
    for server in servers:
        own = server.found.name or re.sub(r"^https?://([^/:]+).*", r"\1", server.found.address)
        plain = re.sub(r"[^\w.-]+", "-", own).strip("-").lower() or server.found.kind
        numbered = (f"{plain}-{k}" for k in itertools.count(2))
        names.append(next(n for n in itertools.chain([plain], numbered) if n not in taken))
        taken.add(names[-1])
    return names
