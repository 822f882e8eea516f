"""Resolves Go import paths to folders of the repo, and to the files in them that an importer is built with."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from healing.graph.facts import Facts
from healing.graph.go.constraints import built_for
from healing.graph.implicit import folders_up
from healing.graph.language import Tree

MODULE = re.compile(rb"^[ \t]*module[ \t]+[\"`]?([^\s\"`]{1,500})", re.MULTILINE)
REPLACE = re.compile(
    rb"^[ \t]*(?:replace[ \t]+)?[\"`]?([^\s\"`()]{1,500})[\"`]?(?:[ \t]+v\S{1,100})?"
    rb"[ \t]+=>[ \t]+[\"`]?(\.{1,2}/[^\s\"`]{0,500}|\.{1,2}(?=\s))",
    re.MULTILINE,
)
WIDE = 100  # files of a package above which an importer depends only on those that define what it mentions


class GoPackages:
    """Finds the files of packages in one tree. An importer needs every file of a package, because Go builds them as
    one; inside a package a file needs those that define what it mentions."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.facts = tree.facts

    def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """The files that this file needs: of its own package, and of those that it imports."""
        yield from self._beside(path, facts)
        for item in facts.imports:
            folder = self.folder_of(item.module, path)
            files = self._importable.get(folder, ()) if folder is not None else ()
            built = [file for file in files if self._together(path, file)]
            if len(built) > WIDE:
                built = [file for file in built if self.facts[file].definitions & facts.mentions] or built[:1]
            yield from built

    def folder_of(self, import_path: str, importer: str) -> str | None:
        """The folder of `import_path` in `importer`; None if it isn't in this repo."""
        for above in folders_up(posixpath.dirname(importer)):
            vendored = posixpath.join(above, "vendor", import_path)
            if vendored in self._importable:
                return vendored
        for module, folder in (*self._replaced(importer), *self._modules):
            if import_path == module:
                return folder
            inside = import_path if module == "std" else import_path.removeprefix(f"{module}/")
            place = posixpath.normpath(posixpath.join(folder, inside))
            if (module == "std" or inside != import_path) and place in self._importable:
                return place
        if self._modules:
            return None
        return next((place for place in (import_path, f"src/{import_path}") if place in self._importable), None)

    def _beside(self, path: str, facts: Facts) -> Iterator[str]:
        """Files of the same package that define something that this file mentions."""
        defining = self._defining.get((posixpath.dirname(path), facts.package), {})
        testing = path.endswith("_test.go")
        for name in (facts.mentions - facts.definitions) & defining.keys():
            for file in defining[name]:
                if (testing or not file.endswith("_test.go")) and self._together(path, file):
                    yield file

    def _together(self, left: str, right: str) -> bool:
        """Whether both files are built for some system."""
        return left == right or not self._built(left).isdisjoint(self._built(right))

    def _built(self, path: str) -> frozenset[tuple[str, str]]:
        return built_for(posixpath.basename(path)[:-3], getattr(self.facts[path], "constraint", ""))

    @cached_property
    def _importable(self) -> dict[str, tuple[str, ...]]:
        """Files by folder, without tests and files that are never built."""
        by_folder: dict[str, list[str]] = {}
        for path in sorted(self.facts):
            hidden = posixpath.basename(path).startswith(("_", "."))
            if not path.endswith("_test.go") and not hidden and self._built(path):
                by_folder.setdefault(posixpath.dirname(path), []).append(path)
        return {folder: tuple(files) for folder, files in by_folder.items()}

    @cached_property
    def _defining(self) -> dict[tuple[str, str], dict[str, list[str]]]:
        """(folder, package) → name → files that define it."""
        defining: dict[tuple[str, str], dict[str, list[str]]] = {}
        for path in sorted(self.facts):
            facts = self.facts[path]
            names = defining.setdefault((posixpath.dirname(path), facts.package), {})
            for name in facts.definitions:
                names.setdefault(name, []).append(path)
        return defining

    @cached_property
    def _modules(self) -> tuple[tuple[str, str], ...]:
        """(module path, folder) of each go.mod, the longest path first."""
        folders = {_named(self.tree.read(path)): posixpath.dirname(path) for path in self._files("go.mod")}
        return tuple(sorted(((name, folder) for name, folder in folders.items() if name), key=lambda one: -len(one[0])))

    def _replaced(self, importer: str) -> Iterable[tuple[str, str]]:
        """(module path, folder) of each local `replace` in the go.mod above a file, and in a go.work."""
        for above in folders_up(posixpath.dirname(importer)):
            yield from self._replacements.get(above, ())

    @cached_property
    def _replacements(self) -> dict[str, tuple[tuple[str, str], ...]]:
        replacements: dict[str, tuple[tuple[str, str], ...]] = {}
        for path in (*self._files("go.mod"), *self._files("go.work")):
            folder = posixpath.dirname(path)
            pairs = _replaces(self.tree.read(path))
            local = ((name, posixpath.normpath(posixpath.join(folder, place))) for name, place in pairs)
            placed = tuple((name, "" if place == "." else place) for name, place in local)
            replacements[folder] = replacements.get(folder, ()) + placed
        return replacements

    def _files(self, name: str) -> list[str]:
        return [path for path in self.tree.paths if posixpath.basename(path) == name and "/vendor/" not in f"/{path}"]


def _named(data: bytes | None) -> str:
    match = MODULE.search((data or b"")[:100_000])
    return match.group(1).decode("utf-8", "replace") if match else ""


def _replaces(data: bytes | None) -> list[tuple[str, str]]:
    pairs = REPLACE.findall((data or b"")[:100_000])
    return [(name.decode("utf-8", "replace"), place.decode("utf-8", "replace")) for name, place in pairs]
