"""Sentences of ``kubectl`` itself: what it waited for, what was refused, what is not there."""

import re
from collections.abc import Iterator

from superbizagent.datasources.kubernetes.event_rows import said_event
from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.gathered import KINDS, Form, Gathered

__all__ = ["add_statements", "is_statement"]

_WAITED = re.compile(
    r"Waiting for (?:(?P<kind>deployment|daemon set|statefulset) (?:spec )?)?"
    r"\"?(?P<name>[a-z0-9.-]+)?\"?"
    r"[^\n]*(?:rollout to finish|to be ready|roll out to finish)[^\n]*"
)
_DEADLINE = re.compile(r'error: deployment "(?P<name>[^"]+)" exceeded its progress deadline')
_GAVE_UP = re.compile(r"error: timed out waiting for the condition(?: on (?P<what>\S+))?")
_DONE = re.compile(r'(?:deployment|daemon set|statefulset) "?([^"\s]+)"? successfully rolled out')
_REFUSED = re.compile(
    r"^(?:Error from server|error:|The [A-Z]\w+ \")[^\n]*(?:denied the request|is invalid|"
    r"is forbidden|strict decoding error|no matches for kind)[^\n]*"
    r"(?:\n(?=[ \t*]|\n[ \t])[^\n]*){0,6}",
    re.MULTILINE,
)
_NOT_THERE = re.compile(
    r'Error from server \(NotFound\): (?P<kind>[a-z]+)(?:\.[a-z0-9.]+)? "(?P<name>[^"]+)" not found'
)
_INVALID = re.compile(r'The (?P<kind>[A-Z]\w+) "(?P<name>[^"]+)" is invalid')
_FORBIDDEN = re.compile(r'(?P<kind>[a-z]+)(?:\.[a-z0-9.]+)? "(?P<name>[^"]+)" is forbidden')
_RESOURCE = re.compile(r"resource (?P<kind>[A-Z]\w+)/(?P<space>[\w-]*)/(?P<name>[\w.-]+)")
_KINDS = {k.lower(): k for k in KINDS} | {f"{k.lower()}s": k for k in KINDS} | {
    "daemon set": "DaemonSet", "storageclasses": "StorageClass", "ingresses": "Ingress",
}  # fmt: skip
_MAKERS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"})


def is_statement(body: str) -> bool:
    """Tell whether a text holds a sentence of ``kubectl`` that says what went wrong."""
    return any(
        pattern.search(body) for pattern in (_DEADLINE, _GAVE_UP, _NOT_THERE, _REFUSED, _WAITED)
    )


def add_statements(body: str, origin: str, gathered: Gathered, about: str = "") -> bool:
    """Take what a text says of a rollout, of refusals, and of objects that are not there.

    Args:
        body: the text.
        origin: where it is from.
        gathered: takes what is said, as events of the objects.
        about: name of the object that the command was about, where it is known.
    """
    found = False
    for kind, name in _missing(body):
        gathered.absent.add((kind, gathered.namespace, name))
        found = True
    for raw in _events(body, gathered.namespace, about):
        gathered.add(raw, Form.TABLE, origin)
        found = True
    return found


def _missing(body: str) -> Iterator[tuple[str, str]]:
    for told in _NOT_THERE.finditer(body):
        if kind := _KINDS.get(told["kind"], ""):
            yield kind, told["name"]


def _events(body: str, namespace: str, about: str) -> Iterator[Raw]:
    done = set(_DONE.findall(body))
    waited = next((w for w in _WAITED.finditer(body) if w["name"] and w["kind"]), None)
    kind = _KINDS.get(waited["kind"], "") if waited else "Deployment"
    for stuck in (*_DEADLINE.finditer(body), *_GAVE_UP.finditer(body)):
        groups = stuck.groupdict()
        name = groups.get("name") or (groups.get("what") or "").rpartition("/")[2]
        name = name or (waited["name"] if waited else "") or about
        if not name or name in done or (waited is None and "name" not in groups and not about):
            continue
        yield said_event(
            kind="Deployment" if groups.get("name") else kind,
            name=name,
            namespace=namespace,
            reason="ProgressDeadlineExceeded",
            message=stuck[0],
        )
    for refusal in _REFUSED.finditer(body):
        message = " ".join(refusal[0].split())
        for pattern in (_RESOURCE, _INVALID, _FORBIDDEN):
            told = pattern.search(message)
            kind = _KINDS.get(told["kind"].lower(), "") if told else ""
            if told and kind in _MAKERS:
                yield said_event(
                    kind=kind,
                    name=told["name"],
                    namespace=told.groupdict().get("space") or namespace,
                    reason="ApplyRefused",
                    message=message,
                )
                break
