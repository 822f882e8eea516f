"""The import graph of a repo: who needs whom, and so which tests reach a change (CL-2)."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

from healing.graph.modules import Modules
from healing.graph.python import Facts, read_facts, targets
from healing.view import TreeView

Cache = dict[str, Facts]  # blob id → what that blob says; hand the same one in again and only new blobs are read


class Graph:
    """Edges between files. `imports` and `importers` are what the sources say; `reach_up` also knows what runs
    unsaid: the `__init__.py` of each package on the way, and the `conftest.py` above a test."""

    def __init__(self, edges: Mapping[str, frozenset[str]], modules: Modules, facts: Mapping[str, Facts]) -> None:
        self.modules = modules
        self._edges = edges
        self._facts = facts

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that was read, sorted."""
        return self.modules.paths

    def imports(self, path: str) -> frozenset[str]:
        """The repo's files that `path` imports itself."""
        return self._edges.get(path, frozenset())

    def importers(self, path: str) -> frozenset[str]:
        """The files that import `path` themselves."""
        return self._reversed.get(path, frozenset())

    def defining(self, name: str) -> tuple[str, ...]:
        """The files that define `name` at their top level, sorted."""
        return self._defining.get(name, ())

    def reach_up(self, paths: Iterable[str]) -> frozenset[str]:
        """`paths` and all files that need one of them, however indirectly: whose tests a change there concerns."""
        reached = set(paths)
        todo = list(reached)
        while todo:
            path = todo.pop()
            for user in self._runners_of(path):
                if user not in reached:
                    reached.add(user)
                    todo.append(user)
        return frozenset(reached)

    def _runners_of(self, path: str) -> Iterator[str]:
        yield from self.importers(path)
        yield from self._below.get(path, ())

    @cached_property
    def _reversed(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for path, imported in self._edges.items():
            for target in imported:
                found.setdefault(target, set()).add(path)
        return {path: frozenset(users) for path, users in found.items()}

    @cached_property
    def _below(self) -> dict[str, tuple[str, ...]]:
        """For each `__init__.py` and `conftest.py`: the files that don't run without it."""
        conftests = {str(PurePosixPath(path).parent): path for path in self.files if path.endswith("conftest.py")}
        found: dict[str, list[str]] = {}
        for path in self.files:
            above = list(self.modules.inits_above(path))
            if conftests and is_test(path):
                above += [conftests[str(folder)] for folder in PurePosixPath(path).parents if str(folder) in conftests]
            for init in above:
                if init != path:
                    found.setdefault(init, []).append(path)
        return {path: tuple(below) for path, below in found.items()}

    @cached_property
    def _defining(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in self.files:
            for name in self._facts[path].definitions if path in self._facts else ():
                found.setdefault(name, []).append(path)
        return {name: tuple(files) for name, files in found.items()}


def is_test(path: str) -> bool:
    """Whether `path` is a Python test file or lies in a folder of tests."""
    parts = PurePosixPath(path).parts
    name = parts[-1] if parts else ""
    named = name.startswith("test_") or name.endswith(("_test.py", "_tests.py")) or name in ("tests.py", "conftest.py")
    return named or any(part in ("test", "tests", "testing") for part in parts[:-1])


def import_graph(view: TreeView, cache: Cache | None = None) -> Graph:
    """The graph of the Python files of `view`. Never raises on what is in them; broken ones are read by line."""
    known: Cache = cache if cache is not None else {}
    modules = Modules(view.paths())
    facts: dict[str, Facts] = {}
    for path in modules.paths:
        found = _facts_of(view, path, known)
        if found is not None:
            facts[path] = found
    edges = {path: _edges_of(path, found, modules) for path, found in facts.items()}
    return Graph(edges, modules, facts)


def _facts_of(view: TreeView, path: str, known: Cache) -> Facts | None:
    blob = view.blob(path) or ""
    if blob not in known:
        data = view.read(path)
        if data is None:
            return None
        known[blob] = read_facts(data)
    return known[blob]


def _edges_of(path: str, facts: Facts, modules: Modules) -> frozenset[str]:
    return frozenset(target for item in facts.imports for target in targets(item, path, modules) if target != path)
