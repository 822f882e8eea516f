"""Mistakes that only a type checker or a test sees. Each yields its candidates."""

import ast
from collections.abc import Iterator

from tests.realworld.projects import Project
from tests.realworld.sites import Breakage, File, Source, parses

FLIPPED: dict[type[ast.cmpop], tuple[bytes, bytes]] = {
    ast.Lt: (b"<", b"<="), ast.LtE: (b"<=", b"<"), ast.Gt: (b">", b">="), ast.GtE: (b">=", b">"),
    ast.Eq: (b"==", b"!="), ast.NotEq: (b"!=", b"=="), ast.Is: (b"is", b"is not"), ast.IsNot: (b"is not", b"is"),
    ast.In: (b"in", b"not in"), ast.NotIn: (b"not in", b"in"),
}  # fmt: skip
OTHER: dict[type[ast.operator], tuple[bytes, bytes]] = {
    ast.Add: (b"+", b"-"), ast.Sub: (b"-", b"+"), ast.Mult: (b"*", b"+"), ast.FloorDiv: (b"//", b"%"),
    ast.Mod: (b"%", b"//"),
}  # fmt: skip


def type_error(source: Source) -> Iterator[Breakage]:
    """A conversion is forgotten, an Optional is lost, a result is annotated wrongly."""
    for file in source.files:
        for function, node in file.inside(ast.Call):
            assert isinstance(node, ast.Call)
            if isinstance(node.func, ast.Name) and node.func.id in ("str", "int") and len(node.args) == 1:
                start, end = file.span(node)
                what = f"{file.path}:{node.lineno}: no {node.func.id}() in {function.name}()"
                yield Breakage(
                    "lost conversion", "type", what, {file.path: file.cut(start, end, file.text(node.args[0]))}
                )
        for function in file.functions():
            yield from _annotations(file, function)


def _annotations(file: File, function: ast.FunctionDef) -> Iterator[Breakage]:
    for arg in function.args.args:
        note = arg.annotation
        if isinstance(note, ast.Subscript) and isinstance(note.value, ast.Name) and note.value.id == "Optional":
            start, end = file.span(note)
            what = f"{file.path}: {arg.arg} of {function.name}() is no longer Optional"
            yield Breakage("lost Optional", "type", what, {file.path: file.cut(start, end, file.text(note.slice))})
    if isinstance(function.returns, ast.Name) and function.returns.id in ("bool", "str", "int"):
        start, end = file.span(function.returns)
        wrong = b"int" if function.returns.id == "str" else b"str"
        what = f"{file.path}: {function.name}() is said to give {wrong.decode()}"
        yield Breakage("wrong annotation", "type", what, {file.path: file.cut(start, end, wrong)})


def comparison(source: Source) -> Iterator[Breakage]:
    """A comparison is off by one, or turned round."""
    for file in source.files:
        for function, node in file.inside(ast.Compare):
            assert isinstance(node, ast.Compare)
            if len(node.ops) == 1:
                old, new = FLIPPED[type(node.ops[0])]
                yield from _swapped_operator(file, function, node.left, node.comparators[0], (old, new), "comparison")


def arithmetic(source: Source) -> Iterator[Breakage]:
    """The wrong operator in a sum."""
    for file in source.files:
        for function, node in file.inside(ast.BinOp):
            assert isinstance(node, ast.BinOp)
            text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            if type(node.op) in OTHER and not text:
                yield from _swapped_operator(file, function, node.left, node.right, OTHER[type(node.op)], "arithmetic")


def _swapped_operator(
    file: File, function: ast.FunctionDef, left: ast.expr, right: ast.expr, pair: tuple[bytes, bytes], kind: str
) -> Iterator[Breakage]:
    start, end = file.span(left)[1], file.span(right)[0]
    between = file.data[start:end]
    if between.strip() != pair[0]:
        return
    new = file.cut(start, end, between.replace(pair[0], pair[1], 1))
    what = f"{file.path}:{left.lineno}: {pair[1].decode()} for {pair[0].decode()} in {function.name}()"
    if parses(new):
        yield Breakage(kind, "logic", what, {file.path: new})


def lost_return(source: Source) -> Iterator[Breakage]:
    """The last `return` is missing: the value is computed and dropped."""
    for file in source.files:
        for function in file.functions():
            last = function.body[-1]
            if isinstance(last, ast.Return) and isinstance(last.value, ast.Call | ast.Name | ast.BinOp):
                start = file.span(last)[0]
                what = f"{file.path}:{last.lineno}: {function.name}() does not return its result"
                new = file.cut(start, start + len(b"return "), b"")
                yield Breakage("lost return", "logic", what, {file.path: new})


def inverted_condition(source: Source) -> Iterator[Breakage]:
    """`not` too many or too few in an `if`."""
    for file in source.files:
        for function, node in file.inside(ast.If):
            assert isinstance(node, ast.If)
            test = node.test
            start, end = file.span(test)
            what = f"{file.path}:{node.lineno}: the condition in {function.name}() is inverted"
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                new = file.cut(start, end, file.text(test.operand))
                yield Breakage("inverted condition", "logic", what, {file.path: new})
            elif isinstance(test, ast.Name | ast.Call | ast.Attribute):
                yield Breakage("inverted condition", "logic", what, {file.path: file.cut(start, start, b"not ")})


def swapped_arguments(source: Source) -> Iterator[Breakage]:
    """Two neighbouring arguments of a call changed places."""
    for file in source.files:
        for function, node in file.inside(ast.Call):
            assert isinstance(node, ast.Call)
            if len(node.args) < 2 or any(isinstance(a, ast.Starred | ast.Constant) for a in node.args[:2]):
                continue
            one, two = node.args[:2]
            (start, middle), (again, end) = file.span(one), file.span(two)
            if file.text(one) != file.text(two):
                new = file.cut(start, end, file.text(two) + file.data[middle:again] + file.text(one))
                what = f"{file.path}:{node.lineno}: the first two arguments are swapped in {function.name}()"
                yield Breakage("swapped arguments", "swap", what, {file.path: new})


def upstream(project: Project, files: dict[str, bytes]) -> Iterator[Breakage]:
    """Real bug-fixes of the project, taken back. Raises ValueError where the release is not what was expected."""
    for one in project.upstream:
        if files[one.file].count(one.old.encode()) != 1:
            raise ValueError(f"{project.title}: {one.which}: its text is not once in {one.file}")
        new = files[one.file].replace(one.old.encode(), one.new.encode())
        yield Breakage("upstream fix undone", "upstream", f"{one.file}: {one.which}", {one.file: new})
