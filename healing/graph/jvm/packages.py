"""Finds the files that declare what a Java or Kotlin file uses: by import, or without one in its own package."""

import posixpath
from collections.abc import Iterator

from healing.graph.facts import Facts, Import
from healing.graph.language import Tree


class JvmPackages:
    """The declarations of one tree by package and name."""

    def __init__(self, tree: Tree) -> None:
        self.declared: dict[str, dict[str, list[str]]] = {}
        for path in sorted(tree.facts):
            names = self.declared.setdefault(tree.facts[path].package, {})
            for name in tree.facts[path].definitions:
                names.setdefault(name, []).append(path)

    def targets(self, path: str, facts: Facts) -> Iterator[str]:
        """The files that declare what this file imports, uses by qualified name, or mentions of its own package."""
        yield from self._mentioned(facts.package, path, facts)
        for item in facts.imports:
            yield from self._imported(item, path, facts)

    def _imported(self, item: Import, path: str, facts: Facts) -> Iterator[str]:
        if item.names == ("*",) and item.module in self.declared:
            yield from self._mentioned(item.module, path, facts)
            return
        parts = item.module.split(".")
        for end in range(len(parts) - 1, 0, -1):
            files = self.declared.get(".".join(parts[:end]), {}).get(parts[end])
            if files:
                yield _nearest(files, path)
                return

    def _mentioned(self, package: str, path: str, facts: Facts) -> Iterator[str]:
        names = self.declared.get(package, {})
        for name in (facts.mentions - facts.definitions) & names.keys():
            yield _nearest(names[name], path)


def _nearest(files: list[str], path: str) -> str:
    """Of several files that declare the same name, as in source sets, the one that shares the most folders with
    `path`."""
    return files[0] if len(files) == 1 else max(files, key=lambda file: (len(posixpath.commonpath([file, path])), file))
