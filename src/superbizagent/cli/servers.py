"""Several servers of a kind: which of them an alert is about, and their alerts together."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.protocols import AlertLister
from superbizagent.domain.source import Answer, EvidenceStatus
from superbizagent.investigation.scope import leading_alert

__all__ = ["AlertsTogether", "Choice", "Server", "choose_servers"]

_ANSWERED = frozenset({EvidenceStatus.OK, EvidenceStatus.EMPTY})


@dataclass(frozen=True, slots=True)
class Server:
    """One server and the alerts it is for."""

    kind: str
    match: Mapping[str, str]
    """Labels that an alert must carry with these values, as far as it carries them at all."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which servers are asked, and what is to be said of the choice."""

    kept: frozenset[str]
    notes: tuple[str, ...] = ()


def choose_servers(servers: Mapping[str, Server], incident: Incident) -> Choice:
    """Choose the servers that the leading alert of an incident is for.

    A label that the alert lacks decides nothing; where that leaves several servers of a kind, the
    choice is ambiguous, and it is said that all of them are asked.

    Args:
        servers: by name.
        incident: without an alert, every server is asked.
    """
    alert = leading_alert(incident.alerts)
    if alert is None:
        return Choice(frozenset(servers))
    kept = {name for name, server in servers.items() if _agrees(server.match, alert.labels)}
    notes: list[str] = []
    for kind in dict.fromkeys(server.kind for server in servers.values()):
        mine = [name for name, server in servers.items() if server.kind == kind]
        left = [name for name in mine if name in kept]
        if not left:
            notes.append(_unknown(kind, [servers[name].match for name in mine], alert.labels))
        open_ = sorted({k for n in left for k in servers[n].match if k not in alert.labels})
        if len(left) > 1 and open_:
            labels, names = ", ".join(open_), ", ".join(left)
            notes.append(f"the alert has no label {labels}: {names} were all asked")
    return Choice(frozenset(kept), tuple(notes))


def _agrees(match: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(name, value) == value for name, value in match.items())


def _unknown(kind: str, matches: Sequence[Mapping[str, str]], labels: Mapping[str, str]) -> str:
    mine = {name: labels[name] for match in matches for name in match if name in labels}
    known = "; ".join(dict.fromkeys(_shown(match) for match in matches))
    return f"no {kind} is for {_shown(mine)} (known: {known}); add one under [[sources.{kind}]]"


def _shown(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(labels.items()))


class AlertsTogether:
    """Lists the alerts of several servers of a kind as one."""

    def __init__(self, listers: Sequence[AlertLister]) -> None:
        self._listers = tuple(listers)

    async def list_alerts(self) -> Answer:
        """Return the alerts of all that answer; an error only where none does."""
        answers = await asyncio.gather(*(lister.list_alerts() for lister in self._listers))
        good = [answer for answer in answers if answer.status in _ANSWERED]
        if not good:
            return answers[0]
        lists = [a.output.alerts for a in good if isinstance(a.output, AlertList)]
        # An alert that two of them know is one.
        alerts = {str(sorted(a.labels.items())): a for found in lists for a in found}
        failed = [answer.error for answer in answers if answer.status not in _ANSWERED]
        return Answer(
            status=EvidenceStatus.OK if alerts else EvidenceStatus.EMPTY,
            output=AlertList(alerts=tuple(alerts.values())),
            truncated=any(answer.truncated for answer in answers),
            warnings=(*failed, *(text for answer in good for text in answer.warnings)),
        )
