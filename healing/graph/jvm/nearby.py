"""Finds the files of a Java or Kotlin tree that may declare the names a file uses, without reading the whole tree: only
files named after a name that it mentions, or in folders of its own or imported packages."""

import posixpath
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from healing.graph.facts import Facts
from healing.graph.jvm import read_facts
from healing.graph.jvm.packages import JvmPackages
from healing.graph.language import Tree, grouped, suffix_of
from healing.graph.testfiles import is_test

SUFFIXES = (".java", ".kt", ".kts")
HOPS = 3  # steps from a test to the files that are still found, such as a superclass's superclass
LIMIT = 200  # files per search
ALIKE = 4  # files with the same name
READ = 500  # files of one tree that are read
MAX_SIZE = 1 << 19  # bytes of one of them
SECONDS = 8.0  # for all; after that, no more files are read


class JvmNearby:
    """Finds nearby files in one tree; `paths` are all its files."""

    def __init__(self, read: Callable[[str], bytes | None], paths: Iterable[str]) -> None:
        self._read = read
        self._paths = [path for path in paths if path.endswith(SUFFIXES)]
        self._facts: dict[str, Facts | None] = {}
        self._end = time.monotonic() + SECONDS

    def near(self, path: str) -> Iterator[str]:
        """The files that the file imports and mentions, then those that they do; production code before tests."""
        seen, layer = {path}, [path]
        for _ in range(HOPS):
            following = [target for file in layer for target in self._targets(file)]
            layer = [target for target in dict.fromkeys(following) if target not in seen]
            seen |= set(layer)
            yield from layer
            if len(seen) > LIMIT or not layer:
                return

    def located(self, printed: str) -> str | None:
        """The file of a stack frame, whose package folders may be missing in the tree, or be in several modules; None
        if it is ambiguous."""
        folder, _, name = printed.rpartition("/")
        alike = self._by_name.get(name, ())[:LIMIT]
        package = folder.replace("/", ".")
        files = [file for file in alike if not folder or ((facts := self._of(file)) and facts.package == package)]
        return files[0] if len(files) == 1 else None

    def tested(self, test: str) -> tuple[str, str] | None:
        """The file and the method of a test whose name is like `shop.CartTest.adds` or `CartTest > adds()`."""
        parts = [part.strip() for part in re.split(r" > |[.$#]", re.split(r"[\[({]", test[:500], maxsplit=1)[0])]
        for at, part in enumerate(parts[:-1]):
            if part[:1].isupper() and (files := self._by_stem.get(part)):
                package = ".".join(parts[:at])
                facts = [(file, self._of(file)) for file in files[:ALIKE]]
                matching = [file for file, its in facts if its and (its.package == package or not package)]
                return (matching[0], parts[-1]) if len(matching) == 1 else None
        return None

    def _targets(self, path: str) -> list[str]:
        facts = self._of(path)
        if facts is None:
            return []
        wanted = list(dict.fromkeys(self._candidates(path, facts)))[:LIMIT]
        known = {file: file_facts for file in wanted if (file_facts := self._of(file)) is not None}
        known[path] = facts
        targets = set(JvmPackages(Tree((), known, self._read)).targets(path, facts)) - {path}
        targets |= {file for file in wanted if f"{_stem(file)}Kt" in facts.mentions}
        imported = [item.module.rpartition(".")[2] for item in facts.imports]
        return sorted(targets, key=lambda one: (is_test(one), _stem(one) not in imported, one))

    def _candidates(self, path: str, facts: Facts) -> Iterator[str]:
        """Files named after a mentioned name, and Kotlin files of the packages, whose functions may be in any file."""
        folder = posixpath.dirname(path)
        for name in sorted(facts.mentions & self._by_stem.keys()):
            yield from sorted(self._by_stem[name], key=lambda one: -_common(one, path))[:ALIKE]
        kotlin = sorted(name[:-2] for name in facts.mentions if name.endswith("Kt"))
        yield from (file for name in kotlin for file in self._by_stem.get(name, ())[:ALIKE])
        packages = [facts.package, *(item.module if "*" in item.names else item.module.rpartition(".")[0]
                                     for item in facts.imports)]  # fmt: skip
        beside = [folder, f"/{folder}/".replace("/test/", "/main/").strip("/")]
        near = [place for package in dict.fromkeys(packages) for place in self._folders(package)]
        for place in dict.fromkeys([*beside, *near]):
            files = self._by_folder.get(place, ())
            yield from (file for file in files if not file.endswith(".java") or len(files) <= ALIKE)

    def _folders(self, package: str) -> list[str]:
        """The folders of a package; those of Kotlin may omit the first parts of its name."""
        parts = [part for part in package.split(".") if part][-12:]
        ends = ("/".join(parts[at:]) for at in range(len(parts)))
        return next((self._by_end[end] for end in ends if end in self._by_end), [])

    def _of(self, path: str) -> Facts | None:
        if path not in self._facts:
            data = self._read(path) if len(self._facts) < READ and time.monotonic() < self._end else None
            usable = data is not None and len(data) <= MAX_SIZE
            self._facts[path] = read_facts(data, suffix_of(path)) if usable and data is not None else None
        return self._facts[path]

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        return grouped(self._paths, _stem)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return grouped(self._paths, posixpath.basename)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return grouped(self._paths, posixpath.dirname)

    @cached_property
    def _by_end(self) -> dict[str, list[str]]:
        by_end: dict[str, list[str]] = {}
        for folder in self._by_folder:
            parts = folder.split("/")
            for at in range(max(len(parts) - 12, 0), len(parts)):
                by_end.setdefault("/".join(parts[at:]), []).append(folder)
        return by_end


def _stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def _common(one: str, other: str) -> int:
    return len(posixpath.commonpath([one, other]))
