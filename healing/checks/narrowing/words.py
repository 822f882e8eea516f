"""A simple command as words: the tool that it calls, and its options without positional arguments."""

import shlex
from collections.abc import Collection, Iterable

from healing.model import CIError

LIMIT = 50  # tests that one command may name
SHELL = set("|&;<>()$`*?[]{}~")
RUNNERS = (
    *(["uv", "run"], ["poetry", "run"], ["pdm", "run"], ["hatch", "run"], ["pipenv", "run"], ["bundle", "exec"]),
    *(
        ["npm", "exec", "--"],
        ["pnpm", "exec"],
        ["yarn", "exec"],
        ["yarn", "run"],
        ["npx", "--no-install"],
        ["npx"],
        ["pnpm"],
        ["yarn"],
        ["bunx"],
    ),
)


def simple(run: str) -> list[str] | None:
    """The words of a script that is a single command without shell syntax; None for any other."""
    lines = [line for line in run.strip().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) != 1:
        return None
    try:
        words = shlex.split(lines[0])
    except ValueError:
        return None
    return None if any(SHELL & set(word) for word in words) else words


def assignments(words: list[str]) -> list[str]:
    """The leading words of a simple command that set variables."""
    end = next((at for at, word in enumerate(words) if "=" not in word or word.startswith("-")), len(words))
    return words[:end]


def called(words: list[str]) -> tuple[str, int]:
    """The tool that a simple command calls, and the index of its first argument."""
    at = len(assignments(words))
    at += next((len(runner) for runner in RUNNERS if words[at : at + len(runner)] == runner), 0)
    name = words[at].rsplit("/", 1)[-1] if at < len(words) else ""
    if name.startswith("python") and words[at + 1 : at + 2] == ["-m"] and at + 2 < len(words):
        return words[at + 2], at + 3
    return name, at + 1


def options(args: Iterable[str], with_value: Collection[str], without: Collection[str] = ()) -> list[str]:
    """The options among `args` with their values. Positional arguments and the options in `without` are left out."""
    kept: list[str] = []
    value, keep = False, False
    for arg in args:
        if value:
            value = False
        elif arg.startswith("-"):
            name = arg.partition("=")[0]
            keep, value = name not in without, arg in with_value
        else:
            continue
        if keep:
            kept.append(arg)
    return kept


def files_of(errors: Iterable[CIError]) -> list[str] | None:
    """The files of the errors; None where an error has none, or a name could be mistaken for an option."""
    errors = tuple(errors)
    files = sorted({error.file for error in errors if error.file})
    if any(error.file is None for error in errors) or any(f.startswith("-") for f in files):
        return None
    return files


def tests_of(errors: Iterable[CIError]) -> list[str] | None:
    """The tests of the errors; None where an error has none, or there are too many for one command."""
    errors = tuple(errors)
    tests = sorted({error.test for error in errors if error.test})
    return None if not tests or len(tests) > LIMIT or any(not error.test for error in errors) else tests
