"""Conversations: turns are read, then answered from what is stored, or by a new diagnosis.

`prepare_turn` reads the turn that a queued session stands for and stores what it was read as;
`answer_turn` is the path of one that needs no new look, as `run_pipeline` is that of a diagnosis.
"""

from superbizagent.investigation.conversation.answering import answer_turn
from superbizagent.investigation.conversation.asking import incident_of_turn
from superbizagent.investigation.conversation.history import read_history, turn_of
from superbizagent.investigation.conversation.preparing import prepare_turn
from superbizagent.investigation.conversation.reading import read_turn
from superbizagent.investigation.conversation.turn import LOOKS, History, Turn, TurnKind

__all__ = [
    "LOOKS",
    "History",
    "Turn",
    "TurnKind",
    "answer_turn",
    "incident_of_turn",
    "prepare_turn",
    "read_history",
    "read_turn",
    "turn_of",
]
