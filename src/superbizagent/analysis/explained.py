"""How much of an entity's evidence is put down to something else: one share for every channel."""

from collections.abc import Mapping, Sequence

__all__ = ["EXPLAINED", "unexplained"]

EXPLAINED = 0.8
"""Of what something else accounts for; the rest stays, for it may be the entity's own."""


def unexplained(
    scores: Mapping[str, float], callees: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Return what is left of each entity's score when the strongest of its callees explains it.

    Args:
        scores: by entity, not below 0.
        callees: entities by caller.
    """
    return {
        e: v
        - EXPLAINED * min(v, max((scores.get(c, 0.0) for c in callees.get(e, ())), default=0.0))
        for e, v in scores.items()
    }
