"""Text lines to log records: what every source that reads logs shares."""

from .clocks import plausible
from .files import LogInput, find_log_files, order_inputs, service_of
from .line_numbers import line_numbers
from .reader import LogReader, LogSurvey
from .records import empty_frame, parse_texts
from .spans import merged_spans
from .timed import TimedLines, TimedParser, continues, level_codes

__all__ = [
    "LogInput",
    "LogReader",
    "LogSurvey",
    "TimedLines",
    "TimedParser",
    "continues",
    "empty_frame",
    "find_log_files",
    "level_codes",
    "line_numbers",
    "merged_spans",
    "order_inputs",
    "parse_texts",
    "plausible",
    "service_of",
]
