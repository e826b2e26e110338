"""What a citation rests on, as text: for the command line and for whoever asks the service."""

from superbizagent.investigation.explanation.text import call_lines, fact_lines, raw_text

__all__ = ["call_lines", "fact_lines", "raw_text"]
