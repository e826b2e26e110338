"""What the service reads: the live systems of the settings, or one recording."""

from pathlib import Path

from superbizagent.cli.live import LiveFlags, live_addresses
from superbizagent.cli.sources import SourceSpec
from superbizagent.settings import Settings

__all__ = ["service_sources"]


def service_sources(settings: Settings, recording: Path | None) -> SourceSpec:
    """Return the sources of every session that the service starts.

    Raises:
        UsageError: when an address in the settings is none.
    """
    if recording is not None:
        return SourceSpec(bundle=str(recording.absolute()), log_tz=settings.log_tz)
    live = live_addresses(LiveFlags(), settings, configured=True)
    return SourceSpec(live=live, log_tz=settings.log_tz)
