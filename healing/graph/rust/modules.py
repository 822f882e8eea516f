"""The tree of Rust modules: which file is which module of which crate, and where a path leads."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.facts import Facts
from healing.graph.language import Tree
from healing.graph.rust.cargo import CargoPackage, packages

Path = tuple[str, ...]


@dataclass(frozen=True)
class Mod:
    """`mod name;` as it stands `inside` modules of its file; `path`: of its attribute."""

    name: str
    path: str
    inside: Path


@dataclass(frozen=True)
class ModulePlace:
    """The module that a file is: of the crate that begins in `root`."""

    root: str
    module: Path


class Crates:
    """Finds the files that paths name in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.facts = tree.facts
        self.packages = packages(tree.paths, tree.read)
        self.libraries = {one.library[0]: one.library[1] for one in self.packages if one.library}
        self.by_folder = {one.folder: one for one in self.packages}
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
        """Files of modules that this file declares, and of those that its paths lead to."""
        yield from self.children.get(path, {}).values()
        place = self.places[path]
        for item in facts.imports:
            found = self._lookup(place, tuple(item.module.split("::")))
            if found is not None:
                yield found

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
        """Where the crate begins that code of the crate `asking` calls `name`."""
        owner = self.owner.get(asking)
        if owner is not None and name in owner.called:
            package = self.by_folder.get(owner.called[name])
            return package.library[1] if package and package.library else None
        return self.libraries.get(name)

    def _deepest(self, root: str, module: Path, rest: Path) -> str | None:
        for end in range(len(rest), -1, -1):
            found = self.files.get(ModulePlace(root, (*module, *rest[:end])))
            if found is not None:
                return found
        return None

    def _grow(self, root: str) -> None:
        """Finds all files of the crate that begins in `root`."""
        todo = [(root, ModulePlace(root, ()), True)]
        while todo:
            path, place, owns_folder = todo.pop()
            if path not in self.facts or place in self.files:
                continue
            self.files[place] = path
            if path in self.places:
                continue  # a file of two crates, or of a cycle of `#[path]`s, is read as part of the first
            self.places[path] = place
            found = self.children.setdefault(path, {})
            for mod in getattr(self.facts[path], "modules", ()):
                file = self._declared(path, mod, owns_folder)
                if file is not None:
                    found[mod.inside, mod.name] = file
                    # What an attribute names keeps its own modules beside it, as `mod.rs` does.
                    beside = bool(mod.path) or posixpath.basename(file) == "mod.rs"
                    todo.append((file, ModulePlace(root, (*place.module, *mod.inside, mod.name)), beside))

    def _declared(self, path: str, mod: Mod, owns_folder: bool) -> str | None:
        """The file of a module that is declared in `path`."""
        folder, name = posixpath.split(path)
        own = folder if owns_folder else posixpath.join(folder, name[:-3])
        if mod.path:
            start = posixpath.join(own, *mod.inside) if mod.inside else folder
            places: tuple[str, ...] = (posixpath.join(start, mod.path),)
        else:
            base = posixpath.join(own, *mod.inside, mod.name)
            places = (f"{base}.rs", f"{base}/mod.rs")
        return next((one for place in places if (one := posixpath.normpath(place)) in self.facts), None)


def _rootlike(path: str) -> tuple[bool, str]:
    return (posixpath.basename(path) not in ("lib.rs", "main.rs", "mod.rs"), path)
