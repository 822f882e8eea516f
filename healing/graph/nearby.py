"""In which files the names that a file uses may be defined, the nearest first, found without reading the whole tree."""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from healing.graph.implicit import folders_up
from healing.graph.javascript.resolving import Specifiers
from healing.graph.jvm.nearby import JvmNearby
from healing.graph.language import Tree, grouped, language_of, suffix_of
from healing.graph.testfiles import is_test

HOPS = 4  # re-exports that a name is followed through
MOST = 200  # files of one search

Read = Callable[[str], bytes | None]


class Nearby:
    """In one tree; `paths` are all its files."""

    def __init__(self, read: Read, paths: Iterable[str]) -> None:
        self._read, self._paths = read, tuple(paths)
        self._found: dict[str, tuple[str, ...]] = {}

    def of(self, path: str) -> tuple[str, ...]:
        """The file itself, then others of its language."""
        if path not in self._found:
            language = language_of(path)
            module = language.module if language else ""
            searches: dict[str, Callable[[str], Iterable[str]]] = {
                "javascript": self._imported, "go": self._packages, "rust": self._crate, "jvm": self._jvm.near,
            }  # fmt: skip
            search = searches.get(module)
            found = dict.fromkeys([path, *(search(path) if search else ())])
            self._found[path] = tuple(found)[:MOST]
        return self._found[path]

    def located(self, printed: str) -> str:
        """The file of the tree that a frame means, where languages print a package's folders instead of a path."""
        return printed if printed in self._known else self._jvm.located(printed) or printed

    def tested(self, test: str) -> tuple[str, str] | None:
        """The file and the method of a test, where its name tells the class and the class tells the file."""
        return self._jvm.tested(test)

    def imported(self, path: str) -> list[str]:
        """The files that the specifiers of a script name."""
        language, data = language_of(path), self._read(path)
        if language is None or data is None:
            return []
        facts = language.reader.read_facts(data, suffix_of(path))
        return [one for one in dict.fromkeys(self._specifiers.targets(path, facts)) if one != path]

    def _imported(self, path: str) -> Iterator[str]:
        """What a script imports, then what that imports: it may only re-export."""
        seen, layer = {path}, [path]
        for _ in range(HOPS):
            following = [one for file in layer for one in self.imported(file)]
            layer = [one for one in dict.fromkeys(following) if one not in seen and language_of(one)]
            seen |= set(layer)
            yield from layer
            if len(seen) > MOST:
                return

    def _packages(self, path: str) -> Iterator[str]:
        """The package's own files, then those of packages that it imports: in folders that its import paths end in."""
        folder = posixpath.dirname(path)
        own = [file for file in self._by_folder.get(folder, ()) if file.endswith(".go")]
        yield from sorted(own, key=is_test)
        language, data = language_of(path), self._read(path)
        imports = language.reader.read_facts(data, ".go").imports if language and data is not None else ()
        for item in imports:
            ends = ["/".join(item.module.split("/")[at:]) for at in range(item.module.count("/") + 1)]
            place = next((one for one in ends if one in self._by_folder), None)
            yield from (file for file in self._by_folder.get(place or "\0", ()) if file.endswith(".go"))

    def _crate(self, path: str) -> list[str]:
        """The files below the nearest Cargo.toml, and those of other crates of the repository, the nearest folder
        first."""
        folder = posixpath.dirname(path)
        own = next((up for up in folders_up(folder) if posixpath.join(up, "Cargo.toml") in self._known), "")
        files = [file for file in self._paths if file.endswith(".rs") and "/target/" not in f"/{file}"]
        inside = f"{own}/" if own else ""

        def far(file: str) -> tuple[bool, bool, int]:
            shared = posixpath.commonpath([folder or ".", posixpath.dirname(file) or "."]) if folder else ""
            return not file.startswith(inside), is_test(file), -shared.count("/") - bool(shared)

        return sorted(files, key=far)

    @cached_property
    def _jvm(self) -> JvmNearby:
        return JvmNearby(self._read, self._paths)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._paths)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return grouped(self._paths, posixpath.dirname)

    @cached_property
    def _specifiers(self) -> Specifiers:
        return Specifiers(Tree(self._paths, {}, self._read))
