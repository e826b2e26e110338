"""What a call asked of its source, in the source's own words."""

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.json_values import items
from superbizagent.domain.selector import Selector

__all__ = ["asked_of"]


def asked_of(row: ToolInvocation) -> str:
    """Return the selector or the services that were asked for; empty when everything was."""
    asked = row.call.input
    if "selector" in asked:
        return str(Selector.model_validate(asked["selector"]))
    return ", ".join(map(str, items(asked.get("services"))))
