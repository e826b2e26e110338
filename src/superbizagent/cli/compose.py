"""The composition root: builds every object of a run from settings and flags."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import click

from superbizagent import __version__
from superbizagent.cli.clock import SystemClock
from superbizagent.domain.canonical import digest
from superbizagent.domain.gathering import RunConfig
from superbizagent.domain.protocols import DataSource
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.session import SessionTemplate
from superbizagent.domain.skill import SkillSource
from superbizagent.errors import ConfigError, StorageError
from superbizagent.investigation.pipeline import Progress, Toolbox
from superbizagent.investigation.rules import RulesReasoner
from superbizagent.investigation.survey import ReadLearnt, nothing_learnt
from superbizagent.promql import parse_selector
from superbizagent.settings import Settings, load_settings, unknown_variables, user_config_folder
from superbizagent.skills import (
    SearchPath,
    SkillCatalogue,
    load_catalogue,
    load_evidence,
    load_roles,
    packaged_evidence,
    packaged_playbooks,
    packaged_roles,
)
from superbizagent.storage.installation import installation_key, private_folder
from superbizagent.storage.store import Storage

__all__ = [
    "load_skills",
    "open_storage",
    "run_config",
    "session_template",
    "settings_for",
    "toolbox",
    "versions_of",
]


@asynccontextmanager
async def open_storage(settings: Settings, *, reading: bool = False) -> AsyncGenerator[Storage]:
    """Open the database of this installation.

    Args:
        settings: Where it is.
        reading: Nothing will be written, so a folder that cannot be written will do.

    Raises:
        ConfigError: when the integrity key cannot be read.
        StorageError: in one line, when folder or database cannot be used.
    """
    try:
        private_folder(settings.data_dir)
    except OSError as error:
        raise StorageError(
            f"data folder {str(settings.data_dir)!r} cannot be made: {error.strerror};"
            " set SUPERBIZ_DATA_DIR to a folder that can be written"
        ) from error
    redactor = Redactor(installation_key(settings.data_dir, reading=reading))
    async with Storage.open(
        settings.url,
        clock=SystemClock(),
        redactor=redactor,
        integrity_key=_integrity_key(settings.integrity_key_file),
        reading=reading,
    ) as storage:
        yield storage


def _integrity_key(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"integrity key {str(path)!r} cannot be read: {error.strerror};"
            " correct SUPERBIZ_INTEGRITY_KEY_FILE"
        ) from error


def settings_for(**flags: Any) -> Settings:
    """Read the settings, and name variables that look like ours and are none.

    Raises:
        ConfigError: when a value is wrong; of one in a file it says the line and what was meant.
    """
    for name in unknown_variables():
        click.echo(
            f"{name} is no setting and changes nothing; see the settings reference", err=True
        )
    try:
        return load_settings(**flags)
    except ConfigError as error:
        from superbizagent.cli.config_check import first_problem

        raise ConfigError(first_problem() or str(error)) from error


def load_skills(settings: Settings, more: Sequence[Path] = ()) -> SkillCatalogue:
    """Read the playbooks: packaged, then the user's, then the project's.

    Tables of roles and of shared checks stand beside the user's settings and in the project's
    folders; a later one comes first.

    Args:
        settings: where the project's are.
        more: folders of playbooks, or of one, that come last.

    Raises:
        ConfigError: when a table cannot be used.
        UsageError: when a playbook that is to be left out is not there.
    """
    user, project = user_config_folder(), settings.skills_dirs
    tables = [user, *project]
    roles = [packaged_roles(), *_files(tables, "roles.yaml")]
    shared = load_evidence([packaged_evidence(), *_files(tables, "evidence.yaml")])
    paths = [
        packaged_playbooks(),
        SearchPath(SkillSource.USER, user / "skills"),
        *(SearchPath(SkillSource.PROJECT, folder) for folder in (*project, *more)),
    ]
    found = load_catalogue(paths, load_roles(roles, parse_selector), parse_selector, shared)
    return found.without(settings.skills_off)


def _files(folders: Sequence[Path], name: str) -> Iterator[Path]:
    return (folder / name for folder in folders if (folder / name).is_file())


def run_config(settings: Settings) -> RunConfig:
    """Return the settings that decide what a diagnosis comes to."""
    return RunConfig(
        entity_labels=settings.entity_labels,
        caps=settings.caps,
        deadline_seconds=settings.deadline_seconds,
        max_rounds=settings.max_rounds,
        fail_off_target=settings.aiops_gate.fail_off_target,
    )


def toolbox(
    skills: SkillCatalogue,
    config: RunConfig,
    sources: tuple[DataSource, ...] = (),
    progress: Progress = lambda _stage, _text: None,
    *,
    read_learnt: ReadLearnt = nothing_learnt,
) -> Toolbox:
    """Return what the pipeline works with."""
    return Toolbox(
        sources=sources,
        skills=skills.skills,
        reasoner=RulesReasoner(),
        clock=SystemClock(),
        config=config,
        progress=progress,
        read_learnt=read_learnt,
    )


def versions_of(skills: SkillCatalogue, config: RunConfig) -> dict[str, str]:
    """Return the digests of everything that decides a report beside its evidence."""
    playbooks = {f"playbook:{s.name}": s.metadata.digest for s in skills.skills}
    roles = digest([s.model_dump(mode="json") for s in skills.skills])
    return {"code": __version__, "settings": digest(config), "roles": roles, **playbooks}


def session_template(sources: dict[str, Any], config: RunConfig) -> SessionTemplate:
    """Return what every session of these sources and settings has in common."""
    return SessionTemplate(
        sources=sources, config=config.model_dump(mode="json"), code_version=__version__
    )
