"""Reads from package.json and tsconfig.json how specifiers are resolved. The files are untrusted: any value may have
any type."""

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Read = Callable[[str], bytes | None]
NOT_JSON = re.compile(r'("(?:[^"\\\n]++|\\.)*+")|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/')
TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]++|\\.)*+")|,(?=\s*+[}\]])')
MAX_BYTES = 1_000_000
MAX_DEPTH = 10  # levels of configurations that extend each other, and of nested conditions


def json_object(data: bytes | None) -> dict[str, Any]:
    """The object in a JSON file that may have comments and trailing commas; empty if it isn't an object or too long."""
    if data is None or len(data) > MAX_BYTES:
        return {}
    try:
        text = data.decode("utf-8-sig")
        bare = TRAILING_COMMA.sub(_string, NOT_JSON.sub(_string, text))
        value = json.loads(bare)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _string(match: re.Match[str]) -> str:
    return match.group(1) or ""


@dataclass(frozen=True)
class PathAliases:
    """`baseUrl` and `paths` of one tsconfig, relative to the repo's root. `base` is None if not set."""

    base: str | None = None
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def candidates(self, specifier: str) -> Iterator[str]:
        """The paths that TypeScript tries for a bare specifier, in its order: those of the matching alias with the
        longest prefix, then below the base."""
        for pattern, places in sorted(self.aliases, key=lambda alias: -len(alias[0].partition("*")[0])):
            middle = matched(pattern, specifier)
            if middle is not None:
                yield from (posixpath.normpath(place.replace("*", middle, 1)) for place in places)
                break
        if self.base is not None:
            yield posixpath.normpath(posixpath.join(self.base, specifier))


def matched(pattern: str, specifier: str) -> str | None:
    """The part of a specifier that the `*` of a pattern matches; None if the pattern doesn't match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == specifier else None
    fits = specifier.startswith(before) and specifier.endswith(after) and len(specifier) >= len(before) + len(after)
    return specifier[len(before) : len(specifier) - len(after)] if fits else None


def read_paths(path: str, read: Read, packages: Mapping[str, str], depth: int = 0) -> PathAliases:
    """The path aliases of a tsconfig, or of those that it extends or, as a solution file, references. `packages`:
    folder by package name."""
    config = json_object(read(path))
    folder = posixpath.dirname(path)
    aliases = PathAliases()
    if depth < MAX_DEPTH:
        for other in _others(config, folder, packages):
            inherited = read_paths(other, read, packages, depth + 1)
            aliases = PathAliases(inherited.base or aliases.base, inherited.aliases or aliases.aliases)
    options = config.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base = aliases.base
    if isinstance(options.get("baseUrl"), str):
        base = posixpath.normpath(posixpath.join(folder, options["baseUrl"]))
    paths = options.get("paths")
    if isinstance(paths, dict):
        root = base if base is not None else folder
        return PathAliases(base, tuple((name, _places(root, value)) for name, value in paths.items()))
    return PathAliases(base, aliases.aliases)


def _places(root: str, value: object) -> tuple[str, ...]:
    return (
        tuple(posixpath.join(root, path) for path in value if isinstance(path, str)) if isinstance(value, list) else ()
    )


def _others(config: Mapping[str, Any], folder: str, packages: Mapping[str, str]) -> Iterator[str]:
    extends = config.get("extends")
    for entry in extends if isinstance(extends, list) else [extends]:
        if isinstance(entry, str) and entry:
            name = "/".join(entry.split("/")[: 2 if entry.startswith("@") else 1])
            place = packages[name] + entry[len(name) :] if name in packages else posixpath.join(folder, entry)
            place = posixpath.normpath(place)
            yield place if place.endswith(".json") else f"{place}.json"
    references = config.get("references")
    for entry in references if isinstance(references, list) and config.get("files") == [] else ():
        if isinstance(entry, dict) and isinstance(entry.get("path"), str):
            place = posixpath.normpath(posixpath.join(folder, entry["path"]))
            yield place if place.endswith(".json") else f"{place}/tsconfig.json"


@dataclass(frozen=True)
class NpmPackage:
    """A package.json of the repo. `entries` are the candidates for the package's main file; the first existing
    counts."""

    folder: str
    name: str
    entries: tuple[str, ...]
    exports: Mapping[str, object] = field(default_factory=dict)
    imports: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str, read: Read) -> "NpmPackage":
        """Reads a package.json. Never raises."""
        config = json_object(read(path))
        name = config.get("name")
        keys = ("source", "types", "typings", "module", "main", "browser")
        exports = config.get("exports")
        if not isinstance(exports, dict) or not any(key.startswith(".") for key in exports):
            exports = {".": exports} if exports is not None else {}
        imports = config.get("imports")
        return cls(
            folder=posixpath.dirname(path),
            name=name if isinstance(name, str) else "",
            entries=tuple(value for key in keys if isinstance(value := config.get(key), str)),
            exports=exports,
            imports=imports if isinstance(imports, dict) else {},
        )

    def exported(self, subpath: str) -> Iterator[str]:
        """Files that `exports` names for `.` or `./sub`, relative to the package, in the order of its conditions."""
        return _listed(self.exports, subpath)

    def imported(self, specifier: str) -> Iterator[str]:
        """Files that `imports` names for a specifier that begins with `#`."""
        return _listed(self.imports, specifier)


def _listed(table: Mapping[str, object], key: str) -> Iterator[str]:
    for pattern in sorted(table, key=lambda one: (one != key, -len(one.partition("*")[0]))):
        middle = matched(pattern, key)
        if middle is not None:
            yield from (place.replace("*", middle) for place in _leaves(table[pattern], 0))
            return


def _leaves(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < MAX_DEPTH and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner, depth + 1)
