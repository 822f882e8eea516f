"""Python beside grimp: five well-known packages from the registry."""

import subprocess
import sys
import time
from pathlib import Path

import grimp

from benchmarks.graph.compared import Compared, edges, read

PACKAGES = {"requests": "2.32.3", "rich": "13.9.4", "flask": "3.0.3", "django": "5.1.4", "sqlalchemy": "2.0.36"}


def compared(folder: Path) -> list[Compared]:
    """Each package, fetched into `folder`."""
    return [_one(name, version, folder / name) for name, version in PACKAGES.items()]


def _one(name: str, version: str, root: Path) -> Compared:
    wanted = f"{name}=={version}"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", str(root), wanted]
    if subprocess.run(install, check=False, capture_output=True).returncode:
        return Compared(wanted, "grimp", problem="could not be fetched")
    for path in root.iterdir():
        if path.name != name and path.is_dir():
            path.rename(root.parent / f"{name}-{path.name}")
    graph, seconds = read(root, ".py", ".pyi")
    sys.path.insert(0, str(root))
    try:
        start = time.perf_counter()
        other = grimp.build_graph(name, cache_dir=None)
        took = time.perf_counter() - start
    finally:
        sys.path.remove(str(root))
    files = {module: _file(root, module) for module in other.modules}
    every = {(files[one], files[to]) for one in files for to in other.find_modules_directly_imported_by(one)}
    itself = {edge for edge in every if edge[0] == edge[1]}
    known = frozenset(edge for edge in edges(graph) if set(edge) <= set(files.values()))
    why = f"{len(itself)} edges of a file to itself are none of Heal's" if itself else ""
    return Compared(wanted, "grimp", len(graph.files), seconds, took, known, frozenset(every - itself), why)


def _file(root: Path, module: str) -> str:
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if (root / path / "__init__.py").exists() else f"{path}.py"
