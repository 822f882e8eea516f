"""The tree of Rust modules: maps files to modules of crates, and resolves paths."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.facts import Facts
from healing.graph.language import Tree
from healing.graph.rust.cargo import CargoPackage, packages

Path = tuple[str, ...]


@dataclass(frozen=True)
class Mod:
    """`mod name;`, declared `inside` inline modules of its file; `path` is that of its `#[path]` attribute."""

    name: str
    path: str
    inside: Path


@dataclass(frozen=True)
class ModulePlace:
    """A file's module in the crate whose root file is `root`."""

    root: str
    module: Path


class Crates:
    """Finds the files that Rust paths name in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.facts = tree.facts
        self.packages = packages(tree.paths, tree.read)
        self.libraries = {package.library[0]: package.library[1] for package in self.packages if package.library}
        self.by_folder = {package.folder: package for package in self.packages}
        self.owner: dict[str, CargoPackage] = {}
        self.places: dict[str, ModulePlace] = {}
        self.files: dict[ModulePlace, str] = {}
        self.children: dict[str, dict[tuple[Path, str], str]] = {}
        for package in self.packages:
            for root in package.roots:
                self.owner[root] = package
                self._grow(root)
        for path in sorted(self.facts, key=_rootlike):
            if path not in self.places:
                self._grow(path)

    def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """The files of modules that this file declares, and of those that its paths name."""
        yield from self.children.get(path, {}).values()
        place = self.places[path]
        for item in facts.imports:
            target = self._lookup(place, tuple(item.module.split("::")))
            if target is not None:
                yield target

    def _lookup(self, place: ModulePlace, path: Path) -> str | None:
        first, rest = path[0], path[1:]
        if first == "crate":
            return self._deepest(place.root, (), rest)
        if first == "self":
            return self._deepest(place.root, place.module, rest)
        if first == "super":
            ups = next((at for at, part in enumerate(path) if part != "super"), len(path))
            return self._deepest(place.root, place.module[: max(len(place.module) - ups, 0)], path[ups:])
        if ModulePlace(place.root, (*place.module, first)) in self.files:
            return self._deepest(place.root, place.module, path)
        root = self._crate(place.root, first)
        return self._deepest(root, (), rest) if root is not None else None

    def _crate(self, asking: str, name: str) -> str | None:
        """The root file of the library that the crate `asking` (its root file) calls `name`."""
        owner = self.owner.get(asking)
        if owner is not None and name in owner.called:
            package = self.by_folder.get(owner.called[name])
            return package.library[1] if package and package.library else None
        return self.libraries.get(name)

    def _deepest(self, root: str, module: Path, rest: Path) -> str | None:
        for end in range(len(rest), -1, -1):
            file = self.files.get(ModulePlace(root, (*module, *rest[:end])))
            if file is not None:
                return file
        return None

    def _grow(self, root: str) -> None:
        """Adds all files of the crate whose root file is `root`."""
        todo = [(root, ModulePlace(root, ()), True)]
        while todo:
            path, place, owns_folder = todo.pop()
            if path not in self.facts or place in self.files:
                continue
            self.files[place] = path
            if path in self.places:
                continue  # a file in two crates, or in a cycle of `#[path]`s, counts for the first
            self.places[path] = place
            children = self.children.setdefault(path, {})
            for mod in getattr(self.facts[path], "modules", ()):
                file = self._declared(path, mod, owns_folder)
                if file is not None:
                    children[mod.inside, mod.name] = file
                    # The modules of a file that an attribute names are beside it, as those of `mod.rs`.
                    beside = bool(mod.path) or posixpath.basename(file) == "mod.rs"
                    todo.append((file, ModulePlace(root, (*place.module, *mod.inside, mod.name)), beside))

    def _declared(self, path: str, mod: Mod, owns_folder: bool) -> str | None:
        """The file of a module that `path` declares."""
        folder, name = posixpath.split(path)
        own = folder if owns_folder else posixpath.join(folder, name[:-3])
        if mod.path:
            start = posixpath.join(own, *mod.inside) if mod.inside else folder
            places: tuple[str, ...] = (posixpath.join(start, mod.path),)
        else:
            base = posixpath.join(own, *mod.inside, mod.name)
            places = (f"{base}.rs", f"{base}/mod.rs")
        return next((file for place in places if (file := posixpath.normpath(place)) in self.facts), None)


def _rootlike(path: str) -> tuple[bool, str]:
    return (posixpath.basename(path) not in ("lib.rs", "main.rs", "mod.rs"), path)
