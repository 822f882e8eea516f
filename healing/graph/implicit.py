"""Files that run without being imported: a package's `__init__.py` before its modules, a `conftest.py` before tests."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from healing.graph.testfiles import is_test


@lru_cache(maxsize=4)
def run_implicitly(files: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """For each `__init__.py` and `conftest.py` of `files`: the other files that don't run without it."""
    known = [path for path in files if path.endswith((".py", ".pyi"))]
    inits = {path.rpartition("/")[0]: path for path in known if path.rpartition("/")[2] == "__init__.py"}
    conftests = {path.rpartition("/")[0]: path for path in known if path.rpartition("/")[2] == "conftest.py"}
    found: dict[str, list[str]] = {}
    for path in known:
        folder = path.rpartition("/")[0]
        above = list(_packages(folder, inits))
        if conftests and is_test(path):
            above += [conftests[one] for one in folders_up(folder) if one in conftests]
        for runs in above:
            if runs != path:
                found.setdefault(runs, []).append(path)
    return {path: tuple(below) for path, below in found.items()}


def _packages(folder: str, inits: Mapping[str, str]) -> Iterator[str]:
    for one in folders_up(folder):
        if one not in inits:
            return
        yield inits[one]


def folders_up(folder: str) -> Iterator[str]:
    """`a/b`, `a` and the empty name of the top, for `a/b`."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""
