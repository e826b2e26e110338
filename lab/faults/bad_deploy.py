"""A new version of a service fails for some customers."""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["BadDeploy"]


class BadDeploy:
    """The fault `bad-deploy`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._service = setting.one_of(names.orders, names.payments)
        self._known = round(setting.between(5, 8, 7))
        self.truth = Truth(
            name="bad-deploy",
            fault_kinds=("deploy", "code_error"),
            entities=(Cause("service", self._service),),
            cause=f"{self._service} was deployed with {self._known} of 10 customer segments.",
            main_alerts=("HighErrorRate",),
        )

    async def inject(self, stack: Stack) -> None:
        """Roll the version out."""
        await stack.deploy_next(self._service, segments=self._known)

    async def clear(self, stack: Stack) -> None:
        """Roll out one that knows them all."""
        await stack.deploy_next(self._service)
