"""The languages that the graph knows: which files are theirs, and the module of this folder that reads them.

A further language is a line here and a module with `read_facts` and `resolver`. Modules are loaded when a file of
theirs is met, so a Python repository never loads another language's grammar.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from healing.graph.facts import Facts


@dataclass(frozen=True)
class Tree:
    """What a resolver may know: all `paths` of the repo, the language's own files with their facts, and the text of
    any file."""

    paths: tuple[str, ...]
    facts: Mapping[str, Facts]
    read: Callable[[str], bytes | None]


def grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    """Paths by what `key` gives for them, in their order."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(key(path), []).append(path)
    return found


class Resolver(Protocol):
    """Knows where imports of one language lead in one tree."""

    def targets(self, path: str, facts: Facts) -> Iterable[str]:
        """The repo's files that `path`, which says `facts`, needs by itself. May name `path` too."""
        ...


class LanguageModule(Protocol):
    """The module of a language."""

    def read_facts(self, data: bytes, suffix: str, /) -> Facts:
        """What the file says. Never raises, whatever the bytes are."""
        ...

    def resolver(self, tree: Tree) -> Resolver:
        """Where imports lead in `tree`. Never raises."""
        ...


@dataclass(frozen=True)
class Language:
    """`settings`: how the names of files end that say where imports lead."""

    module: str
    suffixes: tuple[str, ...]
    settings: tuple[str, ...] = ()

    @property
    def reader(self) -> LanguageModule:
        """Its module, loaded on first use."""
        return cast("LanguageModule", importlib.import_module(f"healing.graph.{self.module}"))


LANGUAGES = (
    Language("python", (".py", ".pyi")),
    Language(
        "javascript",
        (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
        (".json",),  # package.json, tsconfig.json, and whatever these extend
    ),
    Language("go", (".go",), ("go.mod", "go.work")),
    Language("rust", (".rs",), ("Cargo.toml",)),
    Language("jvm", (".java", ".kt", ".kts")),
)
BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def suffix_of(path: str) -> str:
    """`.ts` of `a/b.test.ts`; empty where there is none."""
    name = path.rpartition("/")[2]
    at = name.rfind(".")
    return name[at:] if at > 0 else ""


def language_of(path: str) -> Language | None:
    """The language of a file, by its name."""
    return BY_SUFFIX.get(suffix_of(path))
