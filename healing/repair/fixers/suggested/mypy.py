"""Python: type errors for which mypy's message determines one fix."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.graph.python.syntax import parse
from healing.model import CIError
from healing.repair.fixers.signatures import ParsedFile, gives_something
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

NOT_OPTIONAL = re.compile(r'Incompatible default for \w+ "(\w{1,100})" \(default has type "None"')
UNUSED_IGNORE = re.compile(r'Unused "type: ignore(?:\[([\w, -]{1,300})\])?" comment')
IGNORE = re.compile(rb"[ \t]*#[ \t]*type:[ \t]*ignore(?:\[([\w, -]{1,300})\])?(?=[ \t]*(?:#|\r?\n|$))")
PLAIN = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)  # need no brackets in place of a call

Repair = tuple[str, int, EditSpan]  # title, certainty, replacement


@dataclass(frozen=True)
class Mypy:
    """Errors that have several possible fixes, such as a wrong type or a value that may be None, are left to others."""

    name: str = "mypy"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool == "mypy" and e.line and e.file and e.code in REPAIRS)

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error in errors:
            data = view.read(error.file or "")
            tree = parse(data) if data is not None else None
            if data is None or tree is None or not error.file or not error.line or not error.code:
                continue
            for title, certainty, span in REPAIRS[error.code](error, error.line, ParsedFile(data, tree)):
                yield Suggestion(error.file, error.line, title, {error.file: (span,)}, certainty, (error.code,))


def _optional(error: CIError, line: int, source: ParsedFile) -> Iterator[Repair]:
    """Makes the type of a parameter with the default None optional, first in the style that the file already uses."""
    match = NOT_OPTIONAL.search(error.message[:1000])
    for arg in (a for a in ast.walk(source.tree) if isinstance(a, ast.arg)):
        if not match or arg.arg != match[1] or not arg.lineno <= line <= (arg.end_lineno or 0) or not arg.annotation:
            continue
        start, end = source.start(arg.annotation), source.end(arg.annotation)
        quote = 1 if isinstance(arg.annotation, ast.Constant) else 0
        old = source.data[start + quote : end - quote]
        for new in (*([b"Optional[" + old + b"]"] if _imports_optional(source.tree) else []), old + b" | None"):
            yield f"Let `{arg.arg}` be None, as it is by default", SURE, EditSpan(start + quote, end - quote, new)


def _imports_optional(tree: ast.Module) -> bool:
    names = (alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
    return "Optional" in names


def _no_cast(_error: CIError, line: int, source: ParsedFile) -> Iterator[Repair]:
    """Removes a cast to the type that the value already has."""
    for call in ast.walk(source.tree):
        if isinstance(call, ast.Call) and call.lineno == line and len(call.args) == 2 and _named(call.func) == "cast":
            value = call.args[1]
            text = source.data[source.start(value) : source.end(value)]
            new = text if isinstance(value, PLAIN) else b"(" + text + b")"
            yield "Take the needless cast away", SURE, EditSpan(source.start(call), source.end(call), new)


def _named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _no_ignore(error: CIError, line: int, source: ParsedFile) -> Iterator[Repair]:
    """Removes a `type: ignore`, or its codes, that mypy reports as unused."""
    unused, start = UNUSED_IGNORE.search(error.message[:1000]), source.at(line, 0)
    comment = IGNORE.search(source.data, start, source.at(line + 1, 0))
    if unused and comment:
        codes = [code.strip() for code in (comment[1] or b"").decode().split(",") if code.strip()]
        unused_codes = {code.strip() for code in (unused[1] or "").split(",")} if unused[1] else set(codes)
        left = ", ".join(code for code in codes if code not in unused_codes)
        new = f"  # type: ignore[{left}]".encode() if left else b""
        yield "Take the needless `type: ignore` away", SURE, EditSpan(comment.start(), comment.end(), new)


def _gives_none(error: CIError, line: int, source: ParsedFile) -> Iterator[Repair]:
    """Adds `-> None` to a function without a return type that returns nothing."""
    for node in source.functions(line):
        at = source.signature_end(node)
        if at is not None and not node.returns and not gives_something(node) and "return type" in error.message:
            yield "Say that it gives nothing back", SURE, EditSpan(at, at, b" -> None")


def _awaited(_error: CIError, line: int, source: ParsedFile) -> Iterator[Repair]:
    """Awaits a coroutine whose call is discarded in an async function."""
    waiting = [node for node in ast.walk(source.tree) if isinstance(node, ast.AsyncFunctionDef)]
    for node in (inner for function in waiting for inner in ast.walk(function)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.lineno == line:
            at = source.start(node)
            yield "Wait for the coroutine", LIKELY, EditSpan(at, at, b"await ")


REPAIRS: dict[str, Callable[[CIError, int, ParsedFile], Iterator[Repair]]] = {
    "assignment": _optional,
    "redundant-cast": _no_cast,
    "unused-ignore": _no_ignore,
    "no-untyped-def": _gives_none,
    "unused-coroutine": _awaited,
}
