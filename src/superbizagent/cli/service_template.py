"""What the sessions have in common that the service or its worker starts."""

from pathlib import Path

from superbizagent.cli.compose import run_config, session_template
from superbizagent.cli.service_sources import service_sources
from superbizagent.domain.session import SessionTemplate
from superbizagent.settings import Settings

__all__ = ["service_template"]


def service_template(settings: Settings, recording: Path | None) -> SessionTemplate:
    """Return sources and settings of new sessions.

    Args:
        settings: with the live systems.
        recording: a recorded incident that is read instead; None: live systems.
    """
    spec = service_sources(settings, recording)
    return session_template(spec.model_dump(mode="json"), run_config(settings))
