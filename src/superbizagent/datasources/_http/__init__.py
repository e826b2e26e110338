"""HTTP to systems we are a guest of: how to get in, how much to take, how slowly to ask."""

from superbizagent.datasources._http.access import HttpAccess
from superbizagent.datasources._http.client import HttpAnswer, HttpClient
from superbizagent.datasources._http.clocks import clock_notes
from superbizagent.datasources._http.envelope import ApiAnswer, ask_api
from superbizagent.datasources._http.failures import status_of
from superbizagent.datasources._http.first_look import first_look
from superbizagent.datasources._http.pace import Pace

__all__ = [
    "ApiAnswer",
    "HttpAccess",
    "HttpAnswer",
    "HttpClient",
    "Pace",
    "ask_api",
    "clock_notes",
    "first_look",
    "status_of",
]
