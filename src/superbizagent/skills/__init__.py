"""Playbooks: the catalogue of skill folders, their checks, and the queries these ask for."""

from superbizagent.skills.catalogue import (
    SearchPath,
    SkillCatalogue,
    SkillProblem,
    load_catalogue,
    packaged_playbooks,
)
from superbizagent.skills.evidence import EvidenceTable, load_evidence, packaged_evidence
from superbizagent.skills.queries import bind, check_queries, entities_of, fits, is_kind
from superbizagent.skills.roles import RoleTable, load_roles, packaged_roles

__all__ = [
    "EvidenceTable",
    "RoleTable",
    "SearchPath",
    "SkillCatalogue",
    "SkillProblem",
    "bind",
    "check_queries",
    "entities_of",
    "fits",
    "is_kind",
    "load_catalogue",
    "load_evidence",
    "load_roles",
    "packaged_evidence",
    "packaged_playbooks",
    "packaged_roles",
]
