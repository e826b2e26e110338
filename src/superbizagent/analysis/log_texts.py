"""The template of every message of a list, found as the digest of a log call finds it."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_drafts import drafts_of
from superbizagent.analysis._log_kinds import Kinds

__all__ = ["texts_of"]

_AT_A_TIME = 50_000  # more forget the processor's cache, fewer meet the same shape again


def texts_of(messages: pl.Series) -> tuple[list[str], NDArray[np.int64]]:
    """Return the texts of the templates, wildcards as ``<*>``, and which each message has.

    Args:
        messages: without headers, of one service.
    """
    kinds = Kinds()
    found = [np.zeros(0, np.int64)]
    for start in range(0, len(messages), _AT_A_TIME):
        part = messages[start : start + _AT_A_TIME]
        frame = (
            part.alias("body")
            .to_frame()
            .with_columns(service=pl.lit(""), severity=pl.lit(0, dtype=pl.Int8))
        )
        found.append(kinds.of(frame).kinds)
    drafts = drafts_of(kinds)
    home = np.zeros(len(kinds), np.int64)
    for number, draft in enumerate(drafts):
        home[list(draft.kinds)] = number
    return [draft.text for draft in drafts], home[np.concatenate(found)]
