"""Secrets in text become `***` before anything is stored, shown to a model or posted."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from healing.logs.secrets.as_read import as_read, merged
from healing.logs.secrets.mask import MASK
from healing.logs.secrets.names import mask_names
from healing.logs.secrets.places import mask_blocks, mask_places
from healing.logs.secrets.printed import mask_printed
from healing.logs.secrets.ruleset import load_rules, mask_known
from healing.logs.secrets.shapes import mask_shapes
from healing.logs.secrets.unnamed import mask_unnamed

__all__ = ["MASK", "load_rules", "redact", "redact_bytes"]

_PIECE_CHARS = 4_096


# Secrets inside base64: a key, a token or a whole configuration that someone encoded before it was printed.
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


def redact(text: str) -> str:
    """`text` with every secret that its shape, its name, its place or its decoded content gives away as `***`.

    Hashes and ids, and code that only speaks of a `token` or a `password`, stay as they are. Linear in the text.
    """
    return "".join(map(_piece, _pieces(mask_blocks(text))))


def redact_bytes(data: bytes) -> bytes:
    """`redact` for bytes of any encoding that keeps ASCII; what is not UTF-8 stays byte for byte."""
    return redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _piece(text: str) -> str:
    read = as_read(text)
    if read is not text:
        text = merged(text, read, _masked(read))
    return _masked(text)


def _masked(text: str) -> str:
    return mask_encoded(_of_lines(text), _plain)


def _plain(text: str) -> str:
    return _of_lines(mask_blocks(text))


def _of_lines(text: str) -> str:
    return mask_unnamed(mask_printed(mask_names(mask_known(mask_places(mask_shapes(text))))))


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, some 4 kB at a time: most pieces lack most of the words that the patterns wait for."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + _PIECE_CHARS) + 1 or len(text)
        yield text[at:end]
        at = end
