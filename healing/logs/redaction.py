"""Secrets in text become `***` before anything is stored, shown to a model or posted."""

from collections.abc import Iterator

from healing.logs.secrets.encoded import mask_encoded
from healing.logs.secrets.mask import MASK
from healing.logs.secrets.names import mask_names
from healing.logs.secrets.places import mask_blocks, mask_places
from healing.logs.secrets.ruleset import mask_known
from healing.logs.secrets.shapes import mask_shapes

__all__ = ["MASK", "redact", "redact_bytes"]

_PIECE_CHARS = 4_096


def redact(text: str) -> str:
    """`text` with every secret that its shape, its name, its place or its decoded content gives away as `***`.

    Hashes and ids, and code that only speaks of a `token` or a `password`, stay as they are. Linear in the text.
    """
    return "".join(mask_encoded(_of_lines(piece), _plain) for piece in _pieces(mask_blocks(text)))


def redact_bytes(data: bytes) -> bytes:
    """`redact` for bytes of any encoding that keeps ASCII; what is not UTF-8 stays byte for byte."""
    return redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _plain(text: str) -> str:
    return _of_lines(mask_blocks(text))


def _of_lines(text: str) -> str:
    return mask_names(mask_places(mask_known(mask_shapes(text))))


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, some 4 kB at a time: most pieces lack most of the words that the patterns wait for."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + _PIECE_CHARS) + 1 or len(text)
        yield text[at:end]
        at = end
