"""Maps files to Python modules: src/ layouts, packages, scripts in one folder and test folders."""

from collections.abc import Iterable
from functools import cached_property

ROOTS = ("", "src/", "lib/", "python/")


class Modules:
    """The Python files of one tree by dotted name.

    A file has its name from the folder above its topmost package (which pytest and pip make importable), and those by
    its path from the root and from the usual source folders, which cover namespace packages.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(sorted(path for path in paths if path.endswith((".py", ".pyi"))))
        self._packages = {path.rpartition("/")[0] for path in self.paths if _stem(path) == "__init__"}

    def name_of(self, path: str) -> str:
        """The dotted name by which the repo most likely imports `path`."""
        return _dotted(path, self._root_of(path))

    def find(self, dotted: str, importer: str = "") -> str | None:
        """The file that `import dotted` loads in `importer`; None if it isn't in this repo, or a folder without a
        file."""
        candidates = self._by_name.get(dotted, ())
        if len(candidates) < 2:
            return candidates[0] if candidates else None
        return min(candidates, key=lambda path: (-_shared(path, importer), path.endswith(".pyi"), len(path), path))

    def holds(self, top: str) -> bool:
        """Whether the repo has a module or a package folder called `top`."""
        return top in self._tops

    def absolute(self, path: str, level: int, module: str) -> str:
        """The dotted name of the module in `from {level dots}{module} import …` in `path`; empty if there is none."""
        if level == 0:
            return module
        package = self.package_of(path).split(".")
        kept = package[: len(package) - (level - 1)]
        return ".".join([*kept, module] if module else kept).strip(".") if kept else ""

    def package_of(self, path: str) -> str:
        """The dotted name of the package that `path` is in (its own, for an `__init__.py`)."""
        name = self.name_of(path)
        return name if _stem(path) == "__init__" else name.rpartition(".")[0]

    @cached_property
    def _tops(self) -> frozenset[str]:
        return frozenset(name.partition(".")[0] for name in self._by_name)

    def _root_of(self, path: str) -> str:
        folder = path.rpartition("/")[0]
        while folder in self._packages and folder:
            folder = folder.rpartition("/")[0]
        return f"{folder}/" if folder else ""

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, ...]]:
        names: dict[str, list[str]] = {}
        for path in self.paths:
            roots = {self._root_of(path), *(root for root in ROOTS if path.startswith(root))}
            for name in {_dotted(path, root) for root in roots} - {""}:
                names.setdefault(name, []).append(path)
        return {name: tuple(paths) for name, paths in names.items()}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _dotted(path: str, root: str) -> str:
    parts = path[len(root) :].rpartition(".")[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _shared(path: str, importer: str) -> int:
    """The number of leading folders that two paths share: of several files with one name, the nearest is used."""
    count = 0
    for left, right in zip(path.split("/")[:-1], importer.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
