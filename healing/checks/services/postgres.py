"""PostgreSQL as the replacement for the image `postgres`; its variables: hub.docker.com/_/postgres."""

import re
import shlex
import shutil
from pathlib import Path

from healing.checks.services.service import Installed, Server, ServiceKind, major

DEBIAN = Path("/usr/lib/postgresql")
# A check's database vanishes with its sandbox: nothing has to reach a disk, and memory is bounded.
SETTINGS = (
    "fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB", "max_wal_size=64MB",
    "dynamic_shared_memory_type=mmap",
)  # fmt: skip


def find(version: str) -> Installed | None:
    """The installed release of that major version, else the newest; None where none is installed."""
    releases = {folder.name: folder / "bin" for folder in DEBIAN.glob("[0-9]*") if (folder / "bin/postgres").is_file()}
    if not releases and (on_path := shutil.which("postgres")):
        folder = Path(on_path).resolve().parent
        number = re.search(r"postgres\D{0,5}([0-9]{1,2})", str(folder))
        releases = {number.group(1) if number else "": folder} if (folder / "initdb").is_file() else {}
    if not releases:
        return None
    best = major(version) if major(version) in releases else max(releases, key=lambda name: (len(name), name))
    return Installed("PostgreSQL", best, str(releases[best]))


def start(server: Server, installed: Installed) -> str:
    """Bash text that starts the server. It sorts like the Debian image (en_US) where this machine has that locale,
    otherwise, and for Alpine images, by code points."""
    env, quote = server.env, shlex.quote
    user = env.get("POSTGRES_USER") or "postgres"
    base = env.get("POSTGRES_DB") or user
    password = env.get("POSTGRES_PASSWORD", "")
    trusting = not password or env.get("POSTGRES_HOST_AUTH_METHOD") == "trust"
    folder = quote(installed.program)
    settings = " ".join(f"-c {setting}" for setting in SETTINGS)
    connection = f'-h "$data" -p {server.port} -U {quote(user)}'
    create_database = (
        ""
        if base == "postgres"
        else f"{folder}/createdb {connection} --maintenance-db=postgres {quote(base)} || failed\n"
    )
    english = "false" if "alpine" in server.image else r"locale -a 2>/dev/null | grep -qix 'en_US\.utf-\?8'"
    return (
        f"if {english}; then locale=en_US.UTF-8; else locale=C.UTF-8; fi\n"
        f'printf %s {quote(password or "none")} > "$data/password"\n'
        f'{folder}/initdb -D "$data/db" -U {quote(user)} --pwfile="$data/password" --auth-local=trust'
        f' --auth-host={"trust" if trusting else "scram-sha-256"} -E UTF8 --locale="$locale" --no-sync'
        f" {_initdb_args(env)} || failed\n"
        f'{folder}/postgres -D "$data/db" -k "$data" -p {server.port} -c listen_addresses={server.address}'
        f' {settings} > "$data/log" 2>&1 &\n'
        f"until_ready $! {folder}/pg_isready {connection} -d postgres || failed\n{create_database}"
    )


def _initdb_args(env: dict[str, str]) -> str:
    try:
        words = shlex.split(env.get("POSTGRES_INITDB_ARGS", ""))
    except ValueError:
        return ""
    return " ".join(map(shlex.quote, words))


POSTGRES = ServiceKind("postgres", {"postgres": "PostgreSQL"}, "postgresql", 5432, find, start)
