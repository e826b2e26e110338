"""The faults of the lab, one module each."""

from lab.faults.connection_pool import ConnectionPool
from lab.faults.fault import Fault, Truth

__all__ = ["FAULTS", "Fault", "Truth"]

FAULTS: dict[str, Fault] = {fault.truth.name: fault for fault in (ConnectionPool(),)}
"""Every fault by its name on the command line."""
