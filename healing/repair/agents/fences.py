"""Marks untrusted text as data: it is fenced by a secret word, and hidden characters in it are made visible.

Invisible characters and HTML comments are shown as `⟦U+202E⟧` and `⟦<!--⟧`, and so are tokens that a local model's
template would interpret (`<|im_end|>`). What a model copies back is converted to the real characters again, so that an
edit still matches the bytes.
"""

import re
import secrets

from healing.repair.agents.room import fit_text, request_bytes

LIMIT = 10_000  # characters of one observation: more overloads the model, and the middle of an output matters least

# Bidirectional controls, zero-width and other format characters, tags, and controls but tab and line ends.
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"
)
_BREAKS = re.compile(r" *+(?:[^\S ] *+)++")
_COMMENT = "⟦<!--⟧"
_TEMPLATE = re.compile(r"<[|｜](?=[\w▁]{1,40}[|｜]>)")  # some tokens are written with the full-width bar
_TEMPLATE_SHOWN = re.compile(r"⟦(<[|｜])⟧")
_SHOWN = re.compile(r"⟦U\+([0-9A-F]{4,6})⟧")


def new_nonce() -> str:
    """A secret word for one conversation's fences. It is short, since each fence sends it twice: a text that holds it,
    guessed or by chance, can't close its fence, because `fenced` replaces it there."""
    return secrets.token_hex(4)


def shown(text: str) -> str:
    """The text with everything hidden made visible."""
    visible = UNSEEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)
    return _TEMPLATE.sub(lambda found: f"⟦{found[0]}⟧", visible).replace("<!--", _COMMENT)


def unmasked(text: str) -> str:
    """The real text behind a copy of `shown` text."""
    real = _SHOWN.sub(lambda found: _character(found[1]), text)
    return _TEMPLATE_SHOWN.sub(lambda found: found[1], real).replace(_COMMENT, "<!--")


def _character(digits: str) -> str:
    code = int(digits, 16)
    hidden = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF and UNSEEN.fullmatch(chr(code))
    return chr(code) if hidden else f"⟦U+{digits}⟧"


def truncated(text: str, limit: int = LIMIT) -> str:
    """At most about `limit` characters: head and tail, with a note how much was cut between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    cut = len(text) - 2 * half
    return f"{text[:half]}\n[… {cut} characters cut here; ask for a narrower part …]\n{text[-half:]}"


def fenced(text: str, nonce: str, limit: int = LIMIT) -> str:
    """The text as data in a fence that can't be closed without the nonce."""
    inside = shown(truncated(text, limit)).replace(nonce, "⟦fence⟧")
    return f"<<data {nonce}\n{inside}\ndata {nonce}>>"


def fenced_within(text: str, nonce: str, room: int) -> str:
    """Like `fenced`, within that many bytes as sent, cut between lines."""
    frame = request_bytes(f"<<data {nonce}\n\ndata {nonce}>>")
    inside = fit_text(shown(text).replace(nonce, "⟦fence⟧"), room - frame)
    return f"<<data {nonce}\n{inside}\ndata {nonce}>>"


def one_line(text: str, limit: int = 300) -> str:
    """A short value on one line, with `…` where it is cut. Spaces stay as they are, because a failure may be about
    them."""
    line = _BREAKS.sub(" ", text).strip()
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def numbered(text: str, first: int = 1) -> str:
    """The lines with their numbers, separated by a tab."""
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(text.split("\n"), first))
