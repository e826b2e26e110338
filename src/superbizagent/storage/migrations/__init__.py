"""Alembic environment; run by `superbizagent.storage.schema`."""

__all__: list[str] = []
