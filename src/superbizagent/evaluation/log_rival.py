"""drain3 beside ours, where it is installed: the miner that most people would take instead."""

import importlib
from collections.abc import Sequence
from typing import Any

__all__ = ["MISSING", "drain3_texts", "has_drain3"]

MISSING = (
    "drain3 is not installed, so nothing stands beside our figures; "
    "`pip install drain3` into this environment and run it again"
)
# What its documentation masks, each between other characters or the ends of the line.
_BEGIN, _END = r"((?<=[^A-Za-z0-9])|^)", r"((?=[^A-Za-z0-9])|$)"
_MASKS = (
    (r"(([0-9a-f]{2,}:){3,}([0-9a-f]{2,}))", "ID"),
    (r"(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})", "IP"),
    (r"([0-9a-f]{6,} ?){3,}", "SEQ"),
    (r"([0-9A-F]{4} ?){4,}", "SEQ"),
    (r"(0x[a-f0-9A-F]+)", "HEX"),
    (r"([\-\+]?\d+)", "NUM"),
)


def has_drain3() -> bool:
    """Tell whether it can be compared with."""
    try:
        importlib.import_module("drain3")
    except ImportError:
        return False
    return True


def drain3_texts(messages: Sequence[str], *, masks: bool) -> list[str]:
    """Return the template of each message, all learnt before any is read back.

    Args:
        messages: without headers.
        masks: replace addresses, hexadecimal words and numbers first.

    Raises:
        ImportError: when it is not installed.
    """
    drain3: Any = importlib.import_module("drain3")
    masking: Any = importlib.import_module("drain3.masking")
    settings: Any = importlib.import_module("drain3.template_miner_config")
    config = settings.TemplateMinerConfig()
    config.profiling_enabled = False
    if masks:
        config.masking_instructions = [
            masking.MaskingInstruction(_BEGIN + pattern + _END, name) for pattern, name in _MASKS
        ]
    miner = drain3.TemplateMiner(config=config)
    ids: list[int] = [miner.add_log_message(m)["cluster_id"] for m in messages]
    texts: dict[int, str] = {c.cluster_id: c.get_template() for c in miner.drain.clusters}
    return [texts[i] for i in ids]
