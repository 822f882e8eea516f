"""The operator's settings: environment variables, read once, strict and frozen; secrets never appear in a repr."""

import os
import shlex
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from bot.secrets import read_lines, read_private_key
from handlers.errors import UserError
from healing.sandbox.indexes import index_logins, own_indexes


def default_data() -> Path:
    """Returns the default data folder: for root `/var/lib/heal`, which the sandbox's user can reach (unlike /root),
    else below the user's own data folder. It is never inside a clone, which would get untracked files."""
    if os.geteuid() == 0:
        return Path("/var/lib/heal")
    named = os.environ.get("XDG_DATA_HOME", "")  # by the XDG specification a relative path is ignored
    return (Path(named) if named.startswith("/") else Path.home() / ".local" / "share") / "heal"


class Settings(BaseModel):
    """Every setting, under the one name that it has in the environment (its alias). Times are seconds, money is US
    dollars. Nothing is read from the environment here: `read_settings` does that, by the aliases alone, because other
    programs of a machine use names such as HOST, MODEL or SANDBOX for their own purposes."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, validate_default=True)

    data: Annotated[Path, Field(alias="HEAL_DATA")] = Field(default_factory=default_data)
    database_url: Annotated[str, Field(alias="DATABASE_URL")] = ""
    app_id: Annotated[str, Field(alias="HEAL_APP_ID")] = ""
    private_key: Annotated[SecretStr, Field(alias="HEAL_PRIVATE_KEY")] = SecretStr("")
    webhook_secret: Annotated[SecretStr, Field(alias="HEAL_WEBHOOK_SECRET")] = SecretStr("")
    client_id: Annotated[str, Field(alias="HEAL_CLIENT_ID")] = ""  # of the App, to sign people in
    client_secret: Annotated[SecretStr, Field(alias="HEAL_CLIENT_SECRET")] = SecretStr("")
    secret_key: Annotated[SecretStr, Field(alias="HEAL_SECRET_KEY")] = SecretStr("")  # several: the newest first
    public_url: Annotated[str, Field(alias="HEAL_PUBLIC_URL")] = ""  # where people and GitHub reach Heal
    github_url: Annotated[str, Field(alias="HEAL_GITHUB_URL")] = "https://api.github.com"
    write_gap: Annotated[float, Field(alias="HEAL_WRITE_GAP", ge=0, le=60)] = 1.0  # between two writes, as GitHub asks
    host: Annotated[str, Field(alias="HEAL_HOST")] = "127.0.0.1"
    port: Annotated[int, Field(alias="HEAL_PORT", ge=0, le=65535)] = 8000
    quiet_seconds: Annotated[float, Field(alias="HEAL_QUIET_SECONDS", ge=0, le=3600)] = 20.0
    runs_at_once: Annotated[int, Field(alias="HEAL_RUNS_AT_ONCE", ge=1, le=64)] = 2  # of one worker
    runs_of_a_repo: Annotated[int, Field(alias="HEAL_RUNS_OF_A_REPO", ge=1)] = 4  # on all workers
    runs_in_all: Annotated[int, Field(alias="HEAL_RUNS_IN_ALL", ge=0)] = 0  # on all workers; 0: as many as they take
    take_over_seconds: Annotated[float, Field(alias="HEAL_TAKE_OVER_SECONDS", ge=1, le=3600)] = 60.0
    sandbox: Annotated[Literal["auto", "bubblewrap", "landlock", "unsafe"], Field(alias="HEAL_SANDBOX")] = "auto"
    programs: Annotated[str, Field(alias="HEAL_PROGRAMS")] = ""  # folders, with colons between, as in PATH
    own_indexes: Annotated[str, Field(alias="HEAL_OWN_INDEXES")] = ""
    index_logins: Annotated[SecretStr, Field(alias="HEAL_INDEX_LOGINS")] = SecretStr("")
    anthropic_api_key: Annotated[SecretStr, Field(alias="ANTHROPIC_API_KEY")] = SecretStr("")
    anthropic_base_url: Annotated[str, Field(alias="ANTHROPIC_BASE_URL")] = ""
    model: Annotated[str, Field(alias="HEAL_MODEL")] = "claude-sonnet-5-5"
    first_model: Annotated[str, Field(alias="HEAL_FIRST_MODEL")] = ""
    stronger_model: Annotated[str, Field(alias="HEAL_STRONGER_MODEL")] = ""
    second_model: Annotated[str, Field(alias="HEAL_SECOND_MODEL")] = ""  # works on hard errors beside the main one
    fallback_models: Annotated[str, Field(alias="HEAL_FALLBACK_MODELS")] = ""  # names with commas between, in order
    simple_call_seconds: Annotated[float, Field(alias="HEAL_SIMPLE_CALL_SECONDS", gt=0, le=3600)] = 25.0
    prices: Annotated[str, Field(alias="HEAL_PRICES")] = ""  # the operator's own table of prices
    queue_token: Annotated[SecretStr, Field(alias="HEAL_QUEUE_TOKEN")] = SecretStr("")  # for `heal queue serve` alone
    metrics_token: Annotated[SecretStr, Field(alias="HEAL_METRICS_TOKEN")] = SecretStr("")
    chat_url: Annotated[SecretStr, Field(alias="HEAL_CHAT_URL")] = SecretStr("")  # whoever has it may write there
    chat_secret: Annotated[SecretStr, Field(alias="HEAL_CHAT_SECRET")] = SecretStr("")
    keep_days: Annotated[float, Field(alias="HEAL_KEEP_DAYS", ge=3)] = 30.0  # deliveries; GitHub resends for three days
    budget_dollars: Annotated[float, Field(alias="HEAL_BUDGET_DOLLARS", ge=0)] = 10.0  # a run, all attempts together
    pull_dollars: Annotated[float, Field(alias="HEAL_PULL_DOLLARS", ge=0)] = 20.0  # a pull request
    month_dollars: Annotated[float, Field(alias="HEAL_MONTH_DOLLARS", ge=0)] = 200.0  # a repository and month
    start: Annotated[Literal["observe", "on"], Field(alias="HEAL_START")] = "observe"  # of a repository new to Heal
    docs_mcp_url: Annotated[str, Field(alias="HEAL_DOCS_MCP_URL")] = ""
    docs_mcp_command: Annotated[str, Field(alias="HEAL_DOCS_MCP_COMMAND")] = ""
    docs_mcp_token: Annotated[SecretStr, Field(alias="HEAL_DOCS_MCP_TOKEN")] = SecretStr("")
    docs_mcp_tool: Annotated[str, Field(alias="HEAL_DOCS_MCP_TOOL")] = ""

    @field_validator("data")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("own_indexes")
    @classmethod
    def _readable_indexes(cls, value: str) -> str:
        own_indexes(value)
        return value

    @field_validator("index_logins")
    @classmethod
    def _readable_logins(cls, value: SecretStr) -> SecretStr:
        text = read_lines(value.get_secret_value())
        index_logins(text)
        return SecretStr(text)

    @field_validator("private_key")
    @classmethod
    def _readable_key(cls, value: SecretStr) -> SecretStr:
        return SecretStr(read_private_key(value.get_secret_value())) if value.get_secret_value() else value

    @field_validator("prices")
    @classmethod
    def _table_of_prices(cls, value: str) -> str:
        if value:
            from healing.llm.prices import WrongPrices, own_table

            try:
                own_table(value)
            except WrongPrices as error:
                raise ValueError(str(error)) from error
        return value

    @field_validator("github_url", "public_url", "anthropic_base_url", "docs_mcp_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("must start with https:// (or http:// on this machine)")
        return value.rstrip("/")

    @field_validator("chat_url")
    @classmethod
    def _secret_address(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if text and (not text.isascii() or not text.isprintable() or " " in text or not _has_host(text)):
            raise ValueError("must be an address that starts with https:// (or http:// on a network of your own)")
        return value

    @field_validator("docs_mcp_command")
    @classmethod
    def _words(cls, value: str) -> str:
        shlex.split(value)  # raises ValueError for an unclosed quote
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if value and not value.startswith(("sqlite", "postgresql", "postgres:")):
            raise ValueError("must be a sqlite:/// or postgresql:// address")
        return value

    @property
    def program_folders(self) -> tuple[Path, ...]:
        """Folders of programs that checks may use in addition to the system's."""
        return tuple(Path(folder) for folder in self.programs.split(":") if folder)

    @property
    def store_url(self) -> str:
        """URL of Heal's database, for SQLAlchemy's async engines."""
        url = self.database_url or f"sqlite:///{self.data / 'heal.db'}"
        scheme, rest = url.split("://", 1)
        driver = "sqlite+aiosqlite" if scheme.startswith("sqlite") else "postgresql+psycopg"
        return f"{driver}://{rest}"

    @property
    def store_name(self) -> str:
        """Display name of Heal's database: its file, or its URL without user and password."""
        rest = self.store_url.split("://", 1)[1]
        return rest.removeprefix("/") if self.store_url.startswith("sqlite") else rest.rsplit("@", 1)[-1]

    @property
    def store_file(self) -> Path:
        """The file of Heal's database, if that is SQLite."""
        return Path(self.store_url.split(":///", 1)[1])

    @property
    def worker(self) -> str:
        """This worker's name, which stays the same after a restart. With SQLite there is only one worker."""
        if self.store_url.startswith("sqlite"):
            return "heal"
        return (os.environ.get("DYNO") or f"{socket.gethostname()}:{self.data}")[-200:]

    @property
    def site_url(self) -> str:
        """Heal's public URL, without a trailing slash. If it isn't set, the URL on this machine, with 127.0.0.1 instead
        of a wildcard address such as 0.0.0.0."""
        name = "127.0.0.1" if self.host in EVERY_ADDRESS else self.host
        host = f"[{name}]" if ":" in name else name
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def git_url(self) -> str:
        """Base URL for cloning repositories: `{git_url}/{owner}/{name}.git`."""
        host = urlsplit(self.github_url).hostname or ""
        if host == "api.github.com" or (host.startswith("api.") and host.endswith(".ghe.com")):
            return f"https://{host.removeprefix('api.')}"
        return self.github_url.removesuffix("/api/v3")


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


