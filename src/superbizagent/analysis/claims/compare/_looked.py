"""Whether somebody looked: what must be known before "there was none" can be said."""

from collections.abc import Sequence

from superbizagent.analysis.claims.evidence.ground import Ground, Look
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.plan import ToolName
from superbizagent.domain.window import Window

__all__ = ["first_facts", "not_covered", "whole"]


def not_covered(
    ground: Ground, tool: ToolName, entities: Sequence[str], window: Window | None
) -> str:
    """Return why nothing can be said of what a tool did not find; empty when it can.

    ``look_failed:E8``, ``look_cut:E8`` or ``not_looked:<entity or tool>``.
    """
    looks = [look for look in ground.looks if look.tool is tool]
    for entity in entities:
        if not any(whole(look, tool, entity, window, ground) for look in looks):
            return _why(looks, entity)
    if not entities and not any(_answers(look, window, ground) for look in looks):
        return _why(looks, tool.value)
    return ""


def whole(look: Look, tool: ToolName, entity: str, window: Window | None, ground: Ground) -> bool:
    """Tell whether what a look did not find of an entity was not there: nothing was left out."""
    return look.covers(tool, entity, window) and not _left_out(ground, look)


def _answers(look: Look, window: Window | None, ground: Ground) -> bool:
    """The same of everything that a source has: no entity was named."""
    if not look.answered or look.truncated or look.partial or _left_out(ground, look):
        return False
    if window is None or look.window is None:
        return True
    return look.window.start <= window.start and window.end <= look.window.end


def _left_out(ground: Ground, look: Look) -> bool:
    row = ground.evidence.of(look.number)
    if row is None or not isinstance(row.output, LogDigest):
        return False
    digest = row.output
    return digest.templates_left_out > 0 or any(f.truncated for f in digest.files)


def _why(looks: Sequence[Look], entity: str) -> str:
    whole_looks = [look for look in looks if not look.partial] or list(looks)
    for look in whole_looks:
        if not look.answered:
            return f"look_failed:E{look.number}"
    of_it = [k for k in whole_looks if entity in k.entities or not k.entities or "/" not in entity]
    for look in of_it:
        return f"look_cut:E{look.number}" if look.truncated or look.answered else ""
    return f"not_looked:{entity.rsplit('/', 1)[-1]}"


def first_facts(ground: Ground, tool: ToolName) -> tuple[str, ...]:
    """Return the facts that say how much each whole look of a tool found."""
    found = [f"E{k.number}.1" for k in ground.looks if k.tool is tool and not k.partial]
    return tuple(i for i in found if ground.fact(i) is not None)
