"""Reads a person's own settings for the command line from `~/.config/heal/config.toml`. Their names are those of the
environment variables."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from handlers.errors import UserError

NAME = "heal/config.toml"
MAX_BYTES = 65_536


def personal_file(environ: Mapping[str, str]) -> Path | None:
    """The path of the file, whether it exists or not; None without a home folder."""
    home = environ.get("HOME")
    folder = environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    return Path(folder, NAME) if os.path.isabs(folder) else None


def personal_settings(environ: Mapping[str, str], user: int | None = None) -> dict[str, str]:
    """The settings in the file that the environment doesn't set. Raises UserError for a file that can't be read, that
    others can change, or that contains a key and others can read. `user`: the id of its required owner; None: the user
    of this process."""
    file = personal_file(environ)
    if file is None or not file.is_file():
        return {}
    try:
        status, data = file.stat(), file.read_bytes()[: MAX_BYTES + 1]
    except OSError as error:
        raise UserError(f"{file} can't be read: {error.strerror}") from error
    values = _read(file, data)
    if status.st_uid != (os.getuid() if user is None else user):
        raise UserError(f"{file} belongs to somebody else, who may change it: make it yours with `chown`")
    others = 0o077 if any(_is_secret(name) for name in values) else 0o022
    if stat.S_IMODE(status.st_mode) & others:
        why = "holds a key and may be read by others" if others == 0o077 else "may be changed by others"
        raise UserError(f"{file} {why}: close it with `chmod 600 {file}`")
    return {name: value for name, value in values.items() if not environ.get(name)}


def _read(file: Path, data: bytes) -> dict[str, str]:
    import tomllib

    if len(data) > MAX_BYTES:
        raise UserError(f"{file} is longer than {MAX_BYTES} bytes")
    try:
        tree = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f'{file} is not readable as TOML: {error}. A line is `HEAL_MODEL = "…"`') from error
    return {name: _text(file, name, value) for name, value in tree.items()}


def _text(file: Path, name: str, value: object) -> str:
    from bot.environment import OF_PROVIDERS, SETTINGS, known_settings, unknown_setting, unknown_settings

    if name not in known_settings() and name not in {**SETTINGS, **OF_PROVIDERS}:
        near = unknown_settings({name: ""}).get(name, "")
        raise UserError(f"{file}: {unknown_setting(name, near)}")
    if isinstance(value, bool):
        return "1" if value else "0"
    if not isinstance(value, str | int | float):
        raise UserError(f'{file}: {name} must be a text, a number or true and false, as in `{name} = "…"`')
    return str(value)


def _is_secret(name: str) -> bool:
    from pydantic import SecretStr

    from bot.settings import Settings

    secret = {str(field.alias) for field in Settings.model_fields.values() if field.annotation is SecretStr}
    return name in secret or name.endswith("_KEY")
