"""Arguments of a call in the wrong order, or one that should be another."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from healing.graph.names import bound_names
from healing.repair.search.source import Change, Source

MAX_ARGUMENTS = 5
MAX_NAMES = 6  # names in a function that may have been meant


def swapped_arguments(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Swaps two adjacent positional arguments of a call, or the values of two adjacent keywords."""
    for call in source.nodes(lines, ast.Call):
        if 2 <= len(call.args) <= MAX_ARGUMENTS and not any(isinstance(a, ast.Starred) for a in call.args):
            for left, right in pairwise(call.args):
                yield from _swapped(source, left, right, rank=0)
        for first, second in pairwise(call.keywords):
            yield from _swapped(source, first.value, second.value, rank=1)


def _swapped(source: Source, left: ast.expr, right: ast.expr, rank: int) -> Iterator[Change]:
    first, second = source.text(left), source.text(right)
    _, _, between = source.between(left, right)
    if first != second:
        what = f"`{second}` and `{first}` swapped"
        yield Change(source.start(left), source.end(right), second + between + first, left.lineno, what, rank)


def wrong_argument(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Replaces a name passed as an argument with another of the function's names."""
    for call in source.nodes(lines, ast.Call):
        function = source.function(call)
        if function is None:
            continue
        pool = sorted(bound_names(ast.Module(body=[*function.body], type_ignores=[])) | _parameters(function.args))
        for argument in call.args:
            if isinstance(argument, ast.Name) and len(pool) <= MAX_NAMES:
                for name in pool:
                    if name not in (argument.id, "self", "cls"):
                        yield source.replaced(argument, name, f"`{name}` for `{argument.id}`", rank=1)


def _parameters(args: ast.arguments) -> set[str]:
    return {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
