"""Makes the checks in a text write: a Makefile, a script, tox.ini, a noxfile, whatever calls tools with their option to
check.

The text is changed in place, so that its variables, loops and environments stay as they are. Nothing has to be
understood but the calls themselves, as words (`black --check src`) or as quoted arguments (`"black", "--check"`).
"""

import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from healing.checks.narrowing.words import called
from healing.repair.tools.modes import CheckMode, modes

MAX_TEXT = 200_000
MAX_WORDS = 60  # of one call
MAX_LINE = 2_000  # characters before a call that are looked at
# `NAME := black`, `BLACK=${VENV}/bin/black`: what a variable stands for, up to the end of the line.
ASSIGNED = re.compile(r"^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*[:?+]{0,2}=[ \t]*(?P<value>\S.*)$", re.M)
# What shows that a name without arguments is a call, and no entry of a list: a recipe's tab, or a runner.
CALLED = re.compile(r"(?:^\t[@+ ]*|\b(?:run|exec|npx|bunx|uvx)[ \t]+)\Z", re.M)
BARE = re.compile(r"(?:[ \t]|\\\n)+(?P<word>[^\s;&|`)\\]+)")
QUOTED = re.compile(r"\s*,\s*(?:(?P<quote>[\"'])(?P<word>[^\"'\n]*)(?P=quote)|(?P<other>[\w.*()]+))")


class Argument(NamedTuple):
    """An argument in a text, with what separates it from the one before it in `start` to `end`."""

    word: str
    start: int
    end: int


class TextChange(NamedTuple):
    """The `new` text in place of `start` to `end`."""

    start: int
    end: int
    new: str


def in_write_mode(text: str, tried: Container[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text in which known checks write, and the tools that do; the same text and none where it calls no such check.
    Tools that were `tried` already stay as they are."""
    if len(text) > MAX_TEXT:
        return text, ()
    variables = _variables(text)
    tools: dict[str, None] = {}
    parts: list[str] = []
    done = 0
    for match in _programs(variables).finditer(text):
        tool = match["program"] or variables[match["variable"]]
        for change in () if match.start() < done or tool in tried else _changes(text, match, tool):
            parts += (text[done : change.start], change.new)
            done = change.end
            tools[tool] = None
    return "".join([*parts, text[done:]]), tuple(tools)


def _programs(names_of_variables: Iterable[str]) -> re.Pattern[str]:
    """Finds calls of the programs, by name and by the variables that stand for one."""
    names = "|".join(sorted(map(re.escape, {program for program, _ in modes()}), key=len, reverse=True))
    variables = "|".join(names_of_variables) or "(?!)"
    return re.compile(
        rf"(?<![\w$%.-])(?:[\w./$(){{}}-]{{1,80}}/)?(?P<program>{names})(?![\w.=@/-])"
        rf"|\$[({{]?(?P<variable>{variables})\b[)}}]?"
    )


def _variables(text: str) -> dict[str, str]:
    """The variables that stand for one of the programs, without arguments."""
    programs = {program for program, _ in modes()}
    known = {}
    for match in ASSIGNED.finditer(text):
        words = match["value"].strip("\"' \t").split()
        tool, rest = called(words)
        if tool in programs and rest >= len(words):
            known[match["name"]] = tool
    return known


def _changes(text: str, match: re.Match[str], tool: str) -> Iterator[TextChange]:
    """What has to be changed in the call of `tool` that begins there, in order; nothing where it isn't a known
    check."""
    line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - MAX_LINE) : match.start()]
    is_list = line[-1:] in ("'", '"') and text[match.end() : match.end() + 1] == line[-1:]
    start = match.end() + is_list
    words = list(_quoted(text, start) if is_list else _bare(text, start, _open_quote(line)))
    named = next((at for at, word in enumerate(words) if word.word[:1] not in ("-", "+")), len(words))
    subcommand = words[named].word if named < len(words) else ""
    several, first = modes().get((tool, subcommand), ()), named + 1
    if not several or not subcommand:
        several, first = modes().get((tool, ""), ()), 0
    is_alone = "\n" not in text
    for mode in several:
        if marks := [word for word in words[first:] if word.word in mode.checks]:
            yield TextChange(marks[0].start, marks[0].end, _written(mode, is_list))
            yield from (TextChange(mark.start, mark.end, "") for mark in marks[1:])
            return
        if mode.always and (words or CALLED.search(line) or is_alone):
            at = words[first - 1].end if first else start
            yield TextChange(at, at, _written(mode, is_list))
            return


def _written(mode: CheckMode, is_list: bool) -> str:
    return "".join(f', "{word}"' if is_list else f" {word}" for word in mode.writes)


def _open_quote(line: str) -> str:
    """The quote that is open at the end of what stands before a call in its line, and so ends it; empty where none
    is."""
    return next((quote for quote in "\"'" if line.count(quote) % 2), "")


def _bare(text: str, at: int, quote: str) -> Iterator[Argument]:
    for _ in range(MAX_WORDS):
        match = BARE.match(text, at)
        if match is None:
            return
        word, closed, _ = match["word"].partition(quote) if quote else (match["word"], "", "")
        if word:
            yield Argument(word.strip("\"'"), match.start(), match.start("word") + len(word))
        if closed:
            return
        at = match.end()


def _quoted(text: str, at: int) -> Iterator[Argument]:
    for _ in range(MAX_WORDS):
        match = QUOTED.match(text, at)
        if match is None:
            return
        yield Argument(match["word"] or "", match.start(), match.end())
        at = match.end()
