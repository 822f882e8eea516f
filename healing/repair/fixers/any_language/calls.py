"""The functions that a file declares, with their parameters, and the arguments of their calls: of JavaScript, Go, Rust,
Java and Kotlin by their grammar, of C by how a declaration looks at the start of a line."""

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from healing.graph.grammars import parse, text
from healing.graph.outlines import FUNCTIONS, GRAMMARS
from healing.repair.fixers.fixer import Case

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURES = {
    *FUNCTIONS,
    "function_signature_item",
    "function_signature",
    "method_signature",
    "method_elem",
    "method_spec",
}
NO_PARAMETER = ("comment", "line_comment", "block_comment", "self_parameter", "attribute_item")
NOT_CODE = rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
QUOTED = {True: rb"|'(?:[^'\\\n]|\\.)*'", False: rb"|'(?:[^'\\\n]|\\.[^'\n]{0,10})'"}  # by: is it JavaScript
OPENING, CLOSING = b"([{", b")]}"
C_ENDINGS = (".c", ".h")
IN_C = re.compile(
    rb"^(?!(?:return|else|typedef)\b)[A-Za-z_][\w \t*]{0,200}[ \t*](?P<name>\w{1,100})[ \t]*"
    rb"\((?P<parameters>[^;{}()]{0,500})\)\s*[;{]",
    re.MULTILINE,
)


def is_known(path: str) -> bool:
    """Whether the functions of such a file can be read."""
    return _grammar(path) is not None or path.endswith(C_ENDINGS)


def calling(case: Case, *, whole: bool) -> list[str]:
    """The files in which calls may follow: those of the errors; as a `whole` in C all, for `make` stops at the first
    file with an error."""
    files = {e.file for e in case.errors if e.file and is_known(e.file)}
    if whole and any(file.endswith(C_ENDINGS) for file in files):
        files |= {path for path in case.repo.view.paths() if path.endswith(C_ENDINGS)}
    return sorted(files)


def wanted_lines(case: Case, file: str, data: bytes, name: str, *, whole: bool) -> set[int]:
    """The lines of a file on which calls follow: those of the errors; as a `whole` in Go and C all, but for those where
    the function itself stands."""
    everything = whole and file.endswith((".go", *C_ENDINGS))
    lines = {e.line for e in case.errors if e.file == file and e.line}
    wanted = set(range(1, data.count(b"\n") + 2)) if everything else lines
    return wanted - {row + 1 for defined, row, _ in functions(file, data) if defined == name}


def signatures(path: str, data: bytes) -> dict[str, list[str]]:
    """The parameters of each function of a file, by a name that no other has; a prototype is the same function."""
    found: dict[str, list[list[str]]] = {}
    for name, _, parameters in functions(path, data):
        found.setdefault(name, []).append(parameters)
    in_c = path.endswith(C_ENDINGS)
    return {n: lists[0] for n, lists in found.items() if len(lists) == 1 or (in_c and lists == lists[:1] * len(lists))}


def functions(path: str, data: bytes) -> Iterator[tuple[str, int, list[str]]]:
    """(name, row, parameters) of each function that a file defines or declares."""
    grammar = _grammar(path)
    todo = [parse(grammar, data).root_node] if grammar else []
    while todo:
        node = todo.pop()
        todo += node.children
        name, parameters = _name(node), node.child_by_field_name("parameters")
        if node.type in SIGNATURES and name and parameters is not None:
            inside = [child for child in parameters.named_children if child.type not in NO_PARAMETER]
            # Go's `a, b int` is one node of two parameters.
            several = any(len(child.children_by_field_name("name")) > 1 for child in inside)
            yield name, parameters.start_point[0], [] if several else [" ".join(text(c).split()) for c in inside]
    for match in IN_C.finditer(data) if path.endswith(C_ENDINGS) else ():
        listed = [" ".join(part.decode("utf-8", "replace").split()) for part in match["parameters"].split(b",")]
        yield match["name"].decode(), data.count(b"\n", 0, match.start()), [part for part in listed if part != "void"]


def calls(path: str, data: bytes, name: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """(start, spans of the arguments) of each call of a function, the last first."""
    js = _grammar(path) in ("javascript", "typescript", "tsx")
    code = re.sub(NOT_CODE + QUOTED[js], lambda match: b"_" * len(match[0]), data, flags=re.DOTALL)
    for match in reversed([*re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"\s*\(", code)]):
        yield match.start(), _arguments(code, match.end())


def _grammar(path: str) -> str | None:
    return GRAMMARS.get(posixpath.splitext(path)[1])


def _name(node: "Node") -> str:
    above = node.parent
    holder = above if above is not None and above.type == "variable_declarator" else node
    return text(holder.child_by_field_name("name"))


def _arguments(code: bytes, at: int) -> list[tuple[int, int]]:
    """The spans of a call's arguments after its opening bracket, without the space around them."""
    spans: list[tuple[int, int]] = []
    depth, start = 0, at
    for end in range(at, min(len(code), at + 5_000)):
        character = code[end : end + 1]
        closed = character in CLOSING and depth == 0
        if closed or (character == b"," and depth == 0):
            part = code[start:end]
            left, right = start + len(part) - len(part.lstrip()), start + len(part.rstrip())
            spans += [(left, right)] if left < right else []
            start = end + 1
        if closed:
            return spans
        depth += (character in OPENING) - (character in CLOSING)
    return []
