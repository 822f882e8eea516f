"""GCC's own fix-its: a missing `#include`, the right conversion in a format string, a missing semicolon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

ASKED = (("GCC_EXTRA_DIAGNOSTIC_OUTPUT", "fixits-v1"),)  # from GCC 11 on: no option has to reach the compiler
DIAGNOSTIC = re.compile(
    r"(?P<file>[^\s:][^:]{0,400}):(?P<line>\d{1,9}):\d{1,9}: (?P<level>(?:fatal )?error|warning|note): (?P<message>.*)"
)
FIX = re.compile(
    r'fix-it:"(?P<file>(?:[^"\\]|\\.){1,400})":\{(?P<line>\d{1,9}):(?P<column>\d{1,9})-(?P<last>\d{1,9}):'
    r'(?P<end>\d{1,9})\}:"(?P<text>(?:[^"\\]|\\.){0,1000})"'
)
ESCAPED = re.compile(r"\\([0-7]{3}|.)")
SHORT = {"n": "\n", "t": "\t"}
# How a message's picture shows that there is a fix-it: an added line, or what to write under the wrong part.
ADDED_LINE = re.compile(r"^ {0,12}\+{3} \|\+", re.MULTILINE)
GUESSED = re.compile(r"did you mean")
TYPE = re.compile(r"has type [‘'`](?P<type>[\w ]{1,60})[’'](?P<aka> \{aka)?")
CONVERSION = re.compile(r"(?:hh|h|ll|l|j|z|t|L)?(?P<kind>[diuxXo])\Z")
# What is right on every machine, where GCC names the type that it has on this one.
PORTABLE = {"size_t": ("z", "u"), "ssize_t": ("z", "d"), "ptrdiff_t": ("t", "d")}
MAX_COMMANDS = 3


@dataclass(frozen=True)
class Gcc:
    """Runs the failing command again with a variable that makes the compiler print its fix-its. Names that it guesses
    are left to those who look at all names (printed.py)."""

    name: str = "gcc"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool == "gcc" and e.file and e.line and _has_fix(e))

    def calls(self, _files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        commands = tool_config.commands[:MAX_COMMANDS] if errors else ()
        return tuple(Call(("bash", "-c", f"(\n{command}\n) 2>&1 || true"), env=ASKED) for command in commands)

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        files = {e.file for e in errors if e.file}
        for problem, fixes in _fixed(answer):
            where = _placed(problem["file"], files, view)
            spans: dict[str, tuple[EditSpan, ...]] = {}
            for fix in fixes:
                file = _placed(_unescaped(fix["file"]), files, view)
                text = _portable(problem["message"], _unescaped(fix["text"]))
                span = _span(view.read(file) or b"", fix, text) if file and text is not None else None
                spans[file or ""] = (*spans.get(file or "", ()), span) if span else ()
            if where and spans and all(spans.values()) and not GUESSED.search(problem["message"]):
                title = _title(fixes)
                yield Suggestion(where, int(problem["line"]), title, spans, LIKELY)


def _has_fix(error: CIError) -> bool:
    guessed = GUESSED.search(error.message[:1000])
    return not guessed and bool(error.suggestion or ADDED_LINE.search(error.excerpt[:4000]))


def _fixed(answer: str) -> Iterator[tuple[re.Match[str], list[re.Match[str]]]]:
    """Each error with the fix-its that are printed together below it, or below one of its notes."""
    problem: re.Match[str] | None = None
    fixes: list[re.Match[str]] = []
    for line in answer.splitlines():
        fix, diagnostic = FIX.fullmatch(line), DIAGNOSTIC.fullmatch(line)
        if fix:
            fixes.append(fix)
        elif fixes and problem:
            yield problem, fixes
            fixes = []
        if diagnostic and diagnostic["level"] != "note":
            problem, fixes = diagnostic, []
    if fixes and problem:
        yield problem, fixes


def _title(fixes: list[re.Match[str]]) -> str:
    texts = [text for fix in fixes if (text := _unescaped(fix["text"]).strip())]
    return f"Write `{texts[0][:80]}`" if texts else "Remove what GCC minds"


def _unescaped(text: str) -> str:
    """GCC writes every byte that isn't ASCII as an octal number."""
    plain = ESCAPED.sub(lambda m: chr(int(m[1], 8) & 255) if len(m[1]) == 3 else SHORT.get(m[1], m[1]), text)
    return plain.encode("latin-1", "replace").decode("utf-8", "replace")


def _portable(message: str, text: str) -> str | None:
    """What GCC writes, with the conversion that fits the type by its name; None for other names, as `int64_t`, for
    which GCC's own holds on this machine alone."""
    argument = TYPE.search(message)
    conversion = CONVERSION.search(text) if "%" in text else None
    if argument is None or conversion is None:
        return text
    if argument["type"] in PORTABLE:
        length, kind = PORTABLE[argument["type"]]
        kept = conversion["kind"] if conversion["kind"] in "xXo" else kind
        return text[: conversion.start()] + length + kept
    return None if argument["aka"] else text


def _span(data: bytes, fix: re.Match[str], text: str) -> EditSpan | None:
    """The bytes that a fix-it replaces: its lines and columns count from 1, in bytes."""
    lines = data.splitlines(keepends=True)
    first, last = int(fix["line"]), int(fix["last"])
    if not 0 < first <= last <= len(lines) + 1:
        return None
    start = sum(map(len, lines[: first - 1])) + int(fix["column"]) - 1
    end = sum(map(len, lines[: last - 1])) + int(fix["end"]) - 1
    return EditSpan(start, end, text.encode())


def _placed(name: str, files: set[str], view: TreeView) -> str:
    """A path as in the repository: GCC names files from where `make` calls it. Empty where that is unclear."""
    name = name.removeprefix("./")
    if name in files or view.mode(name):
        return name
    inside = [file for file in files if file.endswith(f"/{name}")]
    return inside[0] if len(inside) == 1 else ""
