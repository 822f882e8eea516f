"""Heal's own Ruff: it reads a file as data from its standard input, and none of the repository's settings."""

import subprocess
import sys
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from pathlib import Path

RUFF = Path(sys.executable).with_name("ruff")
SECONDS, MAX_BYTES, MAX_COLUMNS = 20.0, 1 << 20, 10_000


def repaired(data: bytes, codes: Iterable[str]) -> bytes:
    """A Python file as Ruff repairs these rules; unchanged where it can't."""
    return (
        _output(data, "check", "--fix", "--select", ",".join(codes), "--no-unsafe-fixes", "--preview", "--exit-zero")
        or data
    )


def violations(data: bytes, codes: Iterable[str]) -> bytes:
    """What Ruff finds of these rules in a Python file, as a JSON list with its fixes; empty where it knows one of the
    rules not at all."""
    options = ("--preview", "--exit-zero", "--output-format=json")
    return _output(data, "check", "--select", ",".join(codes), *options) or b"[]"


def formatted(data: bytes, line: int, length: int) -> bytes:
    """A file with the statement at a 1-based line written as Ruff formats it, with the quotes that it has; unchanged
    where that can't be read."""
    options = ("--config", 'format.quote-style="preserve"', "--line-length", str(length))
    return _output(data, "format", f"--range={line}:1-{line}:{MAX_COLUMNS}", *options) or data


def _output(data: bytes, command: str, *options: str) -> bytes | None:
    if len(data) > MAX_BYTES:
        return None
    argv = (str(RUFF), command, *options, "--isolated", "--no-cache", "--quiet", "--stdin-filename=file.py", "-")
    try:
        ended = subprocess.run(argv, input=data, capture_output=True, timeout=SECONDS, check=False, env={})
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout or None if ended.returncode == 0 else None


def changes_at(lines: Collection[int], old: bytes, new: bytes) -> bytes:
    """The old file with those changes alone that touch one of the 1-based lines, or stand right before it: the
    repository may tolerate the rest."""
    was, now = old.splitlines(keepends=True), new.splitlines(keepends=True)
    parts: list[bytes] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        is_kept = kind != "equal" and any(i1 <= line <= i2 + 1 for line in lines)
        parts += now[j1:j2] if is_kept else was[i1:i2]
    return b"".join(parts)
