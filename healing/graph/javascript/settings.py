"""What package.json and tsconfig.json say about where specifiers lead. Read without trust: anything may be anything."""

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Read = Callable[[str], bytes | None]
NOT_JSON = re.compile(r'("(?:[^"\\\n]++|\\.)*+")|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/')
TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]++|\\.)*+")|,(?=\s*+[}\]])')
MOST_BYTES = 1_000_000
DEEPEST = 10  # configurations that extend one another, and conditions inside conditions


def json_object(data: bytes | None) -> dict[str, Any]:
    """The object in a JSON file with comments and trailing commas; empty where it is none."""
    if data is None or len(data) > MOST_BYTES:
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
    """`baseUrl` and `paths` of one tsconfig, from the top of the repo. `base` None: not set."""

    base: str | None = None
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def candidates(self, specifier: str) -> Iterator[str]:
        """Where TypeScript looks for a bare specifier, in its order: the alias with the longest fixed beginning."""
        for pattern, places in sorted(self.aliases, key=lambda alias: -len(alias[0].partition("*")[0])):
            middle = matched(pattern, specifier)
            if middle is not None:
                yield from (posixpath.normpath(place.replace("*", middle, 1)) for place in places)
                break
        if self.base is not None:
            yield posixpath.normpath(posixpath.join(self.base, specifier))


def matched(pattern: str, specifier: str) -> str | None:
    """What the `*` of a pattern stands for in a specifier; None where it doesn't match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == specifier else None
    fits = specifier.startswith(before) and specifier.endswith(after) and len(specifier) >= len(before) + len(after)
    return specifier[len(before) : len(specifier) - len(after)] if fits else None


def read_paths(path: str, read: Read, packages: Mapping[str, str], depth: int = 0) -> PathAliases:
    """The paths of a tsconfig, those that it extends or, being a solution, refers to. `packages`: folder by name."""
    config = json_object(read(path))
    folder = posixpath.dirname(path)
    found = PathAliases()
    if depth < DEEPEST:
        for other in _others(config, folder, packages):
            inherited = read_paths(other, read, packages, depth + 1)
            found = PathAliases(inherited.base or found.base, inherited.aliases or found.aliases)
    options = config.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base = found.base
    if isinstance(options.get("baseUrl"), str):
        base = posixpath.normpath(posixpath.join(folder, options["baseUrl"]))
    paths = options.get("paths")
    if isinstance(paths, dict):
        root = base if base is not None else folder
        return PathAliases(base, tuple((name, _places(root, value)) for name, value in paths.items()))
    return PathAliases(base, found.aliases)


def _places(root: str, value: object) -> tuple[str, ...]:
    return tuple(posixpath.join(root, one) for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _others(config: Mapping[str, Any], folder: str, packages: Mapping[str, str]) -> Iterator[str]:
    extends = config.get("extends")
    for one in extends if isinstance(extends, list) else [extends]:
        if isinstance(one, str) and one:
            name = "/".join(one.split("/")[: 2 if one.startswith("@") else 1])
            place = packages[name] + one[len(name) :] if name in packages else posixpath.join(folder, one)
            place = posixpath.normpath(place)
            yield place if place.endswith(".json") else f"{place}.json"
    references = config.get("references")
    for one in references if isinstance(references, list) and config.get("files") == [] else ():
        if isinstance(one, dict) and isinstance(one.get("path"), str):
            place = posixpath.normpath(posixpath.join(folder, one["path"]))
            yield place if place.endswith(".json") else f"{place}/tsconfig.json"


@dataclass(frozen=True)
class NpmPackage:
    """A package.json of the repo: `entries` are what stands for the package itself, the first that exists counts."""

    folder: str
    name: str
    entries: tuple[str, ...]
    exports: Mapping[str, object] = field(default_factory=dict)
    imports: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str, read: Read) -> "NpmPackage":
        """Never raises."""
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
    elif depth < DEEPEST and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner, depth + 1)
