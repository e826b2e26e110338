"""HTTP to systems we are a guest of: how to get in, how much to take, how slowly to ask."""

from superbizagent.datasources._http.access import HttpAccess
from superbizagent.datasources._http.client import HttpAnswer, HttpClient, mapping
from superbizagent.datasources._http.failures import status_of
from superbizagent.datasources._http.pace import Pace

__all__ = ["HttpAccess", "HttpAnswer", "HttpClient", "Pace", "mapping", "status_of"]
