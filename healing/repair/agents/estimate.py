"""Estimates what models would cost before they are asked: for `heal plan`, and for runs without a model key."""

from collections.abc import Iterable, Mapping
from typing import Literal

from healing.llm.prices import cost
from healing.llm.protocol import Usage
from healing.model import CIError, Cluster, Frozen
from healing.repair.agents import first_message, wording
from healing.repair.agents.contexts import excerpts
from healing.repair.agents.profiles import GENERALIST, Profile, load_profile
from healing.repair.agents.strategies.compare_two_models import is_hard
from healing.repair.agents.task import AgentTask
from healing.repair.agents.tool_arguments import schemas
from healing.view import TreeView

BYTES_A_TOKEN = 2.7  # of code, with the tokenizer of the 5.5 models
NOTE = 160  # tokens that open a branch
DEFAULT_MODEL = "claude-sonnet-5-5"
METHOD = (
    "Each cluster's real first message is measured at 2.7 bytes a token; a root cause is taken to need 4 calls of 500 "
    "tokens out and 620 back (tests: 8 calls of 1,170 and 2,400); with the prompt cache, at the price table's rates."
)


class CallProfile(Frozen):
    """A typical error's calls: how many, tokens out per call, tokens of tool results per call (5.5 tokenizer)."""

    calls: int
    out: int
    back: int


PROFILES: Mapping[Literal["fast", "slow"], CallProfile] = {
    "fast": CallProfile(calls=4, out=500, back=620),
    "slow": CallProfile(calls=8, out=1170, back=2400),
}


class Estimate(Frozen):
    """The estimate for one cluster: model calls, tokens in and out over all of them, US dollars."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0

    def plus(self, other: "Estimate") -> "Estimate":
        """The sum of both."""
        return Estimate(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            dollars=self.dollars + other.dollars,
        )


def estimates(
    clusters: Iterable[Cluster],
    errors: Iterable[CIError],
    view: TreeView,
    model: str = DEFAULT_MODEL,
    whom: Mapping[str, Profile] | None = None,
    second_model: str = "",
) -> tuple[Estimate, ...]:
    """The estimate for each cluster, by METHOD; `whom` maps a cluster's id to its specialist, `second_model` is asked
    in addition about hard errors. Raises UnknownModel."""
    by_id = {error.id: error for error in errors}
    general = load_profile(GENERALIST)
    results: list[Estimate] = []
    for cluster in clusters:
        cluster_errors = tuple(by_id[i] for i in cluster.error_ids if i in by_id)
        profile = (whom or {}).get(cluster.id, general)
        task = AgentTask(
            cluster=cluster,
            errors=cluster_errors,
            contexts=excerpts(cluster, cluster_errors, view.read, view.paths()),
            profile=profile,
        )
        cluster_estimate = _cluster(task, model, warm=bool(results))
        results.append(
            cluster_estimate.plus(_cluster(task, second_model, warm=bool(results)))
            if second_model and is_hard(cluster_errors)
            else cluster_estimate
        )
    return tuple(results)


def estimate(
    clusters: Iterable[Cluster], errors: Iterable[CIError], view: TreeView, model: str = DEFAULT_MODEL
) -> float:
    """US dollars for agents on all clusters, by METHOD. Raises UnknownModel."""
    return sum((cluster_estimate.dollars for cluster_estimate in estimates(clusters, errors, view, model)), 0.0)


def _cluster(task: AgentTask, model: str, warm: bool) -> Estimate:
    """The estimate of one cluster. `warm`: an agent before this one wrote the rules and tools to the cache."""
    static = _tokens(wording.system() + str(schemas(task.profile.tools)))
    whole = static + _tokens("".join(first_message.trunk(task, "0" * 16)))
    calls, branches = PROFILES[task.cluster.phase], max(len(task.cluster.causes), 1)
    dollars, input_tokens = 0.0, 0
    for number in range(branches):
        read = whole if number else static if warm else 0
        prompt = whole + NOTE
        for _ in range(calls.calls):
            dollars += cost(
                model, Usage(write_5m_tokens=prompt - read, cache_read_tokens=read, output_tokens=calls.out)
            )
            input_tokens += prompt
            read, prompt = prompt, prompt + calls.out + calls.back
    total_calls = branches * calls.calls
    return Estimate(
        calls=total_calls, input_tokens=input_tokens, output_tokens=total_calls * calls.out, dollars=dollars
    )


def _tokens(text: str) -> int:
    return round(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)
