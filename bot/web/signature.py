"""Tells whether a webhook's bytes were signed with our secret: before anything is parsed, in constant time."""

import hashlib
import hmac
import re

_HEADER = re.compile(r"sha256=([0-9a-f]{64})")


class Signature:
    """The signature of one body, which is hashed piece by piece as it arrives. `header` is X-Hub-Signature-256. An
    empty secret signs nothing."""

    def __init__(self, header: str, secret: str) -> None:
        match = _HEADER.fullmatch(header)
        self._claimed = match[1] if match and secret else ""
        self._hash = hmac.new(secret.encode(), digestmod=hashlib.sha256)

    @property
    def possible(self) -> bool:
        """Whether the header has the form of a signature: without one no body needs to be read."""
        return bool(self._claimed)

    def update(self, part: bytes) -> None:
        """Hashes the next piece of the body."""
        self._hash.update(part)

    def matches(self) -> bool:
        """Whether all that was hashed is what was signed."""
        return self.possible and hmac.compare_digest(self._hash.hexdigest(), self._claimed)
