"""Resolves specifiers to files, as TypeScript and Node do, and build output such as `dist/` to its source."""

import posixpath
from collections.abc import Iterator
from functools import cached_property

from healing.graph.facts import Facts
from healing.graph.implicit import folders_up
from healing.graph.javascript.settings import NpmPackage, PathAliases, read_paths
from healing.graph.language import Tree

TYPED = (".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts")
UNTYPED = (".js", ".jsx", ".mjs", ".cjs")
ENDINGS = (*TYPED, *UNTYPED, ".json", ".vue", ".svelte")
WRITTEN = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
BUILT = ("dist", "build", "lib", "out", "es", "esm", "cjs")
CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")


class Specifiers:
    """Finds the files that specifiers name in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.known = frozenset(tree.paths)
        self._paths: dict[str, PathAliases] = {}
        self._resolved: dict[tuple[str, str, bool], str | None] = {}

    def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """The files that this file's specifiers name."""
        for item in facts.imports:
            file = self.find(path, item.module)
            if file is not None:
                yield file

    def find(self, path: str, specifier: str) -> str | None:
        """The file that this specifier names in the file `path`; None if it isn't in the repository."""
        key = (posixpath.dirname(path), specifier, path.endswith(TYPED))
        if key not in self._resolved:
            self._resolved[key] = self._resolve(*key)
        return self._resolved[key]

    def _resolve(self, folder: str, specifier: str, typed: bool) -> str | None:
        specifier = specifier.partition("?")[0]
        if specifier.startswith((".", "/")):
            place = posixpath.normpath(posixpath.join(folder, specifier))
            return None if place.startswith(("../", "/")) else self._file(place, typed)
        if specifier.startswith("#"):
            return self._of_own_imports(folder, specifier, typed)
        for place in self._configured(folder).candidates(specifier):
            file = self._file(place, typed)
            if file:
                return file
        return self._of_package(specifier, typed)

    def _file(self, place: str, typed: bool) -> str | None:
        """The file of a path that may lack its extension, have that of the build output, or be a folder."""
        place = "" if place == "." else place
        stem, ending = posixpath.splitext(place)
        written = [stem + other for other in WRITTEN.get(ending, ())]
        exact = [*written, place] if typed else [place, *written]
        endings = ENDINGS if typed else (*UNTYPED, *TYPED, *ENDINGS[-3:])
        for candidate in [*exact, *(place + other for other in endings)]:
            if candidate in self.known:
                return candidate
        return self._folder(place, endings)

    def _folder(self, place: str, endings: tuple[str, ...]) -> str | None:
        package = self._by_folder.get(place)
        for entry in package.entries if package else ():
            file = self._built_from(posixpath.normpath(posixpath.join(place, entry)))
            if file:
                return file
        return next((path for other in endings if (path := posixpath.join(place, "index" + other)) in self.known), None)

    def _built_from(self, place: str) -> str | None:
        """The file itself, or the source that it is built from."""
        stem = place
        for ending in (".d.ts", ".d.mts", ".d.cts", *UNTYPED, *TYPED):
            if place.endswith(ending):
                stem = place[: -len(ending)]
                break
        parts = stem.split("/")
        built = [at for at, part in enumerate(parts[:-1]) if part in BUILT]
        sources = ["/".join([*parts[:at], "src", *parts[at + 1 :]]) for at in built]
        deeper = ["/".join([*parts[:at], "src", *parts[at + 2 :]]) for at in built if at + 2 < len(parts)]
        for candidate in [place, *(base + end for base in [stem, *sources, *deeper] for end in (*TYPED, *UNTYPED))]:
            if candidate in self.known:
                return candidate
        return None

    def _of_own_imports(self, folder: str, specifier: str, typed: bool) -> str | None:
        package = next((self._by_folder[up] for up in folders_up(folder) if up in self._by_folder), None)
        for place in package.imported(specifier) if package else ():
            path = posixpath.normpath(posixpath.join(package.folder, place)) if package else place
            file = self._built_from(path) or self._file(path, typed)
            if file:
                return file
        return None

    def _of_package(self, specifier: str, typed: bool) -> str | None:
        """The file of a package in this repo, such as a workspace."""
        name = "/".join(specifier.split("/")[: 2 if specifier.startswith("@") else 1])
        package = self._by_name.get(name)
        if package is None:
            return None
        sub = specifier[len(name) + 1 :]
        for place in package.exported(f"./{sub}" if sub else "."):
            file = self._built_from(posixpath.normpath(posixpath.join(package.folder, place)))
            if file:
                return file
        bases = [sub, f"src/{sub}"] if sub else ["", "src", "src/index", "lib"]
        places = (posixpath.normpath(posixpath.join(package.folder, base)) for base in bases)
        return next((path for path in (self._file(place, typed) for place in places) if path), None)

    def _configured(self, folder: str) -> PathAliases:
        """The path aliases of the nearest tsconfig or jsconfig above."""
        if folder not in self._paths:
            here = (posixpath.join(up, name) for up in folders_up(folder) for name in CONFIGURATIONS)
            config = next((path for path in here if path in self.known), None)
            self._paths[folder] = read_paths(config, self.tree.read, self._folders) if config else PathAliases()
        return self._paths[folder]

    @cached_property
    def _by_folder(self) -> dict[str, NpmPackage]:
        paths = (path for path in self.tree.paths if posixpath.basename(path) == "package.json")
        ours = (path for path in paths if "node_modules/" not in path)
        return {posixpath.dirname(path): NpmPackage.read(path, self.tree.read) for path in ours}

    @cached_property
    def _by_name(self) -> dict[str, NpmPackage]:
        packages = sorted(self._by_folder.values(), key=lambda one: (one.folder.count("/"), one.folder), reverse=True)
        return {package.name: package for package in packages if package.name}

    @cached_property
    def _folders(self) -> dict[str, str]:
        return {name: package.folder for name, package in self._by_name.items()}
