"""Reads secrets in the forms in which people paste them, and masks tokens in texts."""

import re
from functools import lru_cache
from pathlib import Path

# Token formats are opaque and, since 2026, long and dotted; so no upper bound.
_TOKEN = re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9._-]{8,}|github_pat_\w{8,}|(?i:bearer|token) [A-Za-z0-9._-]{20,})")


def hide_tokens(text: str) -> str:
    """Returns `text` with everything that looks like a GitHub token replaced by `***`."""
    return _TOKEN.sub("***", text)


def read_private_key(value: str) -> str:
    """Returns the PEM of an RSA key (PKCS#1 or PKCS#8). `value` is the PEM, possibly with literal `\\n`, or the path of
    its file.

    Raises ValueError, whose message never contains any part of the key.
    """
    text = value.strip().strip("\"'").replace("\\n", "\n")
    if "-----BEGIN" not in text:
        text = _read_file(text)
    _check_rsa(text)
    return text if text.endswith("\n") else text + "\n"


def read_lines(value: str) -> str:
    """Returns lines that begin with `https://`. `value` is the lines, or the path of a file with them.

    Raises ValueError, whose message never contains any of them."""
    text = value.strip()
    return _read_file(text, "lines of https://") if text.startswith(("/", "~", ".")) else text


def _read_file(name: str, expected: str = "a PEM key") -> str:
    path = Path(name).expanduser()
    if len(name) > 1000 or "\n" in name or not path.is_file():
        raise ValueError(f"is neither {expected} nor the path of a readable file")
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"names a file that can't be read as text: it should hold {expected}") from None


@lru_cache(maxsize=4)
def _check_rsa(pem: str) -> None:
    """Raises ValueError for everything else. A good key is remembered: proving that its numbers are primes takes up to
    a tenth of a second, and a process may read its settings more than once."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError) as error:
        raise ValueError("is not a private key in PEM form without a password; download a new one") from error
    if not isinstance(key, RSAPrivateKey):
        raise ValueError("is not an RSA key; GitHub Apps sign with RS256")
