"""The lab's private MariaDB: a data folder, a server on it, users, tables and rows."""

import asyncio
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.names import Names
from lab.processes import Process, ProcessError, spawn, wait_until

__all__ = ["EXPORTER_PASSWORD", "EXPORTER_USER", "Database", "start_database"]

EXPORTER_USER = "exporter"
EXPORTER_PASSWORD = "exporter"  # noqa: S105 - a throw-away server on loopback
_MAX_CONNECTIONS = 40
_ORDER_ROWS = 300_000
_READY_SECONDS = 60.0

# Values are constants of the lab; nothing comes from outside.
_SCHEMA = f"""
CREATE DATABASE __SCHEMA__;
CREATE USER __SCHEMA__@'127.0.0.1' IDENTIFIED BY '__SCHEMA__';
GRANT ALL ON __SCHEMA__.* TO __SCHEMA__@'127.0.0.1';
CREATE USER __BATCH__@'127.0.0.1' IDENTIFIED BY '__BATCH__';
GRANT SELECT, UPDATE ON __SCHEMA__.* TO __BATCH__@'127.0.0.1';
CREATE USER {EXPORTER_USER}@'127.0.0.1' IDENTIFIED BY '{EXPORTER_PASSWORD}'
  WITH MAX_USER_CONNECTIONS 3;
GRANT PROCESS, REPLICATION CLIENT, SLAVE MONITOR, SELECT, CONNECTION ADMIN ON *.*
  TO {EXPORTER_USER}@'127.0.0.1';
USE __SCHEMA__;
CREATE TABLE products (
  sku VARCHAR(16) PRIMARY KEY, price DECIMAL(10,2) NOT NULL, stock INT NOT NULL);
CREATE TABLE orders (
  id BIGINT AUTO_INCREMENT PRIMARY KEY, customer_id INT NOT NULL, sku VARCHAR(16) NOT NULL,
  quantity INT NOT NULL, total DECIMAL(10,2) NOT NULL, created_at DATETIME(3) NOT NULL,
  KEY orders_customer (customer_id));
INSERT INTO products
  SELECT CONCAT('SKU-', LPAD(seq, 4, '0')), 5 + seq % 90 + 0.99, 100 + seq * 37 % 500
  FROM seq_1_to_300;
INSERT INTO orders (customer_id, sku, quantity, total, created_at)
  SELECT 1 + seq * 7919 % 20000, CONCAT('SKU-', LPAD(1 + seq * 31 % 300, 4, '0')), 1 + seq % 3,
    10 + seq % 200, NOW(3) - INTERVAL seq * 29 SECOND FROM seq_1_to_{_ORDER_ROWS};
ANALYZE TABLE products, orders;
"""  # noqa: S608 - see above


@dataclass(frozen=True, kw_only=True)
class Database:
    """A running server with its tables filled."""

    process: Process
    port: int
    schema: str
    batch_user: str
    socket: Path

    async def run(self, statements: str) -> None:
        """Run statements as root.

        Raises:
            ProcessError: when the server refuses one.
        """
        problem = await asyncio.to_thread(_sql, self.socket, f"USE {self.schema};\n{statements}")
        if problem is not None:
            raise ProcessError(f"the database refused a statement: {problem}")

    @property
    def batch_url(self) -> str:
        """SQLAlchemy URL of the account of a job beside the services."""
        user = self.batch_user
        return f"mysql+asyncmy://{user}:{user}@127.0.0.1:{self.port}/{self.schema}"


async def start_database(folder: Path, names: Names, *, port: int, nice: int = 0) -> Database:
    """Create a data folder below `folder`, start a server on it and fill it."""
    socket = folder / "mysql.sock"
    await asyncio.to_thread(_install, folder / "mysql", folder / "output" / "mysql-install.txt")
    process = spawn(
        "mariadbd",
        _command(folder, names, port=port),
        output=folder / "output" / "mariadbd.txt",
        nice=nice,
    )

    async def accepts() -> bool:
        return await asyncio.to_thread(_sql, socket, "SELECT 1") is None

    await wait_until("mariadbd ready", accepts, deadline_seconds=_READY_SECONDS, process=process)
    schema = _SCHEMA.replace("__SCHEMA__", names.schema).replace("__BATCH__", names.batch_user)
    problem = await asyncio.to_thread(_sql, socket, schema)
    if problem is not None:
        raise ProcessError(f"the database could not be filled: {problem}")
    return Database(
        process=process,
        port=port,
        schema=names.schema,
        batch_user=names.batch_user,
        socket=socket,
    )


def _command(folder: Path, names: Names, *, port: int) -> list[str]:
    logs = folder / "logs"
    options = {
        "datadir": folder / "mysql", "socket": folder / "mysql.sock",
        "pid-file": folder / "mysql.pid", "port": port,
        "bind-address": "127.0.0.1", "max-connections": _MAX_CONNECTIONS,
        "slow-query-log": 1, "slow-query-log-file": logs / f"{names.database}-slow.log",
        "long-query-time": 0.1, "log-slow-verbosity": "query_plan,explain",
        "log-error": logs / f"{names.database}.log", "log-warnings": 4,
        "innodb-buffer-pool-size": "64M", "innodb-log-file-size": "4M",
        "innodb-flush-log-at-trx-commit": 2, "innodb-lock-wait-timeout": 4,
        "innodb-print-all-deadlocks": 1, "performance-schema": "ON",
    }  # fmt: skip
    command = ["mariadbd", "--no-defaults", "--user=root", "--skip-log-bin", "--skip-name-resolve"]
    return [*command, *(f"--{name}={value}" for name, value in options.items())]


def _install(data: Path, output: Path) -> None:
    with output.open("wb") as stream:
        subprocess.run(
            [
                "mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root",
                "--auth-root-authentication-method=normal", "--skip-test-db",
                "--innodb-log-file-size=4M",
            ],
            stdout=stream, stderr=subprocess.STDOUT, check=True,
        )  # fmt: skip


def _sql(socket: Path, statements: str) -> str | None:
    """Run statements as root; return the client's complaint, or None when all went well."""
    result = subprocess.run(
        ["mariadb", "--no-defaults", f"--socket={socket}", "--user=root"],
        input=statements, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return None if result.returncode == 0 else result.stderr.strip()
