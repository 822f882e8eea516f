"""Groups root causes into clusters: causes that may need the same files go to one agent, within limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from healing.causes import Places, order
from healing.clusters.batching import AgentOf, Batching, ties_of, trade_of
from healing.clusters.grouping import ClusterLimits, grouped
from healing.clusters.zones import subject_of, zone_of
from healing.graph import Graph
from healing.model import Category, CIError, Cluster, RootCause, content_id

__all__ = ["Batching", "ClusterLimits", "make_clusters", "remark", "subject_of"]

# Documents, data and settings import nothing.
UNLINKED = (".rst", ".md", ".txt", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".json", ".jsonc", ".css", ".html", ".xml")
SLOW = {Category.TEST, Category.RUNTIME}
# Errors that hide others come first: a file that doesn't parse, then names and types, and style last.
SEVEREST = (
    *(Category.SYNTAX, Category.INDENTATION, Category.IMPORT, Category.TYPE, Category.COMPILE),
    *(Category.RUNTIME, Category.TEST, Category.SECURITY, Category.LINT, Category.FORMAT),
)


def make_clusters(
    causes: Sequence[RootCause],
    errors: Sequence[CIError],
    graph: Graph,
    limits: ClusterLimits | None = None,
    batching: Batching = "dependency",
    agent_of: AgentOf = trade_of,
) -> tuple[Cluster, ...]:
    """Puts every cause into exactly one cluster, with the cause that explains it. Fast clusters come first, then
    clusters are sorted by their most severe error and its place, and so are the causes in one. Explained causes don't
    count for the limits, because they need no edit of their own."""
    limits = limits or ClusterLimits()
    by_id = {error.id: error for error in errors}
    ranking = _Ranking(by_id, graph, batching, agent_of, Places(None))
    rows = sorted((ranking.row(group) for group in _bundled(causes)), key=_order)
    if sum(len(cause.error_ids) for cause in causes) < limits.parallel_from:
        return (_cluster(sorted(rows, key=_severity)),) if rows else ()
    clusters = []
    for slow in (False, True):
        chosen = [row for row in rows if row.slow is slow]
        groups = [sorted((chosen[index] for index in group), key=_severity) for group in grouped(chosen, limits)]
        clusters += [_cluster(group) for group in sorted(groups, key=lambda group: _severity(group[0]))]
    return tuple(clusters)


def remark(graph: Graph, clusters: Sequence[Cluster]) -> str:
    """A remark where clusters are by file only, because imports can't be read in any of their languages; otherwise
    empty."""
    unread = sorted({file for cluster in clusters for file in cluster.zone if not graph.knows(file)})
    unread = [file for file in unread if not file.endswith(UNLINKED)]
    if not unread or any(graph.knows(file) for cluster in clusters for file in cluster.zone):
        return ""
    return f"grouped by file alone: Heal reads no imports in files like {unread[0]}"


@dataclass(frozen=True)
class RankedCause:
    """A cause with those that it explains. `zone`, `ties` and `rank` (smaller is more severe) are its own."""

    causes: tuple[RootCause, ...]
    zone: Mapping[str, int]
    ties: Mapping[str, int]
    slow: bool
    rank: int
    place: tuple[str, int, int, str, str, str]

    @property
    def weight(self) -> int:
        """The number of errors that count for the limits."""
        return len(self.causes[0].error_ids)


@dataclass(frozen=True)
class _Ranking:
    by_id: Mapping[str, CIError]
    graph: Graph
    batching: Batching
    agent_of: AgentOf
    places: Places

    def row(self, group: Sequence[RootCause]) -> RankedCause:
        head = group[0]
        errors = [self.by_id[error_id] for error_id in head.error_ids if error_id in self.by_id]
        zone = zone_of(head, errors, self.graph, self.places)
        ties = ties_of(head, errors, zone, self.graph, self.batching, self.agent_of)
        slow = head.category in SLOW or any(error.category in SLOW for error in errors)
        rank = min(_rank(category) for category in (head.category, *(e.category for e in errors)))
        return RankedCause(
            tuple(group), zone, ties, slow, rank, min(map(order, errors), default=("", 0, 0, "", "", ""))
        )


def _bundled(causes: Sequence[RootCause]) -> list[list[RootCause]]:
    """Each cause that nothing explains, followed by those that it explains."""
    known = {cause.fingerprint for cause in causes}
    heads = {cause.fingerprint: [cause] for cause in causes if cause.explained_by not in known}
    for cause in sorted(causes, key=lambda cause: cause.fingerprint):
        if cause.fingerprint not in heads:
            heads.setdefault(cause.explained_by, []).append(cause)
    return list(heads.values())


def _order(row: RankedCause) -> tuple[bool, tuple[str, int, int, str, str, str], str]:
    return (row.slow, row.place, row.causes[0].fingerprint)


def _severity(row: RankedCause) -> tuple[int, tuple[bool, tuple[str, int, int, str, str, str], str]]:
    return (row.rank, _order(row))


def _rank(category: Category) -> int:
    return SEVEREST.index(category) if category in SEVEREST else len(SEVEREST)


def _cluster(rows: Sequence[RankedCause]) -> Cluster:
    causes = tuple(cause for row in rows for cause in row.causes)
    return Cluster(
        id="C" + content_id("cluster", sorted(cause.fingerprint for cause in causes), length=12),
        causes=causes,
        error_ids=tuple(error_id for cause in causes for error_id in cause.error_ids),
        zone=tuple(sorted({file for row in rows for file in row.zone})),
        phase="slow" if any(row.slow for row in rows) else "fast",
    )
