"""Which commands an agent may run: those that begin with the words of an entry of the list.

The sandbox is the security boundary; the list keeps agents to reading and testing, with arguments that name places
inside the repository only.
"""

import re
import shlex
from collections.abc import Iterable, Iterator

Command = tuple[str, ...]

DEFAULTS: tuple[Command, ...] = tuple(
    tuple(line.split())
    for line in """
    pytest
    python -m pytest
    python3 -m pytest
    python -m unittest
    python3 -m unittest
    ruff check
    ruff rule
    python -m ruff check
    mypy
    python -m mypy
    pyright
    black --check
    isort --check-only
    flake8
    pylint
    go build
    go test
    go vet
    gofmt -d
    gofmt -l
    cargo check
    cargo clippy
    cargo test
    rustc --explain
    tsc --noEmit
    npx tsc --noEmit
    eslint
    npx eslint
    npx jest
    npx vitest run
    node --check
    node --test
    mvn -o test
    gradle --offline test
    """.splitlines()
    if line.strip()
)
MAX_WORDS = 60
MAX_CHARACTERS = 4_000
_CUTS = re.compile(r"[=:,;@\s]")
_SHELL = re.compile(r"[;&|<>$`(){}\n\0\\!*?~#]")


def refusal(argv: Command, allowed: Iterable[Command]) -> str:
    """Why the command is not run, and what is possible instead; empty where it may be run."""
    allowed = tuple(allowed)
    if not argv or len(argv) > MAX_WORDS or sum(map(len, argv)) > MAX_CHARACTERS or any("\0" in w for w in argv):
        return f"a command has 1 to {MAX_WORDS} words of together at most {MAX_CHARACTERS} characters"
    if not any(argv[: len(entry)] == entry for entry in allowed):
        known = "; ".join(" ".join(entry) for entry in sorted(allowed))
        return f"`{' '.join(argv)[:80]}` is not on the list. Commands may begin with: {known}"
    outside = next((word for word in argv[1:] if _leads_out(word)), None)
    if outside is not None:
        return f"{outside!r:.80} names a place outside the repository or git's own data: name one inside, like tests/"
    return ""


def distinct(commands: Iterable[Command]) -> Iterator[Command]:
    """Yields the commands that a model is shown: without those that start the same program as another of them, like
    `python3 -m pytest` beside `python -m pytest`. They may be run all the same."""
    commands = tuple(commands)
    for words in commands:
        python = ("python", *words[1:]) if words[0] == "python3" else words
        starts = {words, python}
        if python[:2] == ("python", "-m") and python[2:3] != ("pytest",):  # pytest alone has another import path
            starts.add(python[2:])
        if not (starts - {words}) & set(commands):
            yield words


def _leads_out(word: str) -> bool:
    """Whether a part of the word is a path that an agent may not name. A test's id after `::` is not a path."""
    for part in _CUTS.split(word.partition("::")[0]):
        if part.startswith(("/", "~")) or any(name == ".." or name.lower() == ".git" for name in part.split("/")):
            return True
    return False


def listed(text: str) -> Command:
    """An entry of a list as words. Raises ValueError for what no command can begin with."""
    if shell_character := _SHELL.search(text):
        raise ValueError(
            f"`{shell_character[0]}` is for a shell, and there is none: name a program and its first words"
        )
    words = tuple(shlex.split(text))
    if not words or "=" in words[0]:
        raise ValueError("must begin with a program's name, like `npm run lint`")
    return words
