"""What the names of a file stand for: the dotted name of what was imported."""

import ast
from dataclasses import dataclass
from functools import cached_property

from healing.graph.python.modules import Modules


@dataclass(frozen=True)
class Origins:
    """A name that the file also binds in another way, or to two things, stands for nothing that is known."""

    path: str
    tree: ast.Module
    modules: Modules

    def of(self, node: ast.expr) -> str:
        """`numpy.inf` for `np.inf` after `import numpy as np`; empty where it isn't known."""
        if isinstance(node, ast.Attribute):
            owner = self.of(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return self._imported.get(node.id, "") if isinstance(node, ast.Name) else ""

    def module(self, node: ast.ImportFrom) -> str:
        """The absolute name of the module that an import is from."""
        if not node.level:
            return node.module or ""
        return self.modules.absolute(self.path, node.level, node.module or "")

    @cached_property
    def _imported(self) -> dict[str, str]:
        names: dict[str, set[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name if alias.asname else alias.name.partition(".")[0]
                    names.setdefault(alias.asname or top, set()).add(top)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    names.setdefault(alias.asname or alias.name, set()).add(f"{self.module(node)}.{alias.name}")
        return {name: found.pop() for name, found in names.items() if len(found) == 1 and name not in self.bound}

    @cached_property
    def bound(self) -> frozenset[str]:
        """Names that the file binds otherwise than by an import."""
        return frozenset(
            name
            for node in ast.walk(self.tree)
            for name in (
                (node.id,)
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
                else (node.arg,)
                if isinstance(node, ast.arg)
                else (node.name,)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                else ()
            )
        )
