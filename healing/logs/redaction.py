"""Replaces secrets in text by `***` before it is stored, sent to a model or posted."""

import base64
import binascii
import re
from collections.abc import Iterator

from healing.logs.secrets.command_output import mask_printed
from healing.logs.secrets.mask import MASK
from healing.logs.secrets.names import mask_names
from healing.logs.secrets.places import mask_blocks, mask_places
from healing.logs.secrets.plain_text import plain_text, with_masked_lines
from healing.logs.secrets.ruleset import load_rules, mask_known
from healing.logs.secrets.shapes import mask_shapes
from healing.logs.secrets.unnamed import mask_unnamed

__all__ = ["MASK", "load_rules", "redact", "redact_bytes"]

_PIECE_CHARS = 4_096
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_BASE64_PROBE = 64  # characters that are decoded first, to see whether they hold text at all
_BASE64_DEPTH = 3  # how often a secret may be encoded


def redact(text: str) -> str:
    """`text` with `***` for each secret that is recognized by its form, its name, its place or its decoded content.

    Hashes, ids and code that only mentions a `token` or a `password` stay as they are. Takes linear time.
    """
    return "".join(map(_redact_piece, _pieces(mask_blocks(text))))


def redact_bytes(data: bytes) -> bytes:
    """`redact` for bytes in any encoding that keeps ASCII; bytes that are not UTF-8 are not changed."""
    return redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


# Each by itself, because one that changes a text shows that it holds a secret. The one that mostly finds it is first.
_MASKS = (mask_names, mask_shapes, mask_known, mask_blocks, mask_places, mask_printed, mask_unnamed)


def _redact_piece(text: str) -> str:
    plain = plain_text(text)
    if plain is not text:
        text = with_masked_lines(text, plain, _mask_encoded(_mask_lines(plain)))
    return _mask_encoded(_mask_lines(text))


def _mask_lines(text: str) -> str:
    return mask_unnamed(mask_printed(mask_names(mask_known(mask_places(mask_shapes(text))))))


def _mask_encoded(text: str, depth: int = _BASE64_DEPTH) -> str:
    """`text` without base64 whose content holds a secret, be it a key, a token or a whole configuration."""
    return _BASE64.sub(lambda encoded: MASK if _holds_secret(encoded[0], depth) else encoded[0], text)


def _holds_secret(encoded: str, depth: int) -> bool:
    if not _is_text(_decoded(encoded[:_BASE64_PROBE])):  # true of most matches: they are hashes, images and paths
        return False
    text = _decoded(encoded).decode("utf-8", "replace")
    return any(mask(text) != text for mask in _MASKS) or (depth > 1 and _mask_encoded(text, depth - 1) != text)


def _decoded(encoded: str) -> bytes:
    plain = encoded.rstrip("=").replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (binascii.Error, ValueError):
        return b""


def _is_text(data: bytes) -> bool:
    return bool(data) and data.isascii() and not data.translate(None, bytes(range(32, 127)) + b"\t\r\n")


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, some 4 kB at a time. Most pieces hold none of the literals that most patterns need, so these
    patterns are skipped."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + _PIECE_CHARS) + 1 or len(text)
        yield text[at:end]
        at = end
