"""What a run would give its agents: root causes, clusters, routing and estimated cost. No model is asked."""

from collections.abc import Mapping, Sequence

from healing.causes import find_causes
from healing.causes.hierarchy import explain
from healing.clusters import make_clusters, remark
from healing.clusters.batching import AgentOf
from healing.graph import import_graph
from healing.model import CIError, Cluster, Frozen, RootCause
from healing.repair.agents.estimate import Estimate, estimates
from healing.repair.agents.profiles import Profile
from healing.repair.agents.routing import Record, Routing, route
from healing.repair.agents.rules import AgentRules
from healing.view import TreeView


class Plan(Frozen):
    """`routings` and `estimates` are those of the clusters, in order; `remark` is set where the import graph was of
    little use."""

    causes: tuple[RootCause, ...]
    clusters: tuple[Cluster, ...]
    routings: tuple[Routing, ...]
    estimates: tuple[Estimate, ...]
    remark: str = ""

    @property
    def dollars(self) -> float:
        """The sum over all clusters."""
        return sum((estimate.dollars for estimate in self.estimates), 0.0)

    @property
    def calls(self) -> int:
        """The sum over all clusters."""
        return sum(estimate.calls for estimate in self.estimates)


def plan(
    errors: tuple[CIError, ...],
    view: TreeView,
    rules: AgentRules,
    profiles: Sequence[Profile],
    model: str,
    records: Mapping[str, Record] | None = None,
    second_model: str = "",
) -> Plan:
    """The plan for these errors, as a run would make it if nothing cheaper fixed them. `second_model` is the model that
    is asked in addition about hard errors. Raises UnknownModel."""
    graph = import_graph(view)
    causes = explain(find_causes(errors, view), errors, graph)
    agent_of = specialist_chooser(profiles, rules)
    clusters = make_clusters(causes, errors, graph, batching=rules.batching, agent_of=agent_of)
    by_id = {error.id: error for error in errors}
    routings = tuple(
        route(
            cluster,
            [by_id[i] for i in cluster.error_ids if i in by_id],
            profiles,
            records,
            rules.min_confidence,
            rules.candidates,
        )
        for cluster in clusters
    )
    known = {profile.name: profile for profile in profiles}
    whom = {routing.cluster: known[routing.chosen[0]] for routing in routings}
    costs = estimates(clusters, errors, view, model, whom, second_model)
    return Plan(causes=causes, clusters=clusters, routings=routings, estimates=costs, remark=remark(graph, clusters))


def specialist_chooser(profiles: Sequence[Profile], rules: AgentRules) -> AgentOf:
    """Returns the function that names the specialist that a cause would get by itself, for `batching: agent`."""

    def agent(cause: RootCause, errors: Sequence[CIError]) -> str:
        alone = Cluster(id="", causes=(cause,), error_ids=cause.error_ids, zone=cause.files, phase="fast")
        return route(alone, errors, profiles, threshold=rules.min_confidence).chosen[0]

    return agent
