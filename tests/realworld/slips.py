"""Slips of the pen that tools see: unused and missing imports, form, names, syntax. Each yields its candidates."""

import ast
import builtins
from collections.abc import Iterator

from tests.realworld.sites import Breakage, File, Source, parses

SPARE = ("json", "textwrap", "decimal", "shutil")  # modules that an author imported and then did not need
MIN_LENGTH = 5  # letters of a name that is worth a typo


def unused_import(source: Source) -> Iterator[Breakage]:
    """An import that nothing needs, below the first one."""
    for file in source.files:
        first = next((n for n in file.tree.body if isinstance(n, ast.Import | ast.ImportFrom)), None)
        for module in SPARE:
            if first is not None and module.encode() not in file.data:
                start = file.starts[first.lineno - 1]
                new = file.cut(start, start, f"import {module}\n".encode())
                yield Breakage("unused import", "lint", f"{file.path}: import {module}", {file.path: new})


def unused_variable(source: Source) -> Iterator[Breakage]:
    """A local that is computed and forgotten."""
    for file in source.files:
        for function in file.functions():
            last, args = function.body[-1], [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
            if not args or not isinstance(last, ast.Return) or len(function.body) < 2:
                continue
            at = file.starts[last.lineno - 1]
            line = f"{' ' * last.col_offset}previous = {args[0]}\n".encode()
            what = f"{file.path}: {function.name}() keeps {args[0]} for nothing"
            yield Breakage("unused variable", "lint", what, {file.path: file.cut(at, at, line)})


def spacing(source: Source) -> Iterator[Breakage]:
    """Assignments without spaces, as after typing in a hurry."""
    for file in source.files:
        for function, node in file.inside(ast.Assign):
            assert isinstance(node, ast.Assign)
            end = file.span(node.targets[-1])[1]
            start = file.span(node.value)[0]
            if file.data[end:start] == b" = ":
                what = f"{file.path}: no spaces around = in {function.name}()"
                yield Breakage("form", "format", what, {file.path: file.cut(end, start, b"=")})


def quotes(source: Source) -> Iterator[Breakage]:
    """Single quotes where the project has double ones."""
    for file in source.files:
        for function, node in file.inside(ast.Constant):
            assert isinstance(node, ast.Constant)
            text = file.text(node)
            if (
                isinstance(node.value, str)
                and text[:1] == text[-1:] == b'"'
                and text.count(b'"') == 2 > text.count(b"'")
            ):
                what = f"{file.path}: single quotes in {function.name}()"
                start, end = file.span(node)
                yield Breakage("quotes", "format", what, {file.path: file.cut(start, end, b"'" + text[1:-1] + b"'")})


def missing_import(source: Source) -> Iterator[Breakage]:
    """A plain import line is gone, or one name of several."""
    for file in source.files:
        for node in file.tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom) or node.names[0].name == "*":
                continue
            for alias in node.names:
                name = alias.asname or alias.name
                if _loads(file, name.split(".")[0]):
                    new = _without(file, node, alias)
                    what = f"{file.path}: {name} is no longer imported"
                    yield Breakage("missing import", "import", what, {file.path: new})


def _loads(file: File, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(file.tree))


