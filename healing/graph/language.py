"""The languages of the graph: their files, and the module in this package that reads them.

A new language is a line here and a module with `read_facts` and `resolver`. A module is loaded with the first file of
its language, so a Python repository never loads another language's grammar.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from healing.graph.facts import Facts


@dataclass(frozen=True)
class Tree:
    """The input of a resolver: all `paths` of the repo, the facts of the language's own files, and a function that
    reads any file."""

    paths: tuple[str, ...]
    facts: Mapping[str, Facts]
    read: Callable[[str], bytes | None]


def grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    """Paths grouped by `key`, in their order."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(key(path), []).append(path)
    return groups


class Resolver(Protocol):
    """Resolves the imports of one language in one tree."""

    def targets(self, path: str, facts: Facts) -> Iterable[str]:
        """The repo's files that `path`, with these `facts`, needs directly. May include `path`."""
        ...


class LanguageModule(Protocol):
    """The interface of a language's module."""

    def read_facts(self, data: bytes, suffix: str, /) -> Facts:
        """The facts of a file. Never raises, whatever the bytes are."""
        ...

    def resolver(self, tree: Tree) -> Resolver:
        """The resolver for `tree`. Never raises."""
        ...


@dataclass(frozen=True)
class Language:
    """A language. `settings`: the endings of files that configure where imports lead."""

    module: str
    suffixes: tuple[str, ...]
    settings: tuple[str, ...] = ()

    @property
    def reader(self) -> LanguageModule:
        """The language's module, loaded on first use."""
        return cast("LanguageModule", importlib.import_module(f"healing.graph.{self.module}"))


LANGUAGES = (
    Language("python", (".py", ".pyi")),
    Language(
        "javascript",
        (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
        (".json",),  # package.json, tsconfig.json, and any file that these extend
    ),
    Language("go", (".go",), ("go.mod", "go.work")),
    Language("rust", (".rs",), ("Cargo.toml",)),
    Language("jvm", (".java", ".kt", ".kts")),
)
BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def suffix_of(path: str) -> str:
    """The suffix of a path: `.ts` of `a/b.test.ts`; empty if it has none."""
    name = path.rpartition("/")[2]
    at = name.rfind(".")
    return name[at:] if at > 0 else ""


def language_of(path: str) -> Language | None:
    """The language of a file by its suffix; None if the graph doesn't read it."""
    return BY_SUFFIX.get(suffix_of(path))
