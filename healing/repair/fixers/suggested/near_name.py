"""An unknown name with a similar name in use: for languages whose own tools suggest none."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healing.causes import read_message
from healing.graph.grammars import parse
from healing.graph.names import closest_name
from healing.graph.outlines import FUNCTIONS, GRAMMARS
from healing.model import CIError
from healing.repair.fixers.suggested.printed import word_at
from healing.repair.fixers.suggested.suggestion import UNSURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.node import JAVASCRIPT
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

ENDINGS = (*JAVASCRIPT, ".go", ".rs", ".java", ".php", ".pl", ".pm", ".t")
# Messages of compilers on names and members, besides the families in healing/causes.
UNKNOWN = re.compile(
    r"cannot find \w{1,20}(?: \w{1,20})? `(\w{1,100})`|"
    r"no (?:method|field|variant|associated \w{1,20})(?: named)? `(\w{1,100})`|"
    r"Property '([\w$]{1,100})' does not exist|\.(\w{1,100}) undefined \(|"
    r"(?:has no exported member|no exported member named) '([\w$]{1,100})'|"
    r"(?:^|: |\.)([\w$]{1,100}) is not a function|"
    r"Undefined variable (\$\w{1,100})|Global symbol \"([$@%]\w{1,100})\" requires"
)
# Members of JavaScript's built-in types, which are defined in no file of a repository.
MEMBERS = """
charAt charCodeAt codePointAt concat endsWith entries every fill filter find findIndex findLast flat flatMap forEach
from has includes indexOf isArray join keys lastIndexOf localeCompare map match matchAll normalize padEnd padStart push
reduce reduceRight repeat replace replaceAll reverse search shift slice some sort splice split startsWith substring
then toFixed toISOString toLocaleString toLowerCase toString toUpperCase trim trimEnd trimStart unshift valueOf values
assign freeze parse stringify catch finally delete clear add
"""
BUILT_IN = frozenset(MEMBERS.split())
NOT_CODE = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
WORD = re.compile(rb"[A-Za-z_$][\w$]{2,100}")
ABOVE = 200  # levels of a tree that are climbed
MAX_FILES, MAX_BYTES, MAX_NAMES = 40, 200_000, 3


@dataclass(frozen=True)
class NearName:
    """Names are taken from the functions around the place, the innermost first, then from the file, then from its
    folder, which is a package in Go and related code elsewhere. A more similar name elsewhere in the file may be out of
    scope."""

    name: str = "near-name"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.file and e.line and e.file.endswith(ENDINGS) and unknown(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for reported in self.wants(errors, ToolConfig(view)):
            wrong, file = unknown(reported), reported.file or ""
            data = view.read(file)
            if data is None:
                continue
            error = _placed(reported, wrong, data)
            nearer = [_words([text]) for text in (*_functions(file, data, error.line or 1), data)]
            farther = (_words(_folder(file, view)), _built_in(error))
            for less, right in enumerate(_near(wrong, nearer)[:MAX_NAMES] or _near(wrong, farther)[:1]):
                if span := word_at(data, error, wrong, right):
                    title = f"Write `{right}` for `{wrong}`"
                    codes = (error.code,) if error.code else ()
                    yield Suggestion(file, reported.line or 1, title, {file: (span,)}, UNSURE - less, codes)


def _placed(error: CIError, wrong: str, data: bytes) -> CIError:
    """The error at the one line of its file with the wrong name, where its own doesn't have it: tools that measure
    coverage rewrite files before they run, and report other lines."""
    word = re.compile(rb"(?<![\w$])" + re.escape(wrong.encode()) + rb"(?![\w$])")
    lines = [number for number, line in enumerate(data.split(b"\n"), 1) if word.search(line)]
    if error.line in lines or len(lines) != 1:
        return error
    return error.model_copy(update={"line": lines[0], "column": None})


def _near(wrong: str, pools: Iterable[frozenset[str]]) -> list[str]:
    """The one similar name of each pool that has one."""
    return list(dict.fromkeys(name for pool in pools if (name := closest_name(wrong, pool - {wrong}))))


def unknown(error: CIError) -> str:
    """The name that an error reports as unknown; empty for other errors."""
    reading = read_message(error)
    of_java = reading.family == "missing-attribute" and error.tool == "javac"  # which says so of variables too
    if (reading.family == "undefined-name" or of_java) and reading.symbols:
        return reading.symbols[0].rpartition(".")[2]
    match = UNKNOWN.search(error.message[:1000])
    return next(filter(None, match.groups()), "") if match else ""


def _functions(file: str, data: bytes, line: int) -> list[bytes]:
    """The functions around a line, innermost first."""
    grammar = GRAMMARS.get(posixpath.splitext(file)[1])
    root = parse(grammar, data).root_node if grammar else None
    node = root.descendant_for_point_range((line - 1, 0), (line - 1, 10_000)) if root else None
    functions: list[bytes] = []
    for _ in range(ABOVE):
        if node is None:
            break
        if node.type in FUNCTIONS:
            functions.append(data[node.start_byte : node.end_byte])
        node = node.parent
    return functions


def _built_in(error: CIError) -> frozenset[str]:
    return BUILT_IN if (error.file or "").endswith(JAVASCRIPT) else frozenset()


def _words(texts: list[bytes]) -> frozenset[str]:
    """The identifiers of code, without comments and strings."""
    return frozenset(word.decode() for text in texts for word in WORD.findall(NOT_CODE.sub(b" ", text[:MAX_BYTES])))


def _folder(file: str, view: TreeView) -> list[bytes]:
    """The files of the same language in the same folder."""
    ending = posixpath.splitext(file)[1]
    beside = [p for p in view.paths() if posixpath.dirname(p) == posixpath.dirname(file) and p.endswith(ending)]
    return [view.read(path) or b"" for path in beside[:MAX_FILES]]
