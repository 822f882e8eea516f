"""Finds where the names that Python code uses are defined, through imports and re-exports."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from healing.graph.python.modules import Modules
from healing.graph.python.syntax import parse

HOPS = 8  # re-exports that a name is followed through
MAX_STARS = 20  # `from x import *` statements of one file that are followed
Function = ast.FunctionDef | ast.AsyncFunctionDef
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class DefinedName:
    """A statement that defines a name, in a file."""

    file: str
    node: ast.stmt

    @property
    def lines(self) -> tuple[int, int]:
        """Its first and last line, decorators included."""
        decorators = self.node.decorator_list if isinstance(self.node, DEFINED) else []
        first = min([self.node.lineno, *(decorator.lineno for decorator in decorators)])
        return first, self.node.end_lineno or self.node.lineno


@dataclass
class Names:
    """The names bound at the top level of one file: by its own statements, and from other modules as (dotted module,
    name), with an empty name for the module itself."""

    own: dict[str, ast.stmt] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


class LookUp:
    """Looks names up in one tree; `paths` are all its files. Each file is read once."""

    def __init__(self, read: Callable[[str], bytes | None], paths: Iterable[str]) -> None:
        self._read = read
        self.modules = Modules(paths)
        self._trees: dict[str, ast.Module | None] = {}
        self._names: dict[str, Names] = {}

    def tree(self, file: str) -> ast.Module | None:
        """The file's syntax tree; None if it isn't Python or doesn't parse."""
        if file not in self._trees:
            data = self._read(file) if file.endswith((".py", ".pyi")) else None
            self._trees[file] = parse(data) if data is not None else None
        return self._trees[file]

    def around(self, file: str, line: int) -> DefinedName | None:
        """The innermost function around a line."""
        tree = self.tree(file)
        functions = (n for n in ast.walk(tree) if isinstance(n, Function)) if tree else iter(())
        inside = [n for n in functions if n.lineno <= line <= (n.end_lineno or n.lineno)]
        return DefinedName(file, max(inside, key=lambda node: node.lineno)) if inside else None

    def inside(self, file: str, *names: str) -> DefinedName | None:
        """The definition with that path of names, such as a class and its method."""
        body, definition = (tree.body if (tree := self.tree(file)) else []), None
        for name in names:
            definition = next((n for n in body if isinstance(n, DEFINED) and n.name == name), None)
            if definition is None:
                return None
            body = definition.body
        return DefinedName(file, definition) if definition else None

    def find(self, file: str, name: str, hops: int = HOPS) -> DefinedName | None:
        """The definition of a name that is bound at the file's top level; None if it isn't in this tree."""
        names = self._bound(file)
        if name in names.own:
            return DefinedName(file, names.own[name])
        if not hops:
            return None
        if name in names.imported:
            module, original = names.imported[name]
            target = self.modules.find(module, file)
            return self.find(target, original, hops - 1) if target and original else None
        targets = (self.modules.find(module, file) for module in names.stars[:MAX_STARS])
        return next((place for target in targets if target and (place := self.find(target, name, hops - 1))), None)

    def member(self, file: str, base: str, name: str) -> DefinedName | None:
        """The definition of `base.name`, where `base` is a module or a class; None if there is none."""
        names = self._bound(file)
        if base in names.imported:
            module, original = names.imported[base]
            dotted = ".".join(filter(None, (module, original)))
            if target := self.modules.find(dotted, file):
                return self.find(target, name)
        owner = self.find(file, base)
        if owner is not None and isinstance(owner.node, ast.ClassDef):
            return self.inside(owner.file, owner.node.name, name)
        return None

    def _bound(self, file: str) -> Names:
        if file not in self._names:
            names, tree = Names(), self.tree(file)
            for node in _statements(tree.body) if tree else ():
                self._bind(names, file, node)
            self._names[file] = names
        return self._names[file]

    def _bind(self, names: Names, file: str, node: ast.stmt) -> None:
        if isinstance(node, DEFINED):
            names.own[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.own |= {t.id: node for t in targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                names.imported[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0],
                    "",
                )
        elif isinstance(node, ast.ImportFrom):
            module = self.modules.absolute(file, node.level, node.module or "")
            names.stars += [module for alias in node.names if alias.name == "*"]
            names.imported |= {
                alias.asname or alias.name: (module, alias.name) for alias in node.names if alias.name != "*"
            }


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of the top level, including those below `if` and `try`."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from _statements([*node.body, *node.orelse])
            if isinstance(node, ast.Try):
                yield from _statements(part for handler in node.handlers for part in handler.body)
