"""Where sessions live: tables, migrations, the journal's rows, blobs, claims and their integrity.

Nothing is imported here, so that `superbiz --version` does not pay for the database library. Enter
through `superbizagent.storage.store.Storage`.
"""

__all__: list[str] = []
