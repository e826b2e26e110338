"""The faults of the lab, one module a subject."""

from collections.abc import Callable

from lab.faults.bad_deploy import BadDeploy
from lab.faults.both import Both
from lab.faults.connection_leak import ConnectionLeak
from lab.faults.connection_pool import ConnectionPool
from lab.faults.cpu import BusyRequests, CpuHog
from lab.faults.crash_loop import CrashLoop
from lab.faults.disk_full import DiskFull
from lab.faults.fault import Cause, Fault, Setting, Truth
from lab.faults.max_connections import MaxConnections
from lab.faults.memory_leak import MemoryLeak
from lab.faults.missing_index import MissingIndex
from lab.faults.row_lock import RowLock
from lab.faults.slow_network import SlowDatabaseNetwork, SlowDependency
from lab.faults.traffic_surge import TrafficSurge

__all__ = ["FAULTS", "Cause", "Fault", "Setting", "Truth", "fault_of"]

FAULTS: dict[str, Callable[[Setting], Fault]] = {
    "mysql-connection-pool": ConnectionPool,
    "connection-leak": ConnectionLeak,
    "row-lock": RowLock,
    "missing-index": MissingIndex,
    "cpu-hog": CpuHog,
    "cpu-per-request": BusyRequests,
    "memory-leak": MemoryLeak,
    "disk-full": DiskFull,
    "crash-loop": CrashLoop,
    "slow-dependency": SlowDependency,
    "slow-database-network": SlowDatabaseNetwork,
    "bad-deploy": BadDeploy,
    "traffic-surge": TrafficSurge,
    "max-connections": MaxConnections,
}
"""What makes each fault, by its name on the command line."""


def fault_of(name: str, setting: Setting | None = None, *, also: str = "") -> Fault:
    """Return a fault, with the usual names and strength unless a setting is given.

    Args:
        name: of the fault.
        setting: where it happens, and how strong it is.
        also: of a second fault at the same time; empty for none.
    """
    chosen = setting or Setting()
    fault = FAULTS[name](chosen)
    return Both(fault, FAULTS[also](chosen)) if also else fault
