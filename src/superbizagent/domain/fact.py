"""A typed value read out of one stored output."""

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant, Window

__all__ = ["Fact"]


class Fact(Model):
    """One value that a claim may cite as ``[E3.2]``.

    ``value`` is what the output holds, or the named statistic of it computed by code over
    ``window``. ``place`` points into the output: ``series/17/sample/203``, ``series/17``,
    ``sum/3,17`` for what several series add up to, ``template/4``, ``line/12``, ``alert/0``,
    ``change/1``, ``edge/3``, ``output`` for facts about the call itself (how many series, nothing
    found).
    """

    id: str
    entity: str = ""
    """Entity path, empty for facts about the call."""
    name: str
    """Series as Prometheus prints it, ``log:<template id>``, ``field:<key>``, ``alert:<name>`` …"""
    statistic: str = "value"
    """``value, last, min, max, mean, median, count, first_at, onset_at, rate …``"""
    value: float | str | None
    unit: str = ""
    at: Instant | None = None
    window: Window | None = None
    quote: str = ""
    """Verbatim text of the output: the log line, or ``<time> <value>`` of the sample."""
    place: str = "output"

    @property
    def call(self) -> int:
        """Number of the call it was read from."""
        return int(self.id[1:].split(".")[0])
