"""Files as text: their language by name, and their words without what hides them."""

import re
import unicodedata
from pathlib import PurePosixPath

from healing.patterns import LazyPattern

PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST = "python", "javascript", "typescript", "tsx", "go", "rust"
LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), PYTHON),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), JAVASCRIPT),
    **dict.fromkeys((".ts", ".mts", ".cts"), TYPESCRIPT),
    ".tsx": TSX,
    ".go": GO,
    ".rs": RUST,
}
BIG = 100_000  # bytes; longer files are read by words: a hostile one would cost a parser too much
PROSE = {".md", ".rst", ".txt", ".adoc", ".mdx"}
# Invisible characters: zero width, bidirectional controls, fillers, tags, variation selectors.
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\U000e0000-\U000e0fff]"
)


def any_of(*alternatives: str, flags: int = 0) -> LazyPattern:
    """One pattern from several alternatives, for lists that grow."""
    return LazyPattern("|".join(f"(?:{alternative})" for alternative in alternatives), flags)


def language_of(path: str) -> str | None:
    """The language whose parser reads this file; None if there is none."""
    return LANGUAGES.get(PurePosixPath(path).suffix.lower())


def is_prose(path: str) -> bool:
    """Whether a file is written for people: `noqa` in its text silences nothing."""
    return PurePosixPath(path).suffix.lower() in PROSE


def plain(data: bytes) -> str:
    """Text as a reader sees it: one kind of line ending, nothing invisible, compatibility look-alikes normalised
    (NFKC)."""
    text = data.decode("utf-8", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() else unicodedata.normalize("NFKC", UNSEEN.sub("", text))
