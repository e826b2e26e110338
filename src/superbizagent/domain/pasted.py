"""Alerts as people paste them: a chat message, an e-mail, a fragment of YAML or JSON, a name.

Nothing here is strict: what is understood becomes an alert, what is not is counted and kept.
"""

import re
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PastedAlert", "head_of", "read_pasted"]

_HEAD = re.compile(r"\[\s*(FIRING|RESOLVED|ALERTING|OK)(?:\s*:\s*\d+)?\s*\]\s*(.*)", re.IGNORECASE)
_NAME = re.compile(r"(?=\w*[a-z])(?:[A-Z][a-z0-9]*){2,}\w*")
"""Alerts are called ``HighErrorRate`` by custom; a question holds hardly a word like that."""
_SELECTOR = re.compile(r"([A-Za-z_:][\w:]*)?\s*\{(.*)\}", re.DOTALL)
_PAIR = re.compile(r'([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"')
_MARKS = r"""["'*_`]*"""
_KEY = r"([A-Za-z][\w .-]{0,60}?)"
_LINE = re.compile(rf"[\s>]*(?:[-*•·]\s+)?{_MARKS}{_KEY}{_MARKS}\s*[:=]{_MARKS}\s*(.*)")
"""``key: value`` and ``key = value``, below bullets and between marks of emphasis."""
_SEVERITIES = frozenset(
    {"critical", "page", "error", "warning", "warn", "info", "none", "high", "low"}
)
_RESOLVED = frozenset({"resolved", "ok", "normal", "inactive"})
_ANNOTATIONS = frozenset(
    {"summary", "description", "message", "runbook_url", "runbook", "title", "alert"}
)
_TIMES = {
    "activeat": "startsAt",
    "start": "startsAt",
    "started": "startsAt",
    "starts at": "startsAt",
    "startsat": "startsAt",
    "ended": "endsAt",
    "ends at": "endsAt",
    "endsat": "endsAt",
}
_LINKS = {
    "dashboard": "dashboardURL",
    "dashboardurl": "dashboardURL",
    "generatorurl": "generatorURL",
    "graph": "generatorURL",
    "panel": "panelURL",
    "panelurl": "panelURL",
    "silence": "silenceURL",
    "silenceurl": "silenceURL",
    "source": "generatorURL",
}
_FIELDS = {"expr": "expr", "for": "for", "fingerprint": "fingerprint", "groupkey": "groupKey"}
_BLOCKS = frozenset({"|", "|-", ">", ">-"})
_SECTIONS = frozenset(
    {
        "alerts",
        "annotations",
        "common annotations",
        "common labels",
        "details",
        "group labels",
        "labels",
    }
)


@dataclass(slots=True)
class PastedAlert:
    """One alert under construction, in the fields of a webhook body."""

    labels: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    is_labelled: bool = False
    """Its labels were written out; more of them are another alert's."""

    @property
    def name(self) -> str:
        """The alert's name, empty as long as nothing says it."""
        return self.labels.get("alertname", "")

    def body(self) -> dict[str, Any]:
        """Return it as an entry of a webhook's ``alerts``."""
        return {"labels": self.labels, "annotations": self.annotations, **self.fields}


