"""Where Python's imports lead, and what a module defines."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.facts import Facts, Import
from healing.graph.language import Tree
from healing.graph.modules import Modules
from healing.graph.skimming import skim

def read_facts(data: bytes, suffix: str = ".py") -> Facts:
    """Facts of Python source; of broken source what can still be seen. Never raises."""
    found, defined = skim(data)
    return Facts(found, defined)


def resolver(tree: Tree) -> "PythonFiles":
    """Where imports lead in `tree`."""
    return PythonFiles(Modules(tree.paths))


@dataclass(frozen=True)
class PythonFiles:
    """Finds the files that Python's imports name."""

    modules: Modules

    def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """Files of the repo that this file's imports name."""
        for item in facts.imports:
            yield from targets(item, path, self.modules)


def definitions(tree: ast.Module) -> frozenset[str]:
    """Names bound at the top level by `def`, `class` or assignment, also below `if` and `try`."""
    names: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif not isinstance(node, ast.Lambda | ast.comprehension):
            todo += ast.iter_child_nodes(node)
    return frozenset(names)


def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """Files of the repo that this file's imports name."""
        for item in facts.imports:
            yield from targets(item, path, self.modules)


def definitions(tree: ast.Module) -> frozenset[str]:
    """Names bound at the top level by `def`, `class` or assignment, also below `if` and `try`."""
    names: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif not isinstance(node, ast.Lambda | ast.comprehension):
            todo += ast.iter_child_nodes(node)
    return frozenset(names)


def _imports(tree: ast.Module) -> Iterator[Import]:
    # Statements only, not expressions: a tenth of the nodes.
    todo: list[ast.AST] = [*tree.body]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            yield from (Import(0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.level, node.module or "", tuple(alias.name for alias in node.names))
        else:
            for block in ("body", "orelse", "finalbody", "handlers", "cases"):
                inner = getattr(node, block, ())
                todo += inner if isinstance(inner, list) else ()


def _by_line(data: bytes) -> Iterator[Import]:
    for match in LINE.finditer(data):
        dots, module, names, plain = (part.decode("utf-8", "replace") if part else "" for part in match.groups())
        if plain:
            yield from (Import(0, word) for word in _words(plain))
        else:
            yield Import(len(dots), module, _words(names))


def _defined_by_line(data: bytes) -> Iterator[str]:
    return (match.group(1).decode("utf-8", "replace") for match in TOP.finditer(data))


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.split()[0] for part in text.split(",") if part.split())


def targets(item: Import, path: str, modules: Modules) -> Iterator[str]:
    """Files of the repo that this import in `path` names: of `from a import b` the module a.b where there is one,
    else a."""
    base = modules.absolute(path, item.level, item.module)
    if not item.names:
        found = _longest(base, path, modules)
        if found:
            yield found
        return
    for name in item.names:
        found = modules.find(f"{base}.{name}", path) if base else modules.find(name, path)
        found = found or (modules.find(base, path) if base else None)
        if found:
            yield found


def _longest(dotted: str, path: str, modules: Modules) -> str | None:
    """`import a.b.c` names a.b where c is not a module but something in it."""
    while dotted:
        found = modules.find(dotted, path)
        if found:
            return found
        dotted = dotted.rpartition(".")[0]
    return None
