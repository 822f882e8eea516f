"""A shell command, which needs only git, that applies a fix to a person's checkout."""

import gzip
from base64 import b64encode

from handlers.comments.clean import block, fold

SAME = "Run this in the repository's root. It applies the same change, as a compressed patch:"
MAX_LENGTH = 4_000  # characters of the line


def apply_line(patch: str) -> str | None:
    """The shell command that applies a patch, which is part of the command. None if it would be too long."""
    packed = b64encode(gzip.compress(patch.encode(), 9, mtime=0)).decode()
    line = f"printf %s '{packed}' | base64 -d | gzip -d | git apply"
    return line if len(line) <= MAX_LENGTH else None


def in_a_checkout(patch: str | None) -> str:
    """The collapsed command; empty if there is none."""
    line = apply_line(patch) if patch is not None else None
    return "" if line is None else fold("Apply it locally", f"{SAME}\n\n{block(line, 'sh', most=MAX_LENGTH + 100)}")


def fetch_line(branch: str) -> str:
    """The command that cherry-picks the commits of one of Heal's branches."""
    return f"git fetch origin {branch} && git cherry-pick ..FETCH_HEAD"
