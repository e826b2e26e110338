"""One diagnosis for a scorer: as ``superbiz diagnose`` runs it, and nothing of it is kept."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from superbizagent.cli.asked import read_flags
from superbizagent.cli.diagnose import diagnose
from superbizagent.cli.session import diagnose_asked
from superbizagent.evaluation.cases import Diagnose, Examined

__all__ = ["diagnose_quietly"]


def diagnose_quietly(without: Sequence[str] = ()) -> Diagnose:
    """Return what diagnoses a folder as ``superbiz diagnose`` does, and leaves nothing behind.

    Args:
        without: names of playbooks that are not used, beside those of the settings.
    """

    def run(folder: Path, args: Sequence[str]) -> Examined:
        given = [str(folder), "--quiet", "--lang", "en", *args]
        asked = read_flags(diagnose.make_context("diagnose", given).params)
        with tempfile.TemporaryDirectory(prefix="superbiz-eval-") as scratch:
            settings = asked.settings.model_copy(
                update={
                    "data_dir": Path(scratch),
                    "database_url": "",
                    "integrity_key_file": None,
                    "skills_off": (*asked.settings.skills_off, *without),
                }
            )
            finished = asyncio.run(diagnose_asked(replace(asked, settings=settings)))
        return Examined(finished.diagnosis, tuple(settings.entity_labels))

    return run
