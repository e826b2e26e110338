"""One module per change of the schema, oldest first."""

__all__: list[str] = []
