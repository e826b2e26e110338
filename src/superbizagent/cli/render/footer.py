"""One line about the run: what it cost, what failed, and where to read on."""

from rich.cells import cell_len

from superbizagent.domain.report import Envelope
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["footer_text"]


def footer_text(envelope: Envelope, narrator: Narrator, *, room: int = 0) -> str:
    """Return the footer, with the flag that shows the rest where ``room`` columns hold it."""
    for gate in ("foot.gate_long", "foot.gate_brief", "foot.gate"):
        text = _text(envelope, narrator, gate)
        longer = f"{text}, {narrator.say('foot.more')}"
        if not room or cell_len(text) <= room:
            return longer if cell_len(longer) <= room else text
    return text


def _text(envelope: Envelope, narrator: Narrator, gate: str) -> str:
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
        # Passing says what was tested, so that nobody reads it as a seal of truth.
        parts.append(say(gate if envelope.gate == "PASS" else "foot.gate", n=envelope.gate))
    parts.append(say("foot.session", n=envelope.session_id))
    return ", ".join((*parts, *envelope.notes))
