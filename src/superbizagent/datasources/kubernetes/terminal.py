"""Text copied from a terminal or into notes: commands with their output below them.

Each part is read by itself. What the command was limited to, and what it was about, tells what
its output leaves out: a namespace, a kind, a name.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from superbizagent.datasources.kubernetes.markdown import Block, blocks_of

__all__ = ["Part", "is_session", "parts_of"]

_TOOL = (
    r"(?:sudo +)?(?:watch (?:-\S+ (?:\d\S* )?)*['\"]?)?(?:[\w./~-]*/)?"
    r"(?:kubectl(?:\.exe)?|oc|k|kc|kctl|kubecolor|(?:microk8s|k3s|k0s|minikube)[. ]kubectl(?: --)?)"
)
_VERB = (
    r"(?:get|describe|logs?|events?|top|rollout|exec|apply|create|delete|edit|config|cluster-info"
    r"|auth|debug|scale|patch|annotate|label|set|wait|run|expose|drain|cordon|uncordon|taint"
    r"|version|project|status|adm|replace|diff|rsh|port-forward)"
)
_CALL = rf"{_TOOL}(?: +--?[\w-]+(?:[= ][^\s-]\S*)?)* +{_VERB}(?=[\s'\"`]|$)"
_COMMAND = rf"{_CALL}[^\n]*"
_OTHER = r"(?:kubens|ns) [a-z0-9-]+"
_LINE = re.compile(rf"^(?P<prompt>[^\n`]{{0,100}}?)(?P<command>{_COMMAND}|{_OTHER})$", re.MULTILINE)
_SPOKEN = re.compile(rf"`(?:[$#] *)?({_CALL}[^\n`]*)`")
_SAID = re.compile(rf"(?<![A-Za-z0-9_./-])({_CALL}[^\n`]*?)[ \t]*[:：]?\s*$")
"""A command at the end of a sentence, its output in the block below."""
_SIGNS = "$#%>❯➜»λ›→⟩▶✗✔⚡○●▪+"
_CONTINUED = re.compile(r"\\\n\s*")
_CONTEXT = re.compile(r"\((?:⎈ ?\|? ?)?[\w.@/-]+[:/|]([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\)")
"""What prompts show of the context: the cluster's name, then the namespace."""
_PREVIOUS = frozenset({"-p", "--previous", "--previous=true"})
_WITH_VALUE = frozenset(
    {"-n", "--namespace", "-c", "--container", "-o", "--output", "-l", "--selector", "--tail",
     "--since", "-f", "--filename", "--context", "--cluster", "--kubeconfig", "--field-selector",
     "--sort-by", "-L", "--label-columns", "--for", "--types", "--limit", "--timeout", "--template",
     "--since-time", "--user", "--as"}
)  # fmt: skip
_SHORT = {
    "po": "pod", "pods": "pod", "deploy": "deployment", "sts": "statefulset", "ds": "daemonset",
    "rs": "replicaset", "svc": "service", "ep": "endpoints", "no": "node", "cj": "cronjob",
    "ev": "event", "cm": "configmap", "pvc": "persistentvolumeclaim", "pv": "persistentvolume",
    "quota": "resourcequota", "sa": "serviceaccount", "ing": "ingress", "sc": "storageclass",
    "hpa": "horizontalpodautoscaler", "ns": "namespace", "limits": "limitrange",
    "ingresses": "ingress", "storageclasses": "storageclass",
}  # fmt: skip
_FILTERS = frozenset({"-l", "--selector", "--field-selector"})


@dataclass(frozen=True, slots=True)
class Part:
    """What one command printed."""

    text: str
    namespace: str = ""
    """That the command was limited to."""
    verb: str = ""
    """``get``, ``describe``, ``logs`` …; empty: no command is known."""
    kind: str = ""
    """Of the objects that were asked for, lower case and singular; empty: several, or unknown."""
    name: str = ""
    """Of the one object that was asked for."""
    container: str = ""
    previous: bool = False
    everywhere: bool = False
    """Whether objects of every namespace were asked for."""
    filtered: bool = False
    """Whether only some of the objects were asked for, or shown."""

    @property
    def is_log(self) -> bool:
        """Whether it is a log."""
        return self.verb in {"logs", "log"}

    @property
    def log_of(self) -> str:
        """Name of the pod, or of what makes it, whose log it is."""
        return self.name if self.is_log else ""


