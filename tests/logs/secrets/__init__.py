"""Lists of secrets and look-alikes by kind, each written before the rules had seen it.

One text a line, `\\n` for a line's end; `# …` names the kind of what follows. Secrets are made when a list is read, so
that no scanner takes the lists for a leak: `[[hex40]]`, `[[an24]]` (letters and digits), `[[b64-30]]` (of so many
bytes), `[[pw]]` (a person's), `[[uuid]]`, `[[num12]]` (digits), `[[url43]]` (base64 for addresses), `[[jwt]]`,
`[[auth]]` (`ci:password` in base64), `[[percent]]` (a password as an address quotes it);
`[[=hunter22]]` is a person's as it was written.
"""

import base64
import random
import re
import string
import urllib.parse
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 5
NUMBERS = range(1, 21)  # of the lists
_MADE = re.compile(
    r"\[\[(=[^\n]{1,100}?(?=\]\](?!\]))"
    r"|(?:hex|HEX|an|AN|lower|low|sym|b64-|num|url)\d+|pw|uuid|jwt|auth|percent)\]\]"
)
_LETTERS = string.ascii_letters + string.digits
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "an": _LETTERS,
    "AN": string.ascii_uppercase + string.digits,
    "low": string.ascii_lowercase + string.digits,
    "lower": string.ascii_lowercase,
    "num": string.digits,
    "url": _LETTERS + "-_",
    "sym": _LETTERS + "!#%&()*+,-./:;=?@[]^_{|}~ ",
}


@dataclass(frozen=True)
class Listed:
    """A text of a list, and the secrets in it."""

    kind: str
    text: str
    secrets: tuple[str, ...]


def listed(name: str) -> Iterator[Listed]:
    """The entries of `NAME.txt`, always the same."""
    rng = random.Random(SEED)
    kind = ""
    for line in (Path(__file__).parent / f"{name}.txt").read_text().splitlines():
        if line.startswith("# "):
            kind = line[2:]
        elif line:
            text = line.replace("\\n", "\n").replace("\\\n", "\\n")
            made = [_made(word, rng) for word in _MADE.findall(text)]
            words = iter(made)
            yield Listed(kind, f"before\n{_MADE.sub(lambda _, words=words: next(words), text)}\nafter\n", tuple(made))


def _made(kind: str, rng: random.Random) -> str:
    if kind.startswith("="):
        return kind[1:]
    if kind == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128)))
    if kind == "pw":
        return _password(rng)
    if kind == "jwt":
        return f"eyJhbGciOiJIUzI1NiJ9.eyJ{_of(_LETTERS, 60, rng)}.{_of(_ALPHABETS['url'], 43, rng)}"
    if kind == "auth":
        return base64.b64encode(f"ci:{_password(rng)}".encode()).decode()
    if kind == "percent":
        return urllib.parse.quote(f"{_of(_LETTERS, 5, rng)}@{_of(_LETTERS, 5, rng)}/{_of(_LETTERS, 3, rng)}#", safe="")
    if kind.startswith("b64-"):
        return base64.b64encode(rng.randbytes(int(kind[4:]))).decode()
    name = kind.rstrip(string.digits)
    return _of(_ALPHABETS[name], int(kind[len(name) :]), rng)


def _password(rng: random.Random) -> str:
    return rng.choice(
        (
            f"{_of(_LETTERS, 4, rng)}{rng.choice('!-_.#@+')}{_of(_LETTERS, 6, rng)}{rng.choice('!-_.+')}7",
            f"{_of(string.ascii_lowercase, 5, rng).title()}{_of(string.digits, 4, rng)}!{_of(_LETTERS, 2, rng)}3",
            f"{_of(_LETTERS, 13, rng)}4",
        )
    )


def _of(alphabet: str, length: int, rng: random.Random) -> str:
    return "".join(rng.choices(alphabet, k=length))
