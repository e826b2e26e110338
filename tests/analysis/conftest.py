"""Fixtures of the analysis tests; the larger builders stand in `analysis_builders`."""

from collections.abc import Callable

import numpy as np
import pytest

from analysis_builders import START
from superbizagent.domain.series import SeriesSet


@pytest.fixture
def make_series() -> Callable[..., SeriesSet]:
    """Return a builder of one series of values at a step of 15 s."""

    def build(values: list[float], name: str = "some_value", **labels: str) -> SeriesSet:
        times = START + 15_000 * np.arange(len(values), dtype=np.int64)
        return SeriesSet.of([({"__name__": name, **labels}, times, np.array(values, np.float64))])

    return build
