"""A value that a function should return and doesn't."""

import ast
import re
from collections.abc import Iterator

from healing.repair.search.source import Change, Function, Source

MAX_VALUES = 14  # of one place
MAX_LENGTH = 200  # characters of a value that is copied from a sibling


def lost_return(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Makes `return` or `return None` return a value instead: a variable, the base class's result, or what sibling
    functions return."""
    for node in source.nodes(lines, ast.Return):
        function = source.function(node)
        if function is None or not (node.value is None or _is_none(node.value)):
            continue
        for text in _values(source, function, node):
            yield source.replaced(node, f"return {text}", f"`return {text}`")


def missing_return(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Adds `return` where a function ends with an unused value."""
    for node in source.nodes(lines, ast.Expr):
        function = source.function(node)
        last = function is not None and function.body[-1] is node and not isinstance(node.value, ast.Constant)
        if last and not isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await):
            start = source.start(node)
            yield Change(start, start, "return ", node.lineno, "a `return`")


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _values(source: Source, function: Function, at: ast.Return) -> list[str]:
    """The values that may have been meant, the likeliest first."""
    candidates = [
        *_locals(function, at),
        *_of_base(source, function),
        *_of_siblings(source, function),
        *_own(source, function),
    ]
    return list(dict.fromkeys(candidates))[:MAX_VALUES]


def _locals(function: Function, at: ast.Return) -> list[str]:
    """Variables that were assigned before, the last one first; then the parameters."""
    names = [
        (node.lineno, node.id)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno < at.lineno
    ]
    return [name for _, name in sorted(names, reverse=True)] + _parameters(function)


def _parameters(function: Function) -> list[str]:
    args = function.args
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs) if arg.arg != "cls"]


def _of_base(source: Source, function: Function) -> Iterator[str]:
    """The call of the base class's method with the same arguments."""
    owner = source.parents.get(function)
    if not (isinstance(owner, ast.ClassDef) and owner.bases):
        return
    args = function.args
    given = [arg.arg for arg in (*args.posonlyargs, *args.args)][1:]
    given += [f"*{args.vararg.arg}"] if args.vararg else []
    given += [f"{arg.arg}={arg.arg}" for arg in args.kwonlyargs] + ([f"**{args.kwarg.arg}"] if args.kwarg else [])
    yield f"super().{function.name}({', '.join(given)})"


def _of_siblings(source: Source, function: Function) -> Iterator[str]:
    """What sibling functions return, adapted to this function's name: `bump_minor` returns `version.bump_minor()`, so
    `bump_major` may return `version.bump_major()`."""
    own_parameters = set(_parameters(function))
    for sibling in getattr(source.parents.get(function), "body", []):
        if not isinstance(sibling, Function) or sibling is function or not set(_parameters(sibling)) <= own_parameters:
            continue
        for node in ast.walk(sibling):
            if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
                text = source.text(node.value)
                if len(text) <= MAX_LENGTH and "\n" not in text:
                    yield from _adapted(text, sibling.name, function.name)


def _adapted(text: str, theirs: str, ours: str) -> Iterator[str]:
    """The text with the sibling's name replaced by this function's, where it occurs."""
    head = _shared(theirs, ours)
    parts = [(theirs, ours)]
    if head:
        parts.append((theirs[len(head) :], ours[len(head) :]))
    for old, new in parts:
        if old and new and re.search(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])", text):
            yield re.sub(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])", new, text)
            return


def _shared(left: str, right: str) -> str:
    """The common prefix of both names, up to an underscore."""
    common = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        common += 1
    return left[: left[:common].rfind("_") + 1]


def _own(source: Source, function: Function) -> Iterator[str]:
    """For a method without arguments: calls of the class's other methods without arguments."""
    owner = source.parents.get(function)
    if isinstance(owner, ast.ClassDef) and _parameters(function) == ["self"]:
        for other in owner.body:
            if isinstance(other, Function) and other is not function and _parameters(other) == ["self"]:
                plain = not (other.name.startswith("__") or other.decorator_list)
                if plain:
                    yield f"self.{other.name}()"
