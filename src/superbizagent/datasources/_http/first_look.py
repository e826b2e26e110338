"""The first look at a server: short, and either an answer or one sentence why there is none."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from superbizagent.datasources._http.access import HttpAccess
from superbizagent.errors import (
    ConfigError,
    PermanentDataSourceError,
    TemporaryDataSourceError,
)

__all__ = ["first_look"]


@asynccontextmanager
async def first_look(access: HttpAccess, seconds: float) -> AsyncGenerator[None]:
    """Look at a server for so many seconds at most.

    Raises:
        TemporaryDataSourceError: when that was not enough.
        PermanentDataSourceError: when its settings let nobody in.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise TemporaryDataSourceError(
            f"{access.address} did not say within {seconds:g} s what it holds; it may be"
            " overloaded, or the wrong address"
        ) from TimeoutError()
    except ConfigError as error:
        raise PermanentDataSourceError(str(error)) from error
