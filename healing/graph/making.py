"""Builds the graph, incrementally: blobs that were read before are not read again, and while the set of paths is the
same, only the edges of changed files are resolved again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from healing.graph.facts import NOTHING, Facts
from healing.graph.graph import Graph
from healing.graph.language import LANGUAGES, Language, Resolver, Tree, language_of, suffix_of
from healing.view import TreeView

Edges = dict[str, frozenset[str]]


@dataclass(frozen=True)
class LanguageGraph:
    """The graph of one language in one tree."""

    blobs: Mapping[str, str]
    settings: Mapping[str, str]
    facts: Mapping[str, Facts]
    edges: Edges
    resolver: Resolver


@dataclass
class Cache:
    """Pass the same cache to each call, one call at a time, and only new blobs are read. It never affects the
    result."""

    facts: dict[str, Facts] = field(default_factory=dict)  # by suffix and blob id
    paths: tuple[str, ...] = ()
    files: dict[str, list[str]] = field(default_factory=dict)  # `paths` by language
    made: dict[str, LanguageGraph] = field(default_factory=dict)


def import_graph(view: TreeView, cache: Cache | None = None) -> Graph:
    """The graph of the files in `view`. Never raises, whatever they contain; a broken file gives what can be read."""
    cache = cache if cache is not None else Cache()
    paths = view.paths()
    if paths != cache.paths:
        cache.paths, cache.files, cache.made = paths, _by_language(paths), {}
    edges: Edges = {}
    facts: dict[str, Facts] = {}
    for language in LANGUAGES:
        if language.module in cache.files:
            part = _make(language, cache.files[language.module], view, cache)
            cache.made[language.module] = part
            edges |= part.edges
            facts |= part.facts
    return Graph(edges, facts)


def _by_language(paths: tuple[str, ...]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for path in paths:
        language = language_of(path)
        if language is not None:
            files.setdefault(language.module, []).append(path)
    return files


def _make(language: Language, files: list[str], view: TreeView, cache: Cache) -> LanguageGraph:
    blobs = {path: view.blob(path) or "" for path in files}
    settings = {path: view.blob(path) or "" for path in cache.paths if path.endswith(language.settings)}
    old = cache.made.get(language.module)
    changed = files if old is None else [path for path in files if blobs[path] != old.blobs[path]]
    read = {path: _facts(language, path, blobs[path], view, cache) for path in changed}
    if old is None or settings != old.settings or any(old.facts[path].offer != new.offer for path, new in read.items()):
        facts = {**old.facts, **read} if old else read
        resolver = language.reader.resolver(Tree(cache.paths, facts, view.read))
        edges = {path: _edges(path, its_facts, resolver) for path, its_facts in facts.items()}
    else:
        facts, resolver = {**old.facts, **read}, old.resolver
        edges = {**old.edges, **{path: _edges(path, its_facts, resolver) for path, its_facts in read.items()}}
    return LanguageGraph(blobs, settings, facts, edges, resolver)


def _facts(language: Language, path: str, blob: str, view: TreeView, cache: Cache) -> Facts:
    suffix = suffix_of(path)
    key = f"{suffix}:{blob}"
    if key not in cache.facts:
        data = view.read(path)
        cache.facts[key] = language.reader.read_facts(data, suffix) if data is not None else NOTHING
    return cache.facts[key]


def _edges(path: str, facts: Facts, resolver: Resolver) -> frozenset[str]:
    return frozenset(target for target in resolver.targets(path, facts) if target != path)
