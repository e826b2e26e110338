"""One line about the run: what it cost, what failed, and where to read on."""

from rich.cells import cell_len

from superbizagent.domain.report import Envelope
from superbizagent.investigation.narrator import Narrator

__all__ = ["footer_text"]


def footer_text(envelope: Envelope, narrator: Narrator, *, room: int = 0) -> str:
    """Return the footer, with the flag that shows the rest where ``room`` columns hold it."""
    say = narrator.say
    parts = [
        say("foot.seconds", n=f"{envelope.seconds:.1f}"),
        say("foot.queries", n=str(envelope.queries)),
    ]
    if envelope.sources_failed:
        parts.append(say("foot.failed", n=str(envelope.sources_failed)))
    model = envelope.reasoner == "rules" and not envelope.tokens
    parts.append(say("foot.no_model") if model else say("foot.tokens", n=str(envelope.tokens)))
    if envelope.gate:
        parts.append(say("foot.gate", n=envelope.gate))
    parts.append(say("foot.session", n=envelope.session_id))
    text = ", ".join((*parts, *envelope.notes))
    longer = f"{text}, {say('foot.more')}"
    return longer if cell_len(longer) <= room else text
