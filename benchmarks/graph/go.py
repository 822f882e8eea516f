"""Go beside `go list`: what net/http of the standard library needs, and a library that Debian packs. Compared by
package, for that is what `go list` tells; files are those that it builds here."""

import json
import os
import posixpath
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.graph.compared import Compared, edges, read

PACKED = Path("/usr/share/gocode/src/github.com")
LIBRARIES = {"spf13/cobra": "golang-github-spf13-cobra-dev", "spf13/viper": "golang-github-spf13-viper-dev"}


def compared(folder: Path) -> list[Compared]:
    """The standard library, and the libraries that are installed."""
    if not shutil.which("go"):
        return [Compared("all", "go list", problem="no go here")]
    root = subprocess.run(["go", "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip()
    found = [_one("std: net/http", Path(root, "src"), ["net/http"], {})]
    for name, debian in LIBRARIES.items():
        if not (PACKED / name).is_dir():
            found.append(Compared(name, "go list", problem=f"not installed: {debian}"))
            continue
        place = folder / "gopath" / "src" / "github.com" / name
        shutil.copytree(PACKED / name, place)
        path = f"{folder / 'gopath'}:/usr/share/gocode"
        found.append(_one(name, place, [f"github.com/{name}/..."], {"GO111MODULE": "off", "GOPATH": path}))
    return found


def _one(name: str, root: Path, patterns: list[str], env: dict[str, str]) -> Compared:
    start = time.perf_counter()
    argv = ["go", "list", "-e", "-deps", "-json", *patterns]
    reported = subprocess.run(argv, cwd=root, check=False, capture_output=True, text=True, env={**os.environ, **env})
    took = time.perf_counter() - start
    real = root.resolve()
    packages = {
        one["ImportPath"]: one
        for one in _objects(reported.stdout)
        if one.get("Dir") and Path(one["Dir"]).resolve().is_relative_to(real)
    }
    folders = {path: _folder(one, real) for path, one in packages.items()}
    theirs = {
        (folders[path], folders[real_path])
        for path, one in packages.items()
        for imported in one.get("Imports", ())
        if (real_path := one.get("ImportMap", {}).get(imported, imported)) in folders
    }
    built = {
        posixpath.join(folders[path], file)
        for path, one in packages.items()
        for file in (*one.get("GoFiles", ()), *one.get("CgoFiles", ()))
    }
    graph, seconds = read(root, ".go", "go.mod", folders=set(folders.values()))
    pairs = {(posixpath.dirname(a), posixpath.dirname(b)) for a, b in edges(graph) if a in built}
    ours = frozenset(pair for pair in pairs if pair[0] != pair[1])
    return Compared(name, "go list", len(graph.files), seconds, took, ours, frozenset(theirs))


def _folder(package: dict[str, Any], root: Path) -> str:
    place = Path(package["Dir"]).resolve().relative_to(root).as_posix()
    return "" if place == "." else place


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        at += len(text[at:]) - len(text[at:].lstrip())