def is_session(head: str) -> bool:
    """Tell whether a text holds a command at a prompt, or fenced blocks of notes."""
    return any(_is_command(found) for found in _LINE.finditer(head))


def parts_of(body: str) -> Iterator[Part]:
    """Yield the parts of a text; one without commands is one part."""
    spoken = Part("")
    namespace = ""
    for block in blocks_of(body):
        if not block.is_fenced:
            told = _SPOKEN.findall(block.text) or _SAID.findall(block.text)
            spoken = _part(told[-1], "") if told else Part("")
        for part in _of_block(block, spoken, namespace):
            namespace = part.namespace or namespace
            yield part
            if not part.text.strip() and part.verb:
                spoken = part  # the command stands by itself, its output in the next block


def _of_block(block: Block, spoken: Part, namespace: str) -> Iterator[Part]:
    body = _CONTINUED.sub(" ", block.text) if "\\\n" in block.text else block.text
    commands = [found for found in _LINE.finditer(body) if _is_command(found)]
    lead = body[: commands[0].start()] if commands else body
    if lead.strip():
        yield replace(spoken, text=lead) if block.is_fenced else Part(lead)
    ends = [*(m.start() for m in commands[1:]), len(body)]
    for found, end in zip(commands, ends, strict=False):
        shown = _CONTEXT.search(found["prompt"])
        part = _part(found["command"], body[found.end() + 1 : end])
        namespace = part.namespace or (shown[1] if shown else namespace)
        yield part if part.everywhere else replace(part, namespace=namespace)


def _is_command(found: re.Match[str]) -> bool:
    """Tell whether what stands before a command is a prompt, or nothing."""
    before = found["prompt"].strip()
    return not before or before[-1] in _SIGNS or before[0] in _SIGNS


def _part(command: str, output: str) -> Part:
    shown, _, piped = command.partition("|")
    try:
        words = shlex.split(shown)
    except ValueError:
        words = shown.split()
    values, plain, flags = _sorted(words)
    verb_at = next((n for n, w in enumerate(plain) if re.fullmatch(_VERB, w)), None)
    if verb_at is None:  # kubens shop
        return Part(output, namespace=plain[-1] if len(plain) > 1 else "")
    verb, asked = plain[verb_at], plain[verb_at + 1 :]
    if verb == "project":
        return Part(output, namespace=asked[0] if asked else "", verb=verb)
    kind, name = _about(verb, asked, values)
    return Part(
        text=output,
        namespace=values.get("-n", values.get("--namespace", "")),
        verb=verb,
        kind=kind,
        name=name,
        container=values.get("-c", values.get("--container", "")),
        previous=bool(_PREVIOUS & set(words)),
        everywhere=bool({"-A", "--all-namespaces"} & flags),
        filtered=bool(piped.strip() or _FILTERS & values.keys() or name),
    )


def _sorted(words: list[str]) -> tuple[dict[str, str], list[str], set[str]]:
    """Options with their values, other words, and options without a value."""
    values: dict[str, str] = {}
    plain: list[str] = []
    flags: set[str] = set()
    waiting = ""
    for word in words:
        name, sign, value = word.partition("=")
        if waiting:
            values[waiting], waiting = word, ""
        elif word == "--":
            break
        elif sign and name.startswith("-"):
            values[name] = value
        elif word in _WITH_VALUE:
            waiting = word
        elif word.startswith("-n") and len(word) > 2 and not word.startswith("--"):
            values["-n"] = word[2:]
        elif word.startswith("-"):
            flags.add(word)
        else:
            plain.append(word)
    return values, plain, flags


def _about(verb: str, asked: list[str], values: dict[str, str]) -> tuple[str, str]:
    """Kind and name of the objects that a command is about, as far as it says them."""
    if verb == "rollout":
        asked = asked[1:]
    if verb in {"logs", "log", "exec", "rsh"}:
        if not asked:
            chosen = values.get("-l", values.get("--selector", ""))
            return "", chosen.partition("=")[2].partition(",")[0]
        kind, _, name = asked[0].rpartition("/")
        return _kind(kind) or "pod", name
    if not asked or "," in asked[0] or verb not in {"get", "describe", "rollout"}:
        return "", ""
    kind, sign, name = asked[0].partition("/")
    if not sign:
        name = asked[1] if len(asked) == 2 else ""
    return _kind(kind), name


def _kind(written: str) -> str:
    kind = written.lower().partition(".")[0]
    return _SHORT.get(kind) or (kind.removesuffix("s") if kind != "endpoints" else kind)
