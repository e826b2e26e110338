"""English phrases of answers in a conversation, around the sentences of the report."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side

__all__ = ["TABLE"]

TABLE: dict[str, str] = {
    # What an answer is from
    "talk.about": "From the diagnosis of {p|about}, {frame|start_instant} to {frame|end_instant}; nothing was looked at anew.",
    "talk.about_it": "“{p|word}” is taken as {p|name}. From the diagnosis of {p|about}, {frame|start_instant} to {frame|end_instant}; nothing was looked at anew.",
    "talk.looked": "Looked at {p|about} from {frame|start_instant} to {frame|end_instant}.",
    "talk.looked_service": "Looked at {p|about} (as before) from {frame|start_instant} to {frame|end_instant}.",
    "talk.looked_window": "Looked at {p|about} from {frame|start_instant} to {frame|end_instant} (as before).",
    "talk.looked_both": "Looked at {p|about} from {frame|start_instant} to {frame|end_instant}, both as before.",
    # Titles
    "talk.title.why_not": "Whether it is <name>",
    "talk.title.why": "How that is known",
    "talk.title.explain": "What <name> rests on",
    "talk.title.evidence": "What was seen of <name>",
    "talk.title.changes": "What changed",
    "talk.title.onset": "When it started",
    "talk.title.advice": "What to do",
    "talk.title.state": "Whether it is over",
    "talk.title.affected": "Who is affected",
    "talk.title.unseen": "What was not seen",
    "talk.title.other": "What can be asked",
    "talk.the_cause": "the cause",
    # Names
    "talk.is_cause": "{p|entity} is what was named as the cause; what speaks for it:",
    "talk.leads": "{p|entity} is what stands out most, though it was not found to be the cause; what speaks for it:",
    "talk.is_fault": "{p|fault} at {p|entity} is what was named as the cause; what speaks for it:",
    "talk.untested": "No playbook that was used tests for {p|name}, so it was neither found nor ruled out.",
    "talk.unnamed": "No cause was found, so there is none to show the evidence of; name a service.",
    "talk.normal": "{p|name} was looked at, and nothing of it stands out.",
    "talk.no_data": "Nothing abnormal is known of {p|name}: it was asked for, and no data was found in the time looked at; ask for another time.",
    "talk.out_of_scope": "{p|name} is known, but was not looked at, so nothing can be said of it; ask “and for {p|name}?” for a new look.",
    "talk.cut": "Nothing abnormal is known of {p|name}: a limit or the deadline cut it, so not all of it was looked at; ask “and for {p|name}?” for a new look.",
    "talk.source_down": "Nothing abnormal is known of {p|name}: it was asked for, and its source did not answer; ask again when it does.",
    "talk.unknown": "No source knows the name {p|name}, so nothing can be said of it; name it as your systems do.",
    "talk.unknown_near": "No source knows the name {p|name}, so nothing can be said of it; near names: {p|near}.",
    "talk.series": "Of {p|name} {<seen>} series were examined, {<moved>} of them abnormal.",
    # Citations
    "talk.no_citation": "There is no {p|name} in this diagnosis; the nearest are {p|near}.",
    "talk.fact": "{<fact>|name}, {p|statistic}: {<fact>}",
    "talk.fact_entity": "{p|entity}: {<fact>|name}, {p|statistic}: {<fact>}",
    "talk.fact_time": "Its time is {<fact>|instant}.",
    "talk.fact_from": "It was counted from {<fact>|from} on.",
    "talk.fact_quote": "In the stored output: {<fact>|quote}",
    "talk.asked": "It was asked for: {p|query}",
    "talk.failed": "It came back with: {<call>|error}",
    "talk.unused": "Nothing was concluded from {p|name}: it was looked at and counts neither for nor against a cause.",
    # The rest
    "talk.as_of": "That is as of {frame|end_instant}; ask “and now?” for a new look.",
    "talk.alone": "Nothing that was looked at beside {p|entity} shows errors or latency that rose.",
    "talk.nothing": "Nothing that is stored answers this; ask for another time or service, or a new question.",
    "talk.no_diagnosis": "This conversation has no diagnosis yet that could answer this. Ask about a system first, for example “why is checkout slow?”, with a time if you know it.",
    "talk.help": "That is no question about a system, so nothing was looked at. Ask, for example: “why is checkout slow since this morning?”; and of a diagnosis: “why not mysql?”, “how do you know?”, “explain” with a citation, “show the evidence of orders”, “what changed?”, “when did it start?”, “what should I do?”, “is it over?”, “who else is affected?”, “what did you not see?”, “and in the last hour?”, “and for payment?”.",
}  # fmt: skip
