"""What a clock that is not ours is worth a word for."""

__all__ = ["clock_notes"]

_SLACK_SECONDS = 30.0
"""Two scrapes: less shifts no order of events that samples or lines could tell."""


def clock_notes(name: str, ahead_seconds: float) -> list[str]:
    """Return what is to be said of a server's clock: what happened when is read wrong with it.

    Args:
        name: of the source.
        ahead_seconds: by which its clock is ahead of ours.
    """
    if abs(ahead_seconds) <= _SLACK_SECONDS:
        return []
    way = "ahead of" if ahead_seconds > 0 else "behind"
    return [f"the clock of {name} is {abs(ahead_seconds):.0f} s {way} this machine's"]