NO_APP_YET = " No GitHub App yet? `heal serve` prints the address of a page that makes one."
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 -- compared with, not bound
_APP = {
    "HEAL_APP_ID": "the number on the App's settings page",
    "HEAL_PRIVATE_KEY": "the App's private key: PEM text or the path of its file",
    "HEAL_WEBHOOK_SECRET": "the webhook secret of the App",
}


def read_settings(need_app: bool = False, environ: Mapping[str, str] = os.environ) -> Settings:
    """Reads the settings from the environment; an empty variable counts as not set. Raises UserError, which lists all
    invalid settings, and with `need_app` all missing ones of the App."""
    problems: list[str] = []
    settings: Settings | None = None
    names = [str(field.alias) for field in Settings.model_fields.values()]
    try:
        settings = Settings.model_validate({name: environ[name] for name in names if environ.get(name)})
    except ValidationError as error:
        problems = [f"{_name(e['loc'])} {e['msg'].removeprefix('Value error, ')}" for e in error.errors()]
    if need_app:
        problems += _missing(problems, environ)
    if problems or settings is None:
        listed = "\n".join(f"  - {problem}" for problem in problems)
        raise UserError(
            f"Heal can't start with these settings:\n{listed}\nSet them in the environment and start again."
            + (NO_APP_YET if need_app and not any(environ.get(key) for key in _APP) else "")
        )
    return settings


def _name(loc: tuple[int | str, ...]) -> str:
    name = str(loc[0]) if loc else "settings"
    field = Settings.model_fields.get(name)
    return field.alias if field is not None and field.alias else name


def _missing(bad: list[str], environ: Mapping[str, str]) -> list[str]:
    named = {problem.split(" ", 1)[0] for problem in bad}
    return [f"{key} is missing ({what})" for key, what in _APP.items() if not environ.get(key) and key not in named]
