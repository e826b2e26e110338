"""Chinese phrases on how causes hang together: what is independent, and the path to the symptom."""

__all__ = ["TABLE"]

TABLE: dict[str, str] = {
    "apart.what": "与之无关的另一故障：<text>",
    "apart.root_cause_found": "{p|entity}：已找到根因：<reasons>。",
    "apart.likely": "{p|entity}：可能，但不确定：<reasons>。",
    "apart.action": "{p|entity}：<action>",
}
