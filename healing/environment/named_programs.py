"""Finds the programs that a person's command names by path: `~/envs/app/bin/pytest`, `. ../venv/bin/activate`."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from healing.environment.secrets import is_secret_file

BIN = ("bin", "sbin", ".bin", "shims", "condabin")  # names of folders with programs
BETWEEN = re.compile(r"[=:]")  # separates an assignment's value, and entries of a list such as `PATH`
HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?=/)")


def named_programs(command: str, root: Path, home: Path, folder: Path | None = None) -> Iterator[Path]:
    """Yield the folders of programs, and the files that are executable or lie in such a folder, that the command names
    outside of the clone at `root`. Other paths in it may be output files, so they are left out. `folder` is where the
    command runs; by default at the root."""
    for place in _places(command, home):
        path = Path(os.path.normpath((folder or root) / place))
        if path.is_relative_to(root) or is_secret_file(path.name):
            continue
        try:
            if path.is_dir():
                is_program = path.name in BIN
            else:
                is_program = path.is_file() and (path.parent.name in BIN or os.access(path, os.X_OK))
        except OSError:
            continue
        if is_program:
            yield path


def _places(command: str, home: Path) -> Iterator[str]:
    """Yield the parts of the command's words that contain a slash."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # unbalanced quotes: bash will report them
        words = command.split()
    for word in words:
        for part in BETWEEN.split(word):
            if "/" in part and "\0" not in part:
                yield HOME.sub(str(home), part, count=1)
