"""The import graph: which files need which others, and so which tests a change concerns."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from healing.graph.facts import Facts
from healing.graph.implicit import run_implicitly


class Graph:
    """Edges between files. `imports` has only those in the sources; `with_dependents` also follows files that run
    implicitly: the `__init__.py` of each parent package, and the `conftest.py` files above a test."""

    def __init__(self, edges: Mapping[str, frozenset[str]], facts: Mapping[str, Facts]) -> None:
        self._edges = edges
        self._facts = facts

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Every file that was read, sorted."""
        return tuple(sorted(self._facts))

    def knows(self, path: str) -> bool:
        """Whether `path` was read: a file in one of the graph's languages."""
        return path in self._facts

    def imports(self, path: str) -> frozenset[str]:
        """The repo's files that `path` imports directly."""
        return self._edges.get(path, frozenset())

    def defining(self, name: str) -> tuple[str, ...]:
        """The files that define `name` for use by others, sorted."""
        return self._defining.get(name, ())

    def defines(self, path: str, name: str) -> bool:
        """Whether `path` defines `name` for use by others."""
        return path in self._facts and name in self._facts[path].definitions

    def with_dependents(self, paths: Iterable[str]) -> frozenset[str]:
        """`paths` and all files that need one of them, directly or indirectly: a change there may affect their
        tests."""
        reached = set(paths)
        todo = list(reached)
        while todo:
            for user in self._dependents_of(todo.pop()):
                if user not in reached:
                    reached.add(user)
                    todo.append(user)
        return frozenset(reached)

    def _dependents_of(self, path: str) -> Iterator[str]:
        yield from self._reversed.get(path, ())
        yield from self._below.get(path, ())

    @cached_property
    def _reversed(self) -> dict[str, list[str]]:
        importers: dict[str, list[str]] = {}
        for path, imported in self._edges.items():
            for target in imported:
                importers.setdefault(target, []).append(path)
        return importers

    @cached_property
    def _below(self) -> Mapping[str, tuple[str, ...]]:
        return run_implicitly(self.files)

    @cached_property
    def _defining(self) -> dict[str, tuple[str, ...]]:
        defining: dict[str, list[str]] = {}
        for path in self.files:
            for name in self._facts[path].definitions:
                defining.setdefault(name, []).append(path)
        return {name: tuple(files) for name, files in defining.items()}
