"""Secrets inside base64: a key, a token or a whole configuration that someone encoded before it was printed."""

import base64
import binascii
import re
from collections.abc import Callable

from healing.logs.secrets.mask import MASK

_RUN = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_PROBE = 64
_DEPTH = 3


def mask_encoded(text: str, redact: Callable[[str], str], depth: int = _DEPTH) -> str:
    """`text` without runs of base64 that hold a secret by the judgement of `redact`, itself encoded again or not."""
    return _RUN.sub(lambda run: MASK if _holds_secret(run[0], redact, depth) else run[0], text)


def _holds_secret(run: str, redact: Callable[[str], str], depth: int) -> bool:
    if not _is_text(_decoded(run[:_PROBE])):  # most runs are hashes, pictures and paths: they end here
        return False
    text = _decoded(run).decode("utf-8", "replace")
    if redact(text) != text:
        return True
    return depth > 1 and mask_encoded(text, redact, depth - 1) != text


def _decoded(run: str) -> bytes:
    plain = run.rstrip("=").replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (binascii.Error, ValueError):
        return b""


def _is_text(data: bytes) -> bool:
    return bool(data) and data.isascii() and not data.translate(None, bytes(range(32, 127)) + b"\t\r\n")
