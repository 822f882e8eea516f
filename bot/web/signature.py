"""Tells whether a webhook's bytes were signed with our secret: before anything is parsed, in constant time (IN-2)."""

import hashlib
import hmac
import re

_HEADER = re.compile(r"sha256=([0-9a-f]{64})")


def may_be_signed(header: str | None) -> bool:
    """Whether `header` (X-Hub-Signature-256) has the form of a signature: without one no body needs to be read."""
    return _HEADER.fullmatch(header or "") is not None


def is_signed(body: bytes, header: str | None, secret: str) -> bool:
    """`header` is X-Hub-Signature-256. An empty secret signs nothing."""
    match = _HEADER.fullmatch(header or "")
    if match is None or not secret:
        return False
    ours = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(ours.encode(), match[1].encode())
