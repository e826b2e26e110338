"""``python -m superbizagent`` is ``superbiz``."""

from superbizagent.cli import main

main()
