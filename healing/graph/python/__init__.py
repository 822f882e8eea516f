"""Python: resolves imports, and finds what a module defines."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.facts import Facts, Import
from healing.graph.language import Tree
from healing.graph.python.modules import Modules
from healing.graph.python.skimming import skim


def read_facts(data: bytes, _suffix: str = ".py") -> Facts:
    """The facts of Python source; of broken source those that can be read. Never raises."""
    imports, defined = skim(data)
    return Facts(imports, defined)


def resolver(tree: Tree) -> "PythonFiles":
    """The resolver for `tree`."""
    return PythonFiles(Modules(tree.paths))


@dataclass(frozen=True)
class PythonFiles:
    """Finds the files that imports name in one tree."""

    modules: Modules

    def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """The files that this file's imports name."""
        for item in facts.imports:
            yield from self._named(item, path)

    def _named(self, item: Import, path: str) -> Iterator[str]:
        """The files of an import: for `from a import b` the module a.b if it exists, else a."""
        modules = self.modules
        base = modules.absolute(path, item.level, item.module)
        if not item.names:
            file = self._longest(base, path)
            if file:
                yield file
            return
        if not modules.holds(base.partition(".")[0] or item.names[0]):
            return
        for name in item.names:
            file = modules.find(f"{base}.{name}", path) if base else modules.find(name, path)
            file = file or (modules.find(base, path) if base else None)
            if file:
                yield file

    def _longest(self, dotted: str, path: str) -> str | None:
        """The file of the longest prefix of the name that is a module: `import a.b.c` gives a.b if there is no
        a.b.c."""
        while dotted:
            file = self.modules.find(dotted, path)
            if file:
                return file
            dotted = dotted.rpartition(".")[0]
        return None


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
