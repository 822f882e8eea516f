"""Secrets at rest: sealed by keys that lie outside the database, so that a copy of it tells nobody anything."""

import base64
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.settings import Settings
from handlers.errors import UserError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

MIN_LENGTH = 32  # characters of a key
FILE = "secret.key"


class Unsealable(Exception):
    """It was sealed with a key that is not at hand, for another purpose, or was changed."""


class Sealer:
    """Seals for one purpose, with the first key; opens what any of the keys sealed."""

    def __init__(self, keys: Sequence[str], purpose: str) -> None:
        self._keys, self._purpose = keys, purpose
        self._made: MultiFernet | None = None

    def seal(self, text: str) -> str:
        return self._fernet().encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Raises Unsealable."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet().decrypt(sealed.encode()).decode()
        except (InvalidToken, UnicodeError) as error:
            raise Unsealable from error

    def renewed(self, sealed: str) -> str | None:
        """The same under the first key; None where it is already. Raises Unsealable."""
        if len(self._keys) < 2:
            return None
        try:
            Sealer(self._keys[:1], self._purpose).open(sealed)
        except Unsealable:
            return self.seal(self.open(sealed))
        return None

    def _fernet(self) -> "MultiFernet":
        from cryptography.fernet import Fernet, MultiFernet

        if self._made is None:
            self._made = MultiFernet([Fernet(_derived(key, self._purpose)) for key in self._keys])
        return self._made


def _derived(key: str, purpose: str) -> bytes:
    """A key of its own for each purpose: what was sealed for one can't be passed off as another."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    made = HKDF(SHA256(), length=32, salt=None, info=f"heal/{purpose}".encode()).derive(key.encode())
    return base64.urlsafe_b64encode(made)


def sealer(settings: Settings, purpose: str) -> Sealer:
    """With the operator's keys, else with those of the file in the data folder, which is made here. Raises UserError
    for a key that is too short to be one, and for a file that others can read."""
    secret = settings.secret_key.get_secret_value()
    keys = [key.strip() for key in secret.replace("\n", ",").split(",") if key.strip()] or _of_file(
        settings.data / FILE
    )
    short = [place for place, key in enumerate(keys, start=1) if len(key) < MIN_LENGTH]
    if short or not keys:
        raise UserError(
            f"A key to seal secrets with has at least {MIN_LENGTH} characters; number {(short or [1])[0]} has fewer. "
            f"Make one (openssl rand -hex 32), and put it into HEAL_SECRET_KEY"
        )
    return Sealer(keys, purpose)


def _of_file(path: Path) -> list[str]:
    path.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "w") as made:
            made.write(secrets.token_hex(32) + "\n")
    if path.stat().st_mode & 0o077:
        raise UserError(f"{path} holds Heal's own key and others can read it. Make it private: chmod 600 {path}")
    return path.read_text("utf-8").split()
