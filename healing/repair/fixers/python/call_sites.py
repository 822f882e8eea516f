"""Finds calls of one function in a file, and rewrites their arguments for changed parameters."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, zip_longest


@dataclass(frozen=True)
class Signature:
    """Parameters by name, in order; `self` and `cls` are left out. `required` have no default."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    required: frozenset[str]
    open: bool  # takes `*args` or `**kwargs`

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters' names."""
        return (*self.positional, *self.keyword_only)

    @classmethod
    def of(cls, node: ast.FunctionDef | ast.AsyncFunctionDef, method: bool) -> "Signature":
        """The signature of a definition; of a `method` the first parameter is left out."""
        args = node.args
        positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        defaulted = set(positional[len(positional) - len(args.defaults) :]) if args.defaults else set()
        only = [arg.arg for arg in args.kwonlyargs]
        defaulted |= {name for name, default in zip(only, args.kw_defaults, strict=True) if default is not None}
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
        taken = tuple(positional[1:] if method and not static else positional)
        return cls(taken, tuple(only), frozenset({*taken, *only} - defaulted), bool(args.vararg or args.kwarg))


def calls_of(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    """Calls of `name` as a bare name or as an attribute, without `*` or `**` arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", None)
            plain = all(k.arg for k in node.keywords) and not any(isinstance(a, ast.Starred) for a in node.args)
            if called == name and plain:
                yield node


Arguments = list[tuple[str, str]]  # (the old parameter's name, what precedes its value)


def adapted(call: ast.Call, old: Signature, new: Signature, renamed: Mapping[str, str]) -> Arguments | None:
    """The call's arguments in the order and under the names of the new signature; None where these can't be determined,
    or where nothing changes."""
    by_place = list(old.positional[: len(call.args)])
    by_name = [k.arg for k in call.keywords if k.arg]
    passed = [*by_place, *by_name]
    new_name = {name: renamed.get(name, name) for name in passed}
    kept = [name for name in passed if new_name[name] in new.names]
    if (
        len(call.args) > len(old.positional)
        or len(new_name) != len(passed)
        or new.required - {new_name[n] for n in kept}
    ):
        return None
    placed = sorted((n for n in kept if n in by_place), key=lambda n: new.names.index(new_name[n]))
    ordered = [*placed, *(n for n in kept if n in by_name)]
    fits = [name for name, place in zip(placed, new.positional, strict=False) if new_name[name] == place]
    arguments = [(name, "" if name in fits else f"{new_name[name]}=") for name in ordered]
    before = [(name, "" if name in by_place else f"{name}=") for name in passed]
    return arguments if arguments != before else None


def rewritten(data: bytes, call: ast.Call, old: Signature, arguments: Arguments) -> bytes:
    """The file with these arguments in the call; the text between them stays as it is."""
    spans = _spans(data, call, old)
    places = sorted(spans.values())
    by_name = {k.arg for k in call.keywords}
    texts = []
    for name, prefix in arguments:
        text = data[slice(*spans[name])]
        texts.append(prefix.encode() + (text.partition(b"=")[2].lstrip() if name in by_name else text))
    gaps = [data[left[1] : right[0]] for left, right in pairwise(places)][: max(len(texts) - 1, 0)]
    inside = b"".join(text + gap for text, gap in zip_longest(texts, gaps, fillvalue=b""))
    return data[: places[0][0]] + inside + data[places[-1][1] :]


def _spans(data: bytes, call: ast.Call, old: Signature) -> dict[str, tuple[int, int]]:
    """Parameter → the span of its argument, with its name."""
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr | ast.keyword) -> tuple[int, int]:
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return starts[node.lineno - 1] + node.col_offset, end

    spans = {name: span(arg) for name, arg in zip(old.positional, call.args, strict=False)}
    return spans | {k.arg: span(k) for k in call.keywords if k.arg}
