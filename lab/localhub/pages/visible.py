"""Makes deceptive characters visible: bidirectional controls, zero width, control codes."""

import re

from markupsafe import Markup, escape

BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\u061c\ufeff\U000e0000-\U000e007f]"
)
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")


def without_bidi(text: str) -> str:
    """Returns prose with bidirectional controls written out, as ⟨U+202E⟩."""
    return BIDI.sub(_name, text)


def plain(text: str) -> str:
    """Returns a terminal's line as text: without colours, and with hidden characters written out."""
    return HIDDEN.sub(_name, ANSI.sub("", text).rstrip("\r"))


def code(text: str) -> Markup:
    """Returns a line of code as HTML, with hidden characters marked, except a carriage return at the end."""
    shown = str(escape(text.removesuffix("\r")))
    return Markup(HIDDEN.sub(_mark, shown))  # noqa: S704 -- escaped above


def _name(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match.group()):04X}⟩"


def _mark(match: re.Match[str]) -> str:
    return f'<mark class="hidden">U+{ord(match.group()):04X}</mark>'
