"""Column types that hold the same value on SQLite, MariaDB, MySQL and PostgreSQL.

Each one exists because a plain type lost something on one of them: microseconds and zones
(`DateTime`), text past 64 kB (`Text`), case and accents in ids (`String`), blobs past 64 kB
(`LargeBinary`), comparability (`JSON` on PostgreSQL).
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    Double,
    LargeBinary,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.types import TypeEngine

__all__ = ["Blob", "Document", "Identifier", "LongText", "Name", "Real", "UtcDateTime"]

_MYSQL = ("mysql", "mariadb")


class UtcDateTime(TypeDecorator[datetime]):
    """A UTC instant to the microsecond; comes back aware."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Pick the type of this database that keeps microseconds."""
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TIMESTAMP(timezone=True, precision=6))
        return dialect.type_descriptor(DateTime())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC.

        Raises:
            ValueError: for a time without a zone, which would be stored as if it were UTC.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        at = value.astimezone(UTC)
        return at if dialect.name == "postgresql" else at.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Attach UTC again."""
        del dialect  # each of them is told apart by its value
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def Identifier(length: int = 64) -> TypeEngine[str]:  # noqa: N802 - reads as a type in a table
    """Text that is compared byte by byte: MariaDB's default takes 'pay' and 'Páy' for one."""
    binary = mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin")
    return String(length).with_variant(binary, *_MYSQL)


def Name(length: int = 255) -> TypeEngine[str]:  # noqa: N802 - reads as a type in a table
    """Short text that people search for; compared byte by byte as well, so the three agree."""
    return Identifier(length)


def LongText() -> TypeEngine[str]:  # noqa: N802 - reads as a type in a table
    """Text of any length; MariaDB's TEXT ends at 64 kB."""
    return Text().with_variant(mysql.LONGTEXT(charset="utf8mb4"), *_MYSQL)


def Document() -> TypeEngine[Any]:  # noqa: N802 - reads as a type in a table
    """JSON; None is SQL NULL. JSONB on PostgreSQL, because its JSON has no equality."""
    return JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def Blob() -> TypeEngine[bytes]:  # noqa: N802 - reads as a type in a table
    """Bytes of any length; MariaDB's BLOB ends at 64 kB."""
    return LargeBinary().with_variant(mysql.LONGBLOB(), *_MYSQL)


def Real() -> TypeEngine[float]:  # noqa: N802 - reads as a type in a table
    """A double: `Float` is four bytes on MariaDB."""
    return Double()
