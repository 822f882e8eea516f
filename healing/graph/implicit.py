"""Files that run without an import: a package's `__init__.py` before its modules, a `conftest.py` before tests."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from healing.graph.testfiles import is_test


@lru_cache(maxsize=4)
def run_implicitly(files: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """For each `__init__.py` and `conftest.py` in `files`: the other files before which it runs."""
    known = [path for path in files if path.endswith((".py", ".pyi"))]
    inits = {path.rpartition("/")[0]: path for path in known if path.rpartition("/")[2] == "__init__.py"}
    conftests = {path.rpartition("/")[0]: path for path in known if path.rpartition("/")[2] == "conftest.py"}
    dependents: dict[str, list[str]] = {}
    for path in known:
        folder = path.rpartition("/")[0]
        above = list(_packages(folder, inits))
        if conftests and is_test(path):
            above += [conftests[up] for up in folders_up(folder) if up in conftests]
        for runs in above:
            if runs != path:
                dependents.setdefault(runs, []).append(path)
    return {path: tuple(below) for path, below in dependents.items()}


def _packages(folder: str, inits: Mapping[str, str]) -> Iterator[str]:
    for up in folders_up(folder):
        if up not in inits:
            return
        yield inits[up]


def folders_up(folder: str) -> Iterator[str]:
    """The folder and its parents: `a/b`, `a` and the empty name of the root, for `a/b`."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""
