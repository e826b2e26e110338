"""Pods that somebody's sentence tells of, with the state that it says they are in."""

import re

from superbizagent.datasources.kubernetes.gathered import Form, Gathered
from superbizagent.datasources.kubernetes.names import maker_of
from superbizagent.datasources.kubernetes.rows import FILLS

__all__ = ["add_spoken"]

_NAME = r"(?<![\w./-])(?P<name>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)"
_STATE = (
    r"(?P<state>(?:Init:)?(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|InvalidImageName"
    r"|OOMKilled|CreateContainerConfigError|CreateContainerError|RunContainerError|Evicted|Pending"
    r"|Error|ContainerCreating))(?!\w)"
)
_ROW = re.compile(
    rf"{_NAME}\s+(?P<ready>\d+/\d+)\s+{_STATE}(?:\s+(?P<restarts>\d+(?: \([^)]+ ago\))?))?"
)
_SAID = re.compile(
    rf"{_NAME}[`'\"”]?,? ?(?:is|are|was|stays|still|now|stuck|in|at|with|=|:|->"
    rf"|一直|处于|状态|是|为|的|[ ,:：`'\"])+{_STATE}"
)


def add_spoken(body: str, origin: str, gathered: Gathered) -> bool:
    """Take pods that sentences name together with a state; a name alone must be a pod's."""
    found = False
    for told in (*_ROW.finditer(body), *_SAID.finditer(body)):
        own = told.groupdict()
        if not maker_of(own["name"]):
            continue
        cells = {
            "READY": own.get("ready") or "0/1",
            "STATUS": own["state"],
            "RESTARTS": own.get("restarts") or "0",
        }
        metadata = {"name": own["name"], "namespace": gathered.namespace, "age": ""}
        raw = {"kind": "Pod", "metadata": metadata, **FILLS["Pod"].read(cells)}
        gathered.add(raw, Form.SPOKEN, origin)
        found = True
    return found
