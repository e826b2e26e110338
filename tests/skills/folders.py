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
