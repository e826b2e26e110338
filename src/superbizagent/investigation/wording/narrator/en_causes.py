"""English phrases on how causes hang together: what is independent, and the path to the symptom."""

__all__ = ["TABLE"]

TABLE: dict[str, str] = {
    "apart.what": "Independent of it: <text>",
    "apart.root_cause_found": "{p|entity}: root cause found: <reasons>.",
    "apart.likely": "{p|entity}: likely, not certain: <reasons>.",
    "apart.action": "{p|entity}: <action>",
}
