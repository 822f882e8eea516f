"""Encrypts secrets at rest with keys outside the database, so that a copy of the database reveals none."""

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
    """A text can't be decrypted: its key is not known, it is for another purpose, or it was changed."""


class Sealer:
    """Encrypts for one purpose with the first key, and decrypts what was encrypted with any of the keys."""

    def __init__(self, keys: Sequence[str], purpose: str) -> None:
        self._keys, self._purpose = keys, purpose
        self._fernet: MultiFernet | None = None

    def seal(self, text: str) -> str:
        """The encrypted text."""
        return self._loaded().encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """The decrypted text. Raises Unsealable."""
        from cryptography.fernet import InvalidToken

        try:
            return self._loaded().decrypt(sealed.encode()).decode()
        except (InvalidToken, UnicodeError) as error:
            raise Unsealable from error

    def renewed(self, sealed: str) -> str | None:
        """The text encrypted with the first key; None if it is already. Raises Unsealable."""
        if len(self._keys) < 2:
            return None
        try:
            Sealer(self._keys[:1], self._purpose).open(sealed)
        except Unsealable:
            return self.seal(self.open(sealed))
        return None

    def _loaded(self) -> "MultiFernet":
        from cryptography.fernet import Fernet, MultiFernet

        if self._fernet is None:
            self._fernet = MultiFernet([Fernet(_derived(key, self._purpose)) for key in self._keys])
        return self._fernet


def _derived(key: str, purpose: str) -> bytes:
    """The key for a purpose. Each purpose has its own, so that a text can't be used for another one."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    derived = HKDF(SHA256(), length=32, salt=None, info=f"heal/{purpose}".encode()).derive(key.encode())
    return base64.urlsafe_b64encode(derived)


def sealer(settings: Settings, purpose: str) -> Sealer:
    """A sealer with the operator's keys, else with those of the file in the data folder, which is created if it does
    not exist. Raises UserError for a key that is too short, and for a file that others can read."""
    secret = settings.secret_key.get_secret_value()
    given = [key.strip() for key in secret.replace("\n", ",").split(",") if key.strip()]
    keys = given or _keys_of_file(settings.data / FILE)
    short = [place for place, key in enumerate(keys, start=1) if len(key) < MIN_LENGTH]
    if short or not keys:
        raise UserError(
            f"A key to seal secrets with has at least {MIN_LENGTH} characters; number {(short or [1])[0]} has fewer. "
            f"Make one (openssl rand -hex 32), and put it into HEAL_SECRET_KEY"
        )
    return Sealer(keys, purpose)


def _keys_of_file(path: Path) -> list[str]:
    path.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32) + "\n")
    if path.stat().st_mode & 0o077:
        raise UserError(f"{path} holds Heal's own key and others can read it. Make it private: chmod 600 {path}")
    return path.read_text("utf-8").split()
