"""Layout that pycodestyle and flake8 mind: spaces, blank lines, ends of lines.

Ruff knows the same rules and can repair them. The one that is used is Heal's own: it reads a file as data from its
standard input, and none of the repository's settings. Of what it changes only what is at the errors' lines is kept,
because the repository may tolerate the rest.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from healing.causes import is_layout
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

RUFF = Path(sys.executable).with_name("ruff")
SECONDS, MAX_BYTES = 20.0, 1 << 20


@dataclass(frozen=True)
class Layout:
    """All of a file at once."""

    name: str = "layout"
    certainty: int = 95

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.errors and all(map(is_layout, case.errors)):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        codes = sorted({error.code or "" for error in case.errors})
        changes: dict[str, bytes] = {}
        for file in sorted({error.file or "" for error in case.errors}):
            data = case.repo.view.read(file) or b""
            lines = {error.line for error in case.errors if error.file == file and error.line}
            new = _at(lines, data, _repaired(data, codes)) if len(data) <= MAX_BYTES else data
            if new != data:
                changes[file] = new
        why = "Only the layout at these lines changes, as Ruff writes it for the same rule."
        yield case.candidate(self, changes, "Repair the layout", why, with_tests=True)


def _repaired(data: bytes, codes: list[str]) -> bytes:
    """The file as Ruff repairs these rules; unchanged where it can't."""
    rules = ("--select", ",".join(codes), "--no-unsafe-fixes", "--preview", "--isolated")
    argv = (RUFF, "check", "--fix", *rules, "--exit-zero", "--no-cache", "--quiet", "--stdin-filename=file.py", "-")
    try:
        ended = subprocess.run(argv, input=data, capture_output=True, timeout=SECONDS, check=False, env={})
    except (OSError, subprocess.TimeoutExpired):
        return data
    return ended.stdout if ended.returncode == 0 and ended.stdout else data


def _at(lines: set[int], old: bytes, new: bytes) -> bytes:
    """Of the changes those that touch one of these lines, or stand right before it."""
    was, now = old.splitlines(keepends=True), new.splitlines(keepends=True)
    parts: list[bytes] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        is_kept = kind != "equal" and any(i1 <= line <= i2 + 1 for line in lines)
        parts += now[j1:j2] if is_kept else was[i1:i2]
    return b"".join(parts)
