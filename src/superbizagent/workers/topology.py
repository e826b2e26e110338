"""Who calls whom, learnt from the diagnoses that have ended, for grouping alerts by it."""

from superbizagent.domain.json_values import items, mapping
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.store import Storage

__all__ = ["learn_calls"]


async def learn_calls(storage: Storage, session: DiagnosisSession) -> int:
    """Store the calls between services that the sources of a session told of.

    Returns:
        How many there were.
    """
    scope = mapping(session.scope)
    edges = {
        (str(edge.get("caller", "")), str(edge.get("callee", "")))
        for edge in map(mapping, items(mapping(scope.get("topology")).get("edges")))
    }
    if edges:
        sources = (str(mapping(s).get("name", "")) for s in items(scope.get("sources")))
        told = ", ".join(dict.fromkeys(name for name in sources if name))
        await storage.edges.put(edges, told[:255], storage.clock.now())
    return len(edges)
