"""Reads the Cargo.toml files of a repo: packages, the root files of their crates, and their local dependencies."""

import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Read = Callable[[str], bytes | None]
MAX_BYTES = 1_000_000
ROOT = re.compile(r"(?:src/main|build|(?:src/bin|tests|examples|benches)/[^/]+(?:/main)?)\.rs\Z")
TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


@dataclass(frozen=True)
class CargoPackage:
    """One package. `library`: the name and root file of its library crate. `roots`: the root files of all its crates,
    the library first. `called`: the folders of other packages in the repo by their name in this one's code."""

    folder: str
    library: tuple[str, str] | None
    roots: tuple[str, ...]
    called: Mapping[str, str]


def packages(paths: Iterable[str], read: Read) -> tuple[CargoPackage, ...]:
    """The packages of a tree. A Cargo.toml that can't be read is ignored."""
    known = sorted(paths)
    manifests = {
        posixpath.dirname(path): _manifest(read(path)) for path in known if posixpath.basename(path) == "Cargo.toml"
    }
    shared: dict[str, str] = {}
    for folder, manifest in manifests.items():
        shared |= _local(_table(manifest, "workspace", "dependencies"), folder, {})
    sources = [path for path in known if path.endswith(".rs")]
    return tuple(
        _package(folder, manifest, sources, shared) for folder, manifest in manifests.items() if "package" in manifest
    )


def _package(folder: str, manifest: Mapping[str, Any], sources: list[str], shared: Mapping[str, str]) -> CargoPackage:
    name = _table(manifest, "package").get("name")
    lib = _table(manifest, "lib")
    own = frozenset(path for path in sources if not folder or path.startswith(f"{folder}/"))
    library = posixpath.normpath(posixpath.join(folder, _text(lib.get("path"), "src/lib.rs")))
    crate = _text(lib.get("name"), _text(name, "")).replace("-", "_")
    called: dict[str, str] = {}
    targets = _table(manifest, "target").values()
    for holder in (manifest, *(target for target in targets if isinstance(target, dict))):
        for table in TABLES:
            called |= _local(_table(holder, table), folder, shared)
    return CargoPackage(
        folder=folder,
        library=(crate, library) if library in own else None,
        roots=tuple(dict.fromkeys(path for path in (library, *_roots(folder, manifest, own)) if path in own)),
        called=called,
    )


def _roots(folder: str, manifest: Mapping[str, Any], own: frozenset[str]) -> Iterator[str]:
    for kind in ("bin", "test", "example", "bench"):
        listed = manifest.get(kind)
        for target in listed if isinstance(listed, list) else ():
            if isinstance(target, dict) and isinstance(target.get("path"), str):
                yield posixpath.normpath(posixpath.join(folder, target["path"]))
    yield from (path for path in sorted(own) if ROOT.match(path[len(folder) + 1 :] if folder else path))


def _local(table: Mapping[str, Any], folder: str, shared: Mapping[str, str]) -> dict[str, str]:
    """The folders of dependencies by path, by their name in code."""
    folders = {}
    for name, entry in table.items():
        if isinstance(entry, dict) and isinstance(entry.get("path"), str):
            folders[name.replace("-", "_")] = posixpath.normpath(posixpath.join(folder, entry["path"]))
        elif isinstance(entry, dict) and entry.get("workspace") is True and name.replace("-", "_") in shared:
            folders[name.replace("-", "_")] = shared[name.replace("-", "_")]
    return {name: "" if place == "." else place for name, place in folders.items()}


def _manifest(data: bytes | None) -> dict[str, Any]:
    if data is None or len(data) > MAX_BYTES:
        return {}
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return {}


def _table(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    table: Any = value
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _text(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise
