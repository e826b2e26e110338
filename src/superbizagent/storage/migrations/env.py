"""Runs the migrations on the connection that `superbizagent.storage.schema` hands in."""

from alembic import context

__all__: list[str] = []

# The caller has begun the transaction and commits it; Alembic must not.
context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
