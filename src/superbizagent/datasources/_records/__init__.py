"""Text lines to log records: what every source that reads log files shares."""

from .clocks import plausible
from .files import LogInput, find_log_files, order_inputs, service_of
from .line_numbers import line_numbers
from .reader import LogReader, LogSurvey
from .records import parse_texts
from .spans import merged_spans

__all__ = [
    "LogInput",
    "LogReader",
    "LogSurvey",
    "find_log_files",
    "line_numbers",
    "merged_spans",
    "order_inputs",
    "parse_texts",
    "plausible",
    "service_of",
]
