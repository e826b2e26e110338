"""One line about the run: what it cost, what failed, and where to read on."""

from rich.cells import cell_len

from superbizagent.domain.feedback import LEAST_JUDGED, TrackRecord
from superbizagent.domain.report import Envelope
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["footer_text", "track_text"]


def footer_text(envelope: Envelope, narrator: Narrator, *, room: int = 0) -> str:
    """Return the footer, with the flag that shows the rest where ``room`` columns hold it."""
    passed = ("foot.gate_long", "foot.gate_brief", "foot.gate")
    for gate in passed if envelope.gate == "PASS" else ("foot.gate_why", "foot.gate"):
        text = _text(envelope, narrator, gate)
        longer = f"{text}, {narrator.say('foot.more')}"
        if not room or cell_len(text) <= room:
            return longer if cell_len(longer) <= room else text
    return _text(envelope, narrator, "foot.gate", brief=True)


def track_text(record: TrackRecord | None, narrator: Narrator) -> str:
    """Return how often answers like this were right; empty where nobody has judged one."""
    if record is None:
        return ""
    if not record.enough:
        return narrator.say("foot.track_few", n=str(LEAST_JUDGED))
    return narrator.say("foot.track", n=str(record.right), m=str(record.judged))


def _text(envelope: Envelope, narrator: Narrator, gate: str, *, brief: bool = False) -> str:
    say = narrator.say
    parts = [
        say("foot.seconds", n=f"{envelope.seconds:.1f}"),
        _counted(narrator, "foot.one_query", "foot.queries", envelope.queries),
    ]
    if failed := envelope.sources_failed:
        parts.append(_counted(narrator, "foot.one_failed", "foot.failed", failed))
    if envelope.reasoner != "rules" or envelope.tokens:
        parts.append(say("foot.tokens", n=str(envelope.tokens)))
    elif not brief:
        parts.append(say("foot.no_model"))
    if envelope.gate:
        # Passing says what was tested, so that nobody reads it as a seal of truth; else what did
        # not pass, and where to read it.
        checks = [say(f"gate.{check}") for check in envelope.gate_checks]
        key = gate if envelope.gate == "PASS" or checks else "foot.gate"
        parts.append(say(key, n=envelope.gate, checks=say("list.and").join(checks)))
    parts.append(say("foot.session", n=envelope.session_id))
    return ", ".join((*parts, *envelope.notes))


def _counted(narrator: Narrator, one: str, several: str, number: int) -> str:
    return narrator.say(one if number == 1 else several, n=str(number))
