"""Types and texts that the tests of skill folders share."""

from collections.abc import Callable
from pathlib import Path

from superbizagent.domain.scope import Scope

WriteSkill = Callable[..., Path]
MakeScope = Callable[..., Scope]

CHECKS = """
hypotheses:
  - id: full
    fault_kind: disk
    evidence:
      - id: used
        any_of: [{role: pool.used}, {query: 'my_pool{app="$entity"}'}]
        reduce: max
        holds: {op: ">=", value: 5}
        role: required
        says: {en: "{value} used in {entity}", zh: "{entity} 使用 {value}"}
    conclusion: {en: "{entity} has {used}", zh: "{entity} 有 {used}"}
"""


def skill_writer(base: Path) -> WriteSkill:
    """Return what writes one skill folder below ``base/root`` and returns ``base/root``."""

    def write(
        name: str = "find-it",
        head: str | None = None,
        *,
        checks: str | None = None,
        body: str = "Look.\n",
        root: str = "user",
        folder: str = "",
    ) -> Path:
        place = base / root / (folder or name)
        place.mkdir(parents=True)
        front = f"name: {name}\ndescription: Finds {name}.\n" if head is None else head
        (place / "SKILL.md").write_text(f"---\n{front}---\n{body}", encoding="utf-8")
        if checks is not None:
            (place / "checks.yaml").write_text(checks, encoding="utf-8")
        return base / root

    return write
