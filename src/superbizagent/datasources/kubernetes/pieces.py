"""Pieces of objects: what ``grep`` left of their YAML, and what a JSONPath printed.

A piece has no kind and no name; the command says whose it is, or a message in it does.
"""

import json
import re
import textwrap
from typing import Any, cast

import yaml

from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.gathered import KINDS, Form, Gathered

__all__ = ["add_piece", "is_piece"]

_LONGEST = 256 * 1024
_STATUS = ("containerStatuses", "initContainerStatuses", "conditions", "phase")
_OF_STATUS = ("state", "lastState", "restartCount")
_WITHIN = frozenset({"waiting", "terminated", "running"})
_CONTAINER = ("resources", "ports", "image", "env", "envFrom", "args", "command")
_RESOURCES = frozenset({"limits", "requests"})
_SPEC = frozenset({"containers", "initContainers", "volumes", "template", "selector", "replicas",
                   "nodeName", "serviceAccountName", "serviceAccount", "tolerations"})  # fmt: skip
_ENDINGS = frozenset({"OOMKilled", "Error", "ContainerCannotRun", "StartError"})
"""How containers end, as the JSONPath of a reason prints it."""
_KEYS = "|".join(
    ("status", "spec", "metadata", *_STATUS, *_OF_STATUS, *_CONTAINER, *sorted(_RESOURCES | _SPEC),
     "waiting", "terminated", "livenessProbe", "readinessProbe", "startupProbe")
)  # fmt: skip
_OPENS = re.compile(rf"\s*(?:- )?(?:{_KEYS}):\s*$")
_ITEM = re.compile(r"\s*- (?:image|name|containerPort|allocatedResources|containerID): ?\S")
_GOES_ON = re.compile(r"\s+[\w./-]+:(?: |$)|\s*- \S")
_JSON = re.compile(rf'\s*[\[{{]+\s*"(?:{_KEYS}|containerPort|cpu|memory|name|running)"\s*:')
_SAYS_WHOSE = re.compile(r"pod=([a-z0-9.-]+)_([a-z0-9-]+)\(")
_MAKERS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"})
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def is_piece(line: str, following: str) -> bool:
    """Tell whether a piece of an object begins with a line."""
    if _JSON.match(line) or line.strip() in _ENDINGS:
        return True
    opens = _OPENS.match(line) or _ITEM.match(line)
    return opens is not None and _GOES_ON.match(following) is not None


def add_piece(body: str, origin: str, gathered: Gathered, kind: str, name: str) -> bool:
    """Take what a piece says of the object that it is of.

    Args:
        body: the text.
        origin: where it is from.
        gathered: takes the object.
        kind: that the command asked for, lower case, where it is known.
        name: that it asked for.
    """
    own = next((k for k in KINDS if k.lower() == kind), "")
    namespace = ""
    if not own or not name:
        told = _SAYS_WHOSE.search(body)
        if told is None:
            return False
        own, name, namespace = "Pod", told[1], told[2]
    value = _parsed(body)
    held = _held(value, own) if value is not None else {}
    if own == "Pod" and body.strip() in _ENDINGS:
        ended = {"terminated": {"reason": body.strip()}}
        held = {"status": {"containerStatuses": [{"lastState": ended}]}}
    if not held:
        return False
    metadata = {"name": name, "namespace": namespace or gathered.namespace, "age": ""}
    gathered.add({"kind": own, "metadata": metadata, **held}, Form.TABLE, origin)
    return True


def _parsed(body: str) -> Any:
    """Return what a piece holds; lines that ``grep`` left without what is around them may fail."""
    if len(body) > _LONGEST:
        return None
    if body.lstrip()[:1] in {"{", "["}:
        try:
            return json.JSONDecoder().raw_decode(body.lstrip())[0]
        except ValueError:
            return None
    lines = textwrap.dedent(body).split("\n")
    while lines:
        try:
            return yaml.load("\n".join(lines), Loader=_LOADER)  # noqa: S506 - texts, lists, maps
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            lines = lines[: min(mark.line if mark is not None else 0, len(lines) - 1)]
    return None


def _held(value: Any, kind: str) -> Raw:
    """Return spec and status as the API has them, of whatever level a piece is."""
    if isinstance(value, list):
        return _of_list([i for i in cast("list[Any]", value) if isinstance(i, dict)], kind)
    if not isinstance(value, dict):
        return {}
    own = cast("Raw", value)
    if own.keys() & {"status", "spec"}:
        return {k: v for k, v in own.items() if k in {"status", "spec"} and isinstance(v, dict)}
    if own.keys() & set(_STATUS):
        return {"status": own}
    if own.keys() & _SPEC:
        return {"spec": _in_template(own, kind) if "containers" in own else own}
    return _of_container(own, kind)


def _of_container(own: Raw, kind: str) -> Raw:
    if own.keys() & _RESOURCES:
        own = {"resources": own}
    if own.keys() & _WITHIN:
        own = {"state": own}
    if own.keys() & set(_OF_STATUS):
        return {"status": {"containerStatuses": [own]}}
    if own.keys() & set(_CONTAINER):
        return {"spec": _in_template({"containers": [own]}, kind)}
    return {}


def _of_list(items: list[Raw], kind: str) -> Raw:
    if any(i.keys() & set(_OF_STATUS) for i in items):
        return {"status": {"containerStatuses": items}}
    if items and all("containerPort" in i for i in items):
        return {"spec": _in_template({"containers": [{"ports": items}]}, kind)}
    if any(i.keys() & set(_CONTAINER) for i in items):
        return {"spec": _in_template({"containers": items}, kind)}
    return {}


def _in_template(spec: Raw, kind: str) -> Raw:
    return {"template": {"spec": spec}} if kind in _MAKERS else spec
