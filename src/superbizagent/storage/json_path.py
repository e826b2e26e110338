"""Paths of JSON columns in the words of each database: what generated columns are made of."""

from typing import Any

from sqlalchemy import Column, Integer, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

__all__ = ["json_length", "json_text"]


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


class _JsonLength(GenericFunction[int]):
    """How many items the list under a key has; NULL when there is none."""

    name = "superbiz_json_length"
    inherit_cache = True
    type = Integer()

    def __init__(self, column: Column[Any], key: str) -> None:
        super().__init__(column)
        self.column = column
        self.key = key


def json_length(column: Column[Any], key: str) -> _JsonLength:
    """Return an expression for the length of the list under a plain key.

    Raises:
        ValueError: when it is not a plain key, since it goes into the statement as it is.
    """
    if not key.isidentifier():
        raise ValueError(f"{key!r} is not a plain key")
    return _JsonLength(column, key)


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


@compiles(_JsonLength)
def _default_length(element: _JsonLength, compiler: SQLCompiler, **kwargs: Any) -> str:
    """MariaDB and MySQL."""
    return f"json_length({compiler.process(element.column, **kwargs)}, '$.{element.key}')"


@compiles(_JsonLength, "sqlite")
def _sqlite_length(element: _JsonLength, compiler: SQLCompiler, **kwargs: Any) -> str:
    column = compiler.process(element.column, **kwargs)
    return f"json_array_length({column}, '$.{element.key}')"


@compiles(_JsonLength, "postgresql")
def _postgresql_length(element: _JsonLength, compiler: SQLCompiler, **kwargs: Any) -> str:
    column = compiler.process(element.column, **kwargs)
    return f"jsonb_array_length(({column} -> '{element.key}')::jsonb)"
