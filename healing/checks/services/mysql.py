"""MariaDB as the replacement for the images `mariadb` and `mysql`; their variables: hub.docker.com/_/mariadb and
/_/mysql."""

import re
import shlex
import shutil
from collections.abc import Iterator

from healing.checks.services.programs import SYSTEM, printed_version
from healing.checks.services.service import Installed, Server, ServiceKind

OPTIONS = (
    "--innodb-log-file-size=8M --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=0 --skip-log-bin "
    "--character-set-server=utf8mb4 --performance-schema=OFF --innodb-use-native-aio=0"
)


def find(_version: str) -> Installed | None:
    """The MariaDB server of this machine's system folders; None where it or its installer is missing."""
    server = printed_version("mariadbd", r"Ver ([0-9.]{1,20})-MariaDB")
    return Installed("MariaDB", server.version, server.program) if server and _installer() else None


def start(server: Server, installed: Installed) -> str:
    """Bash text that starts the server. Users and the database are created by statements that it runs before it accepts
    connections."""
    installer = shlex.quote(_installer())
    statements = shlex.quote("".join(f"{line}\n" for line in _statements(server.env)))
    return (
        f'{installer} --no-defaults --auth-root-authentication-method=normal --skip-test-db --datadir="$data/db"'
        " || failed\n"
        f'printf %s {statements} > "$data/first.sql"\n'
        f'{shlex.quote(installed.program)} --no-defaults --datadir="$data/db" --socket="$data/socket"'
        f" --port={server.port} --bind-address={server.address}"
        f' --init-file="$data/first.sql" {OPTIONS} > "$data/log" 2>&1 &\n'
        'until_ready $! grep -q "ready for connections" "$data/log" || failed\n'
    )


def _installer() -> str:
    return shutil.which("mariadb-install-db", path=SYSTEM) or ""


def _statements(env: dict[str, str]) -> Iterator[str]:
    def printed(name: str) -> str:
        return env.get(f"MARIADB_{name}") or env.get(f"MYSQL_{name}") or ""

    root, base, user = _text(printed("ROOT_PASSWORD")), printed("DATABASE"), printed("USER")
    yield f"CREATE USER 'root'@'%' IDENTIFIED BY {root};"
    yield "GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;"
    if base:
        yield f"CREATE DATABASE IF NOT EXISTS {_name(base)};"
    if user and user != "root":
        yield f"CREATE USER {_text(user)}@'%' IDENTIFIED BY {_text(printed('PASSWORD'))};"
        if base:
            yield f"GRANT ALL ON {_name(_pattern(base))}.* TO {_text(user)}@'%';"
    yield f"ALTER USER 'root'@'localhost' IDENTIFIED BY {root};"


def _text(value: str) -> str:
    """A string literal. The server reads each line as a statement, so the literal must not contain a line break."""
    plain = value.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{plain}'"


def _pattern(name: str) -> str:
    """A database's name for GRANT, which interprets names as patterns."""
    return re.sub(r"([\\_%])", r"\\\1", name)


def _name(value: str) -> str:
    return "`" + value.replace("`", "``").replace("\n", " ").replace("\r", " ") + "`"


MYSQL = ServiceKind("mysql", {"mariadb": "MariaDB", "mysql": "MySQL"}, "mariadb-server", 3306, find, start)
