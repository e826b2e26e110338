"""How a session was judged, in one shape for every evaluator and every version of it."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, Field

__all__ = ["Judged", "judged"]


class Judged(BaseModel):
    """What one evaluator said."""

    verdict: str | None = Field(None, examples=["WARN"], description="Its one word, if it has one")
    score: float | None = Field(None, description="Its number, if it has one")
    reasons: list[dict[str, Any]] = Field(
        default_factory=list[dict[str, Any]],
        description="Its checks, or what cost points, each with rule, message, expected, found",
    )


def judged(self_evaluation: Any) -> dict[str, dict[str, Any]]:
    """Return the verdict and the reasons of each key of ``self_evaluation``, as far as it tells.

    Args:
        self_evaluation: JSON of any age; what is of another form tells nothing.
    """
    return {name: _one(value) for name, value in sorted(_mapping(self_evaluation).items())}


def _one(value: Any) -> dict[str, Any]:
    found = _mapping(value)
    words = (found.get("verdict"), found.get("grade"))
    score = found.get("score")
    reasons = found.get("checks") or found.get("deductions") or found.get("claims")
    items = cast("list[Any]", reasons) if isinstance(reasons, list) else []
    return {
        "verdict": next((word for word in words if isinstance(word, str)), None),
        "score": score if isinstance(score, int | float) else None,
        "reasons": [item for item in items if isinstance(item, dict)],
    }


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
