"""The programs that a person's command names by their place: `~/envs/app/bin/pytest`, `. ../venv/bin/activate`."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from healing.environment.secrets import is_secret_file

BIN = ("bin", "sbin", ".bin", "shims", "condabin")  # what folders of programs are called
BETWEEN = re.compile(r"[=:]")  # an assignment's value, the entries of a list as in `PATH`
HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?=/)")


def named_programs(command: str, root: Path, home: Path) -> Iterator[Path]:
    """Files outside of the clone at `root` that the command executes, or that lie in a folder of programs, and folders
    of programs. What else it names may be there to be written, so it is not among them."""
    for place in _places(command, home):
        path = Path(os.path.normpath(root / place))
        if path.is_relative_to(root) or is_secret_file(path.name):
            continue
        try:
            if path.is_dir():
                found = path.name in BIN
            else:
                found = path.is_file() and (path.parent.name in BIN or os.access(path, os.X_OK))
        except OSError:
            continue
        if found:
            yield path


def _places(command: str, home: Path) -> Iterator[str]:
    """The parts of its words that have a slash in them."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # quotes that don't close: bash will say so
        words = command.split()
    for word in words:
        for part in BETWEEN.split(word):
            if "/" in part and "\0" not in part:
                yield HOME.sub(str(home), part, count=1)
