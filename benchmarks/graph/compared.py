"""One repository read by Heal and by a peer."""

import time
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from healing.graph import Graph, import_graph
from healing.view import DictView

Edges = set[tuple[str, str]]


@dataclass(frozen=True)
class Compared:
    """`heal` and `peer_seconds` are seconds. `explained`: edges of the peer that Heal leaves out, and why."""

    repository: str
    peer: str
    files: int = 0
    heal: float = 0.0
    peer_seconds: float = 0.0
    ours: frozenset[tuple[str, str]] = frozenset()
    theirs: frozenset[tuple[str, str]] = frozenset()
    explained: str = ""
    problem: str = ""

    @property
    def missing(self) -> Edges:
        """Edges that only the peer has."""
        return set(self.theirs - self.ours)

    @property
    def extra(self) -> Edges:
        """Edges that only Heal has."""
        return set(self.ours - self.theirs)

    def row(self) -> dict[str, Any]:
        """As a line of the table."""
        differing = [f"{one} → {to}" for one, to in sorted(self.missing | self.extra)[:2]]
        return {
            "repository": self.repository,
            "peer": self.peer,
            "files": self.files,
            "edges": len(self.ours),
            "missing": len(self.missing),
            "extra": len(self.extra),
            "heal": self.heal,
            "peer took": self.peer_seconds,
            "note": self.problem or self.explained or "; ".join(differing),
        }


class FolderView(DictView):
    """Files on disk, read when they are asked for: what a graph costs has reading in it, as the peers' times have."""

    def __init__(self, root: Path, endings: tuple[str, ...]) -> None:
        super().__init__({})
        self.root = root
        found = (path for path in root.rglob("*") if path.name.endswith(endings) and path.is_file())
        self.found = tuple(sorted(path.relative_to(root).as_posix() for path in found))

    def paths(self) -> tuple[str, ...]:
        return self.found

    def read(self, path: str) -> bytes | None:
        return (self.root / path).read_bytes()

    def blob(self, path: str) -> str | None:
        return path  # git knows its blobs' ids: they cost nothing


def read(root: Path, *endings: str, folders: Container[str] | None = None) -> tuple[Graph, float]:
    """The graph of a folder, or of some `folders` in it and the files at its top, and seconds."""
    view = FolderView(root, endings)
    if folders is not None:
        view.found = tuple(path for path in view.found if "/" not in path or path.rpartition("/")[0] in folders)
    start = time.perf_counter()
    graph = import_graph(view)
    return graph, time.perf_counter() - start


def edges(graph: Graph) -> Edges:
    """All edges of a graph."""
    return {(path, target) for path in graph.files for target in graph.imports(path)}
