"""An index of the names in a repo: where they are defined and imported, and near misspellings. Only for Python so far;
files are read on demand."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from healing.graph import is_test
from healing.graph.python import definitions
from healing.graph.python.modules import Modules
from healing.graph.python.syntax import parse
from healing.view import TreeView

NEAR = 0.72  # similarity from which one name may be a misspelling of the other
CLEAR = 0.06  # how much the best match has to be better than the second


class NameIndex:
    """The names in one tree. Each file is parsed on first use."""

    def __init__(self, view: TreeView) -> None:
        self.view = view
        self._trees: dict[str, ast.Module | None] = {}
        self._files: dict[str, tuple[str, ...]] = {}

    @cached_property
    def modules(self) -> Modules:
        """The tree's modules and their files."""
        return Modules(self.view.paths())

    def tree(self, path: str) -> ast.Module | None:
        """The parsed file; None if it doesn't exist or doesn't parse."""
        if path not in self._trees:
            data = self.view.read(path)
            self._trees[path] = parse(data) if data is not None else None
        return self._trees[path]

    def files_with(self, name: str) -> tuple[str, ...]:
        """The Python files that contain `name` as a word."""
        if name not in self._files:
            self._files[name] = self.those_with(name, self.modules.paths)
        return self._files[name]

    def those_with(self, name: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that contain `name` as a word."""
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        return tuple(path for path in paths if word.search(self.view.read(path) or b""))

    def uses(self, name: str) -> Counter[str]:
        """How often each file that parses has `name` as a name, an attribute or an imported name."""
        counts: Counter[str] = Counter()
        for path in self.files_with(name):
            counts[path] = len(mentions(self.tree(path), name))
        return +counts

    def importing(self, name: str) -> list[ast.Import | ast.ImportFrom]:
        """Top-level imports that bind `name`, as one-name statements with absolute modules; the most common first,
        those in tests last."""
        counted: Counter[str] = Counter()
        for path in self.files_with(name):
            for statement in imports_of(self.tree(path)):
                for text in self._absolute(path, statement, name):
                    counted[text] += 1 if is_test(path) else 1000
        trees = [parse(text) for text, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]
        nodes = [node for tree in trees if tree for node in tree.body]
        return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]

    def _absolute(self, path: str, node: ast.Import | ast.ImportFrom, name: str) -> list[str]:
        statements = []
        for alias in node.names:
            if (alias.asname or alias.name) != name:
                continue
            renamed = f" as {alias.asname}" if alias.asname else ""
            if isinstance(node, ast.Import):
                statements.append(f"import {alias.name}{renamed}")
                continue
            module = self.modules.absolute(path, node.level, node.module or "")
            if module:
                statements.append(f"from {module} import {alias.name}{renamed}")
        return statements

    def defining(self, name: str) -> tuple[str, ...]:
        """The files, except tests, that define `name` at their top level."""
        files = (path for path in self.files_with(name) if not is_test(path))
        return tuple(path for path in files if name in self.top_level(path))

    def top_level(self, path: str) -> frozenset[str]:
        """Names that the file defines at its top level."""
        tree = self.tree(path)
        return definitions(tree) if tree else frozenset()

    def classes(self, name: str) -> list[tuple[str, ast.ClassDef]]:
        """(file, node) of each top-level class called `name`."""
        return [
            (path, node)
            for path in self.files_with(name)
            for node in getattr(self.tree(path), "body", [])
            if isinstance(node, ast.ClassDef) and node.name == name
        ]


def imports_of(tree: ast.Module | None) -> list[ast.Import | ast.ImportFrom]:
    """The imports at the top level of a file, in order."""
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)] if tree else []


def unbound_names(tree: ast.Module) -> frozenset[str]:
    """Names that the file reads but doesn't bind, and that aren't builtins."""
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return frozenset(read - bound_names(tree) - set(dir(builtins)))


def mentions(tree: ast.Module | None, name: str) -> list[ast.AST]:
    """Nodes that use or bind `name`: names, attributes and imported names, but not definitions."""
    if tree is None:
        return []
    return [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id == name)
        or (isinstance(node, ast.Attribute) and node.attr == name)
        or (isinstance(node, ast.alias) and node.name == name)
    ]


def exported(tree: ast.Module, name: str) -> list[ast.Constant]:
    """The strings in a module's `__all__` that are this name."""
    return [
        node
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and "__all__" in ast.dump(statement)
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and node.value == name
    ]


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Every name that the file binds anywhere: assignments, parameters, definitions, imports."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
    return frozenset(names)


def attributes_of(node: ast.ClassDef) -> frozenset[str]:
    """Attributes that a class defines: methods, class variables, and attributes assigned in its body."""
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            names.add(inner.attr)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
            if isinstance(target, ast.Name):
                names.add(target.id)
    return frozenset(names)


def closest_name(name: str, pool: frozenset[str] | set[str]) -> str | None:
    """The only name in `pool` that `name` may be a misspelling of; None if there is none or more than one."""
    scored = sorted(((_likeness(name, other), other) for other in pool if other != name), reverse=True)[:2]
    if not scored or scored[0][0] < NEAR:
        return _near_and_short(name, pool)
    if len(scored) > 1 and scored[0][0] - scored[1][0] < CLEAR:
        return None
    return scored[0][1]


def _near_and_short(name: str, pool: frozenset[str] | set[str]) -> str | None:
    """The same for names of three letters, whose similarity is low if one letter differs: the only name of `pool` with
    the same length and first letter in which just one letter differs."""
    if len(name) != 3:
        return None
    alike = [other for other in pool if len(other) == len(name) and other[0] == name[0]]
    candidates = [other for other in alike if _differing(name, other) == 1]
    return candidates[0] if len(candidates) == 1 else None


def _differing(left: str, right: str) -> int:
    return sum(char != other_char for char, other_char in zip(left, right, strict=True))


@lru_cache(maxsize=4096)
def _likeness(left: str, right: str) -> float:
    if abs(len(left) - len(right)) > 3:
        return 0.0
    if left.lower() == right.lower() or left.strip("_") == right.strip("_"):
        return 0.99
    if sorted(left) == sorted(right):
        return 0.95  # letters swapped
    return SequenceMatcher(None, left, right, autojunk=False).ratio()
