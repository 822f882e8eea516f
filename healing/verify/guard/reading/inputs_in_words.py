"""Finds the inputs of functions by words, for languages without a parser here: those with braces, Ruby, and shell
scripts as a whole."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath

Both = tuple[tuple[str, ...], frozenset[str]]  # the parameters, and the names that are read
BRACES = {".java", ".kt", ".cs", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".php", ".swift", ".dart", ".scala"}
SHELL = {".sh", ".bash", ".zsh", ".ksh", ".bats"}
HEAD = re.compile(r"\b(\w{1,100})[ \t]{0,4}\(([^(){};\n]{1,400})\)[^(){};=\n]{0,100}[ \t\n]{0,40}\{")
RUBY = re.compile(r"^([ \t]{0,40})def[ \t]{1,4}([\w.?!]{1,100})[ \t]{0,4}\(([^()\n]{1,400})\)", re.M)
NO_FUNCTION = {"if", "for", "foreach", "while", "switch", "catch", "synchronized", "using", "lock", "when", "match"}
WORD = re.compile(r"[A-Za-z_]\w{0,100}")
BRACE = re.compile(r"[{}]")
INDEX = re.compile(r"\[[^\[\]]{0,40}\]")
ARGUMENTS = tuple("123456789")
ARGUMENT = re.compile(r"\$\{?[#!]?([1-9])\b")
ALL = re.compile(r"\$\{?[#!]?[@*]|\bshift\b|\bgetopts\b|\$#")
LIMIT = 500  # functions of a file
MAX_LENGTH = 20_000  # characters of one


def in_words(path: str, text: str) -> Iterator[tuple[str, Both]]:
    """Each function with its parameters and the names it reads; for a shell script, its arguments by number."""
    kind = PurePosixPath(path).suffix.lower()
    if kind in SHELL:
        read = ARGUMENTS if ALL.search(text) else ARGUMENT.findall(text)
        yield "the script", (ARGUMENTS, frozenset(read))
    elif kind in BRACES:
        ends = _closing(text)
        for head in islice(HEAD.finditer(text), LIMIT):
            end = min(ends.get(head.end() - 1, 0), head.end() + MAX_LENGTH)
            if end and head[1] not in NO_FUNCTION:
                names = tuple(_name(parameter, kind) for parameter in head[2].split(","))
                yield head[1], (names, frozenset(WORD.findall(text, head.end(), end)))
    elif kind == ".rb":
        for head in islice(RUBY.finditer(text), LIMIT):
            end = text.find(f"\n{head[1]}end", head.end(), head.end() + MAX_LENGTH)
            if end > 0:
                names = tuple(_first(parameter.strip(" *&")) for parameter in head[3].split(","))
                yield head[2], (names, frozenset(WORD.findall(text, head.end(), end)))


def _name(parameter: str, kind: str) -> str:
    """The name of a parameter: Kotlin, Swift and Scala write `name: Type`, the others `Type name`."""
    before = parameter.partition("=")[0]
    if ":" in before:
        before = before.partition(":")[0]
    words = WORD.findall(INDEX.sub("", before))
    return words[-1] if words else ""


def _first(parameter: str) -> str:
    match = WORD.match(parameter)
    return match.group() if match else ""


def _closing(text: str) -> dict[int, int]:
    """The position of each closing brace, by that of its opening brace."""
    closing, open_braces = dict[int, int](), list[int]()
    for brace in BRACE.finditer(text):
        if brace.group() == "{":
            open_braces.append(brace.start())
        elif open_braces:
            closing[open_braces.pop()] = brace.start()
    return closing
