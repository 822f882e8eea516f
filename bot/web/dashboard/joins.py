"""An outcome as the graph of errors, root causes, clusters and proposals."""

from collections.abc import Sequence

from markupsafe import Markup

from bot.store.run_story import Offer
from bot.web.drawing.graph import Column, Node, graph
from bot.web.labels import fix_state, maker, tone
from healing.model import CIError, Cluster, Outcome, RootCause


def graph_of(outcome: Outcome, offers: Sequence[Offer]) -> Markup:
    """Draws the graph. An error that was fixed without a cluster is joined directly to its proposal."""
    clustered = {i for cluster in outcome.clusters for i in cluster.error_ids}
    caused = {i for cause in outcome.causes for i in cause.error_ids}
    fixes = {i: offer.proposal.id for offer in offers for i in offer.proposal.error_ids}
    for resolution in outcome.resolutions:
        if resolution.proposal_id:
            fixes.setdefault(resolution.error_id, resolution.proposal_id)
    columns = [
        Column("Errors", [_error(e, outcome.causes, fixes if e.id not in caused else {}) for e in outcome.errors]),
        Column("Root causes", [_cause(cause, outcome.clusters, fixes) for cause in outcome.causes]),
        Column("Groups", [_cluster(cluster, fixes) for cluster in outcome.clusters]),
        Column("Fixes", [_fix(offer, clustered) for offer in offers]),
    ]
    return graph([column for column in columns if column.nodes])


def _error(error: CIError, causes: Sequence[RootCause], fixes: dict[str, str]) -> Node:
    to = tuple(f"cause {cause.fingerprint}" for cause in causes if error.id in cause.error_ids)
    if error.id in fixes:
        to = (*to, f"fix {fixes[error.id]}")
    place = f"{error.file or error.test or error.tool}{f':{error.line}' if error.line else ''}"
    return Node(
        f"error {error.id}", f"{error.code or error.tool} {place}", _plain(error.message)[:300], "node-error", to
    )


def _cause(cause: RootCause, clusters: Sequence[Cluster], fixes: dict[str, str]) -> Node:
    """Returns the node of a root cause, joined to its cluster, or without a cluster to the fix."""
    mine = [c for c in clusters if any(other.fingerprint == cause.fingerprint for other in c.causes)]
    fixed = dict.fromkeys(f"fix {fixes[i]}" for i in cause.error_ids if i in fixes)
    to = tuple(f"cluster {cluster.id}" for cluster in mine) or tuple(fixed)
    return Node(f"cause {cause.fingerprint}", _plain(cause.message), _plain(cause.message)[:300], "node-cause", to)


def _cluster(cluster: Cluster, fixes: dict[str, str]) -> Node:
    to = tuple(dict.fromkeys(f"fix {fixes[i]}" for i in cluster.error_ids if i in fixes))
    zone = ", ".join(cluster.zone[:5])
    text = zone or f"{len(cluster.error_ids)} errors"
    return Node(f"cluster {cluster.id}", text, f"{len(cluster.error_ids)} errors in {zone}"[:300], "node-cluster", to)


def _fix(offer: Offer, clustered: set[str]) -> Node:
    proposal = offer.proposal
    kind = "by an agent" if any(i in clustered for i in proposal.error_ids) else "without AI"
    title = f"{proposal.title} ({maker(proposal.source)}, {kind}; {fix_state(offer.status)})"
    return Node(f"fix {proposal.id}", _plain(proposal.title), _plain(title)[:300], f"node-fix {tone(offer.status)}")


def _plain(text: str) -> str:
    """Removes backticks, as a drawing can't format code."""
    return text.replace("`", "")
