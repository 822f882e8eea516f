"""Connections to other repositories. The caller who has the credentials opens one and passes it in.

The token is kept in memory only: never in a URL, on disk, in a config or in an error message.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from dulwich.client import HttpGitClient, HTTPProxyUnauthorized, HTTPUnauthorized, LocalGitClient
from dulwich.config import ConfigFile
from dulwich.errors import ChecksumMismatch, GitProtocolError, NotGitRepository, ObjectFormatException
from urllib3.exceptions import HTTPError

from healing.git.errors import GitError, Unreachable

TIMEOUT = 60.0  # seconds without a byte
FAILURES = (
    GitProtocolError, NotGitRepository, ObjectFormatException, ChecksumMismatch, HTTPError, OSError, ValueError,
    KeyError, AssertionError, HTTPUnauthorized, HTTPProxyUnauthorized,
)  # fmt: skip
R = TypeVar("R")
Auth = Callable[[], tuple[str, str]]


@dataclass(frozen=True, repr=False)
class Transport:
    """An opened client and the path of the repository on its server. `where` is safe to show to anyone."""

    client: HttpGitClient | LocalGitClient
    path: str
    where: str
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Transport({self.where!r})"

    def talk(self, doing: str, work: Callable[[], R]) -> R:
        """Runs `work`; raises GitError naming `where` if it fails, Unreachable if the connection does.

        The message has no secrets, and the original exception isn't chained: its frames and texts may hold them.
        """
        try:
            return work()
        except FAILURES as error:
            message = self.scrub(f"{type(error).__name__}: {error}")[:500]
            kind = Unreachable if isinstance(error, (HTTPError, ConnectionError, TimeoutError)) else GitError
        raise kind(f"could not {doing} {self.where} ({message}); check that it is there and that Heal may see it")

    def scrub(self, text: str) -> str:
        """The text with the credentials masked, plain or in base64."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def open_http(url: str, auth: Auth | None = None) -> Transport:
    """Opens a repository over HTTP(S). `auth` returns user and password (`x-access-token` and the token); it is called
    once, immediately.

    Raises GitError for a URL that has credentials in it or isn't HTTP.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise GitError("a repository's address must start with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise GitError(f"the address of {parts.hostname} has credentials in it; hand them in as `auth`")
    base = f"{parts.scheme}://{parts.netloc}"
    user, password = auth() if auth else (None, None)
    client = HttpGitClient(
        base, config=ConfigFile(), username=user, password=password, timeout=TIMEOUT, quiet=True, include_tags=False
    )
    return Transport(client, parts.path, base + parts.path, _secrets(user, password))


def _secrets(user: str | None, password: str | None) -> tuple[str, ...]:
    if not password:
        return ()
    basic = base64.b64encode(f"{user}:{password}".encode()).decode()
    return (password, basic)


def open_local(path: Path) -> Transport:
    """Opens a repository on this disk."""
    return Transport(LocalGitClient(config=ConfigFile(), quiet=True), str(path), str(path))
