"""Playbooks as JSON, for ``superbiz skills --json`` and the service."""

from typing import Any

from superbizagent.domain.skill import Skill

__all__ = ["skill_card", "skill_document"]


def skill_card(skill: Skill) -> dict[str, Any]:
    """Return what a playbook is for, without its text."""
    kinds = dict.fromkeys(h.fault_kind.value for h in skill.hypotheses)
    return {
        **skill.metadata.model_dump(mode="json"),
        "fault_kinds": list(kinds),
        "rivals": list(skill.rivals),
        "along": list(skill.along),
    }


def skill_document(skill: Skill, body: str) -> dict[str, Any]:
    """Return all of a playbook: its text for people, and what its checks ask."""
    checks = [h.model_dump(mode="json") for h in skill.hypotheses]
    return {**skill_card(skill), "body": body, "hypotheses": checks}
