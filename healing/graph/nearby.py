"""Finds the files in which the names that a file uses may be defined, nearest first, without reading the whole tree."""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from healing.graph.implicit import folders_up
from healing.graph.javascript.resolving import Specifiers
from healing.graph.jvm.nearby import JvmNearby
from healing.graph.language import Tree, grouped, language_of, suffix_of
from healing.graph.testfiles import is_test

HOPS = 4  # re-exports that a name is followed through
LIMIT = 200  # files per search

Read = Callable[[str], bytes | None]


class Nearby:
    """Finds nearby files in one tree; `paths` are all its files."""

    def __init__(self, read: Read, paths: Iterable[str]) -> None:
        self._read, self._paths = read, tuple(paths)
        self._by_path: dict[str, tuple[str, ...]] = {}

    def of(self, path: str) -> tuple[str, ...]:
        """The file itself, then others that may define what it uses."""
        if path not in self._by_path:
            language = language_of(path)
            module = language.module if language else ""
            searches: dict[str, Callable[[str], Iterable[str]]] = {
                "javascript": self._imported, "go": self._packages, "rust": self._crate, "jvm": self._jvm.near,
            }  # fmt: skip
            search = searches.get(module)
            files = dict.fromkeys([path, *(search(path) if search else ())])
            self._by_path[path] = tuple(files)[:LIMIT]
        return self._by_path[path]

    def located(self, printed: str) -> str:
        """The file of a printed stack frame; the JVM prints the package's folders instead of a path."""
        return printed if printed in self._known else self._jvm.located(printed) or printed

    def tested(self, test: str) -> tuple[str, str] | None:
        """The file and the method of a test, where its name has the class and the class has one file."""
        return self._jvm.tested(test)

    def imported(self, path: str) -> list[str]:
        """The files that a script's import specifiers name."""
        language, data = language_of(path), self._read(path)
        if language is None or data is None:
            return []
        facts = language.reader.read_facts(data, suffix_of(path))
        return [target for target in dict.fromkeys(self._specifiers.targets(path, facts)) if target != path]

    def _imported(self, path: str) -> Iterator[str]:
        """The files that a script imports, then those that they import, since they may only re-export."""
        seen, layer = {path}, [path]
        for _ in range(HOPS):
            following = [target for file in layer for target in self.imported(file)]
            layer = [target for target in dict.fromkeys(following) if target not in seen and language_of(target)]
            seen |= set(layer)
            yield from layer
            if len(seen) > LIMIT:
                return

    def _packages(self, path: str) -> Iterator[str]:
        """The files of the package, then those of imported ones, in folders whose path ends an import path."""
        folder = posixpath.dirname(path)
        own = [file for file in self._by_folder.get(folder, ()) if file.endswith(".go")]
        yield from sorted(own, key=is_test)
        language, data = language_of(path), self._read(path)
        imports = language.reader.read_facts(data, ".go").imports if language and data is not None else ()
        for item in imports:
            ends = ["/".join(item.module.split("/")[at:]) for at in range(item.module.count("/") + 1)]
            place = next((end for end in ends if end in self._by_folder), None)
            yield from (file for file in self._by_folder.get(place or "\0", ()) if file.endswith(".go"))

    def _crate(self, path: str) -> list[str]:
        """The files below the nearest Cargo.toml, then those of the repository's other crates, nearest folder first."""
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
