"""How sure it is, in words with the reason: of the leading cause, and of each independent fault."""

from collections.abc import Sequence

from superbizagent.domain.finding import SeparateFault
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.investigation.wording.picks import MOST, independent, leading
from superbizagent.investigation.wording.writer import Given, Writer, entity_name

__all__ = ["say_sureness"]


def say_sureness(given: Given, writer: Writer) -> None:
    """Say how sure the verdict is, and that on each fault that is independent of it."""
    analysis = given.analysis
    words, params = _in_words(given, writer, analysis.verdict_reasons)
    first = leading(given)
    writer.add(
        Section.SURENESS,
        ClaimKind.INFERENCE,
        writer.narrator.say(f"sure.{analysis.verdict.value}", reasons=words),
        params=params,
        finding_ids=first.finding_ids[:MOST] if first else (),
        extras={"reasons": list(analysis.verdict_reasons), "verdict": analysis.verdict.value},
    )
    for fault in independent(given):
        _say_of(given, writer, fault)


def _say_of(given: Given, writer: Writer, fault: SeparateFault) -> None:
    """Say how sure an independent fault is; it competes with no candidate, so without a margin."""
    reasons = [r for r in fault.verdict_reasons if not r.startswith("margin:")]
    words, params = _in_words(given, writer, reasons)
    writer.add(
        Section.SURENESS,
        ClaimKind.INFERENCE,
        writer.narrator.say(f"apart.{fault.verdict.value}", reasons=words),
        entity=fault.cause.entity,
        params=params | {"entity": entity_name(fault.cause.entity)},
        finding_ids=fault.cause.finding_ids[:MOST],
        extras={"reasons": list(fault.verdict_reasons), "verdict": fault.verdict.value},
    )


def _in_words(given: Given, writer: Writer, reasons: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the reasons as one phrase, and the names in it."""
    narrator = writer.narrator
    kinds = {h.id: h.fault_kind.value for h in given.analysis.hypotheses}
    params: dict[str, str] = {}
    said: list[str] = []
    for number, reason in enumerate(reasons):
        key, _, argument = reason.partition(":")
        if key == "margin":
            said.append(narrator.say(f"reason.margin_{_margin_word(float(argument))}"))
            continue
        names = [
            narrator.say(f"fault.{kinds[a]}") if a in kinds else a for a in argument.split(",") if a
        ]
        params[f"r{number}"] = narrator.say("list.and").join(names)
        said.append(narrator.say(f"reason.{key}", arg=f"{{p|r{number}}}"))
    words = narrator.say("list.or").join(dict.fromkeys(said))
    return words, {k: v for k, v in params.items() if v}


def _margin_word(margin: float) -> str:
    return "clear" if margin >= 0.6 else "fair" if margin >= 0.4 else "small"