def _without(file: File, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bytes:
    start, end = file.span(node)
    if len(node.names) == 1:
        return file.cut(start, min(end + 1, len(file.data)), b"")
    kept = ast.unparse(_keeping(node, [a for a in node.names if a is not alias]))
    return file.cut(start, end, kept.encode())


def _keeping(node: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(node.module, names, node.level)


def wrong_import(source: Source) -> Iterator[Breakage]:
    """A name of the package is imported from the wrong one of its modules, or under a mistyped name."""
    modules = sorted({f.path.rsplit("/", 1)[-1].removesuffix(".py") for f in source.files} - {"__init__", "__main__"})
    for file in source.files:
        for node in file.tree.body:
            if not isinstance(node, ast.ImportFrom) or node.module == "__future__":
                continue
            start, end = file.span(node)
            text = file.data[start:end]
            for other in modules if node.level else ():
                if node.module in modules and other != node.module and not file.path.endswith(f"/{other}.py"):
                    new = text.replace(str(node.module).encode(), other.encode(), 1)
                    what = f"{file.path}: from .{other} instead of .{node.module}"
                    yield Breakage("wrong module", "import", what, {file.path: file.cut(start, end, new)})
            yield from _mistyped_import(file, node)


def _mistyped_import(file: File, node: ast.ImportFrom) -> Iterator[Breakage]:
    for alias in node.names:
        at = file.at(alias.lineno, alias.col_offset)
        if len(alias.name) >= MIN_LENGTH and alias.asname is None:
            new = file.cut(at, at + len(alias.name), typo(alias.name).encode())
            what = f"{file.path}: imports {typo(alias.name)} instead of {alias.name}"
            yield Breakage("mistyped import", "import", what, {file.path: new})


def typo(name: str) -> str:
    """The name with two letters swapped, where that shows; else with one letter less."""
    middle = len(name) // 2
    for at in (middle, *range(1, len(name) - 1)):
        if name[at] != name[at - 1] and name[at].isalpha() and name[at - 1].isalpha():
            return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    return name[:-1]


def misspelt_name(source: Source) -> Iterator[Breakage]:
    """One use of a local name, a parameter or a function of the module has a typo."""
    for file in source.files:
        for function, node in file.inside(ast.Name):
            assert isinstance(node, ast.Name)
            if len(node.id) >= MIN_LENGTH and isinstance(node.ctx, ast.Load) and node.id not in dir(builtins):
                start, end = file.span(node)
                what = f"{file.path}:{node.lineno}: {typo(node.id)} for {node.id} in {function.name}()"
                new = file.cut(start, end, typo(node.id).encode())
                yield Breakage("misspelt name", "name", what, {file.path: new})


def misspelt_attribute(source: Source) -> Iterator[Breakage]:
    """One use of an attribute of self has a typo."""
    for file in source.files:
        for function, node in file.inside(ast.Attribute):
            assert isinstance(node, ast.Attribute)
            if len(node.attr) >= MIN_LENGTH and isinstance(node.ctx, ast.Load) and not node.attr.endswith("__"):
                end = file.span(node)[1]
                what = f"{file.path}:{node.lineno}: .{typo(node.attr)} for .{node.attr} in {function.name}()"
                new = file.cut(end - len(node.attr), end, typo(node.attr).encode())
                yield Breakage("misspelt attribute", "name", what, {file.path: new})


def renamed_symbol(source: Source) -> Iterator[Breakage]:
    """A private function or method is renamed where it is defined, and nowhere else."""
    for file in source.files:
        for function in file.functions():
            if function.name.endswith("__") or function.decorator_list or source.uses(function.name) < 2:
                continue
            at = file.data.index(b"def ", file.starts[function.lineno - 1]) + 4
            new_name = f"{function.name}_of" if "_" in function.name.strip("_") else f"make_{function.name.strip('_')}"
            new = file.cut(at, at + len(function.name), new_name.encode())
            what = f"{file.path}: {function.name}() is now called {new_name}(), its users don't know"
            yield Breakage("renamed symbol", "rename", what, {file.path: new})


def missing_colon(source: Source) -> Iterator[Breakage]:
    """A compound statement without its colon."""
    for file in source.files:
        for function, node in (*file.inside(ast.If), *file.inside(ast.For), *file.inside(ast.While)):
            body = node.body[0]  # type: ignore[attr-defined]
            before = file.data.rfind(b":\n", 0, file.at(body.lineno, body.col_offset))
            new = file.cut(before, before + 1, b"")
            if before > file.at(node.lineno, 0) and not parses(new):  # type: ignore[attr-defined]
                what = f"{file.path}:{node.lineno}: no colon in {function.name}()"  # type: ignore[attr-defined]
                yield Breakage("missing colon", "syntax", what, {file.path: new})


def missing_bracket(source: Source) -> Iterator[Breakage]:
    """A call without its closing bracket."""
    for file in source.files:
        for function, node in file.inside(ast.Call):
            assert isinstance(node, ast.Call)
            end = file.span(node)[1]
            if node.lineno == node.end_lineno and file.data[end - 1 : end] == b")":
                new = file.cut(end - 1, end, b"")
                if not parses(new):
                    what = f"{file.path}:{node.lineno}: no closing bracket in {function.name}()"
                    yield Breakage("missing bracket", "syntax", what, {file.path: new})