@dataclass(slots=True)
class _Block:
    """A value of several lines, as YAML has them."""

    key: str
    indent: int
    lines: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Reader:
    drafts: list[PastedAlert] = field(default_factory=lambda: [PastedAlert()])
    section: str = ""
    block: _Block | None = None
    lost: list[str] = field(default_factory=list[str])
    head: str = ""

    @property
    def draft(self) -> PastedAlert:
        return self.drafts[-1]

    def read(self, line: str) -> None:
        if self._goes_on(line):
            return
        found, pair = _HEAD.search(line), _LINE.fullmatch(line)
        whole = _SELECTOR.fullmatch(line.strip())
        if found is not None:
            self._head(found)
        elif whole is not None and (_PAIR.search(whole[2]) or (whole[1] and not whole[2].strip())):
            self._selector(whole)
        elif pair is not None:
            self._pair(line, pair[1].strip(), _bare(pair[2]))
        elif _NAME.fullmatch(line.strip()) and not self.draft.name:
            self.draft.labels["alertname"] = line.strip()
        elif line.strip("{}[],-—=_· \t"):
            self.lost.append(line.strip())

    def close(self) -> None:
        """End a value of several lines."""
        if self.block is not None:
            self._take(self.block.key, " ".join(self.block.lines))
            self.block = None

    def _goes_on(self, line: str) -> bool:
        if self.block is None:
            return False
        if _indent(line) > self.block.indent:
            self.block.lines.append(line.strip())
            return True
        self.close()
        return False

    def _head(self, found: re.Match[str]) -> None:
        self.head = self.head or found[2].strip("*_` ")
        self.draft.labels = head_of(found[2]) | self.draft.labels
        self.draft.fields.setdefault("status", _status(found[1]))

    def _selector(self, found: re.Match[str]) -> None:
        if self.draft.is_labelled:
            self._begin()
        name = {"alertname": found[1]} if found[1] else {}
        self.draft.labels |= name | dict(_PAIR.findall(found[2]))
        self.draft.is_labelled = True

    def _pair(self, line: str, key: str, value: str) -> None:
        name = key.lower()
        if value in _BLOCKS:
            self.block = _Block(key, _indent(line))
        elif value and value not in "{[":
            self._take(key, value)
        elif name in _SECTIONS:
            if name == "labels" and self.draft.is_labelled:
                self._begin()
            self.section = name

    def _begin(self) -> None:
        """Go on to the next alert; what the head said holds for all."""
        status = {k: v for k, v in self.draft.fields.items() if k == "status"}
        self.drafts.append(PastedAlert(fields=status))

    def _take(self, key: str, value: str) -> None:
        name = key.lower()
        if name == "alertname" or (name == "alert" and _NAME.fullmatch(value)):
            if self.draft.is_labelled and self.draft.name not in {"", value}:
                self._begin()
            self.draft.labels["alertname"] = value
        elif name in _FIELDS:
            self.draft.fields[_FIELDS[name]] = value
        elif name in _TIMES:
            self.draft.fields[_TIMES[name]] = _time(value)
        elif name in _LINKS and "://" in value:
            self.draft.fields[_LINKS[name]] = value
        elif name in {"status", "state"}:
            self.draft.fields["status"] = _status(value)
        elif name in _ANNOTATIONS or "annotations" in self.section or " " in key:
            self.draft.annotations[key.replace(" ", "_")] = value
        elif re.fullmatch(r"[A-Za-z_]\w*", key):
            self.draft.labels.setdefault(key, value)
            self.draft.is_labelled = True
        else:
            self.draft.fields[key] = value


def read_pasted(text: str) -> tuple[list[PastedAlert], str, list[str]]:
    """Read alerts out of a text.

    Returns:
        The alerts, none when the text names none and is a question; the words of the message's
        head, which may name what the alert is about; and the lines that were not understood.
    """
    reader = _Reader()
    if text[:1] in {"{", "[", '"'}:
        # Torn JSON: every pair on a line of its own.
        text = re.sub(r"([{\[,])(?=\s*[\"{\[])", r"\1\n", text)
    for line in text.splitlines():
        if line.strip():
            reader.read(line)
    reader.close()
    found = [draft for draft in reader.drafts if draft.name]
    return found, reader.head, reader.lost


def head_of(text: str) -> dict[str, str]:
    """Return what a message's head says as labels: the alert's name and how severe it is.

    ``HighErrorRate order-service (critical)``: values without names, of which the first is the
    alert's; what the others are nobody says, so they are left to who knows the system.
    """
    words = [word.strip("()[],;:*`") for word in text.split()]
    words = [word for word in words if word]
    if not words:
        return {}
    name = next((word for word in words if _NAME.fullmatch(word)), words[0])
    severe = [word.lower() for word in words if word.lower() in _SEVERITIES]
    return {"alertname": name, **({"severity": severe[0]} if severe else {})}


def _bare(value: str) -> str:
    """Take quotes, marks of emphasis and a comma off a value."""
    text = value.strip().rstrip(",").strip()
    while len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`*":
        text = text[1:-1].strip()
    return text.strip("*`") if text[:1] in "*`" or text[-1:] in "*`" else text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" -"))


def _status(word: str) -> str:
    return "resolved" if word.lower() in _RESOLVED else "firing"


def _time(text: str) -> str:
    """Write ``2026-11-30 12:43:00.5 +0000 UTC`` and the like as ISO 8601 does."""
    found = re.fullmatch(r"(.*?\d)\s*(Z|UTC|([+-]\d\d):?(\d\d))(?:\s+\w+)?", text.strip())
    if found is None:
        return text
    return found[1] + (f"{found[3]}:{found[4]}" if found[3] else "Z")
