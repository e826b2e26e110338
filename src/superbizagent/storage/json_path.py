"""One JSON path as text, in the words of each database: what generated columns are made of."""

from typing import Any

from sqlalchemy import Column, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

__all__ = ["json_text"]


class _JsonText(GenericFunction[str]):
    """``column -> path`` as text; NULL when the path is absent."""

    name = "superbiz_json_text"
    inherit_cache = True
    type = String()

    def __init__(self, column: Column[Any], *path: str) -> None:
        super().__init__(column)
        self.column = column
        self.path = path


def json_text(column: Column[Any], *path: str) -> _JsonText:
    """Return an expression for the text at ``path``; each part is a plain object key.

    Raises:
        ValueError: when a part is not a plain key, since it goes into the statement as it is.
    """
    if not all(part.isidentifier() for part in path):
        raise ValueError(f"{path!r} is not a path of plain keys")
    return _JsonText(column, *path)


@compiles(_JsonText)
def _default(element: _JsonText, compiler: SQLCompiler, **kwargs: Any) -> str:
    """MariaDB and MySQL."""
    column = compiler.process(element.column, **kwargs)
    return f"json_value({column}, '$.{'.'.join(element.path)}')"


@compiles(_JsonText, "sqlite")
def _sqlite(element: _JsonText, compiler: SQLCompiler, **kwargs: Any) -> str:
    column = compiler.process(element.column, **kwargs)
    return f"json_extract({column}, '$.{'.'.join(element.path)}')"


@compiles(_JsonText, "postgresql")
def _postgresql(element: _JsonText, compiler: SQLCompiler, **kwargs: Any) -> str:
    column = compiler.process(element.column, **kwargs)
    return f"({column} #>> '{{{','.join(element.path)}}}')"
