"""A missing guard: checks a parameter that may be None before it is used."""

import ast
from collections.abc import Iterator

from healing.repair.search.source import Change, Source


def guard(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Adds `if name is None: return None` before a function's first statement, for a parameter whose default is
    None."""
    for statement in source.nodes(lines, ast.stmt):
        function = source.function(statement)
        if function is None or _first(function) is not statement:
            continue
        for name in _optional(function.args):
            indent = " " * statement.col_offset
            text = f"if {name} is None:\n{indent}    return None\n{indent}"
            start = source.start(statement)
            yield Change(start, start, text, statement.lineno, f"a guard for `{name}` being None", rank=1)


def _first(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """The first statement that isn't the docstring."""
    has_doc = ast.get_docstring(function, clean=False) is not None and len(function.body) > 1
    return function.body[1 if has_doc else 0]


def _optional(args: ast.arguments) -> list[str]:
    """Parameters whose default is None."""
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults), strict=False)]
    pairs += [(arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default]
    return [arg.arg for arg, default in pairs if isinstance(default, ast.Constant) and default.value is None]
