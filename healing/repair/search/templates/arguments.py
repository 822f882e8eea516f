"""Arguments of a call in the wrong order, or one that should be another."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from healing.graph.names import bound_names
from healing.repair.search.source import Change, Source

MOST_ARGUMENTS = 5
MOST_NAMES = 6  # of a function, that may have been meant


def swapped_arguments(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Two neighbours of a call's arguments by position, and the values of two keywords beside each other."""
    for call in source.nodes(lines, ast.Call):
        if 2 <= len(call.args) <= MOST_ARGUMENTS and not any(isinstance(a, ast.Starred) for a in call.args):
            for left, right in pairwise(call.args):
                yield from _swapped(source, left, right, rank=0)
        for one, other in pairwise(call.keywords):
            yield from _swapped(source, one.value, other.value, rank=1)


def _swapped(source: Source, left: ast.expr, right: ast.expr, rank: int) -> Iterator[Change]:
    one, other = source.text(left), source.text(right)
    _, _, between = source.between(left, right)
    if one != other:
        what = f"`{other}` and `{one}` swapped"
        yield Change(source.start(left), source.end(right), other + between + one, left.lineno, what, rank)


def wrong_argument(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Another of the function's own names for a name that is handed on."""
    for call in source.nodes(lines, ast.Call):
        function = source.function(call)
        if function is None:
            continue
        pool = sorted(bound_names(ast.Module(body=[*function.body], type_ignores=[])) | _parameters(function.args))
        for argument in call.args:
            if isinstance(argument, ast.Name) and len(pool) <= MOST_NAMES:
                for name in pool:
                    if name not in (argument.id, "self", "cls"):
                        yield source.replaced(argument, name, f"`{name}` for `{argument.id}`", rank=1)


def _parameters(args: ast.arguments) -> set[str]:
    return {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
