"""Of a turn that goes on with an earlier question: what was looked at, and what of it is as before.

It stands first: whoever asks "and yesterday?" must see at once what that was taken to mean.
"""

from superbizagent.domain.report import ClaimKind, Section
from superbizagent.investigation.wording.writer import Given, Writer

__all__ = ["say_carried"]

_KEYS = {
    frozenset[str](): "talk.looked",
    frozenset({"service"}): "talk.looked_service",
    frozenset({"window"}): "talk.looked_window",
    frozenset({"service", "window"}): "talk.looked_both",
}


def say_carried(given: Given, writer: Writer) -> None:
    """State services and time of such a turn; of any other question nothing."""
    scope = given.scope
    carried = scope.incident.carried
    if carried is None:
        return
    say = writer.narrator.say
    named = [e.name for e in scope.entities] or [missed.name for missed in scope.unresolved]
    names = [] if scope.takes_everything else list(dict.fromkeys(named))
    about = say("list.and").join(names) or say("title.everything")
    template = say(_KEYS[frozenset(carried)])
    writer.add(Section.WHAT, ClaimKind.OBSERVATION, template, params={"about": about})
