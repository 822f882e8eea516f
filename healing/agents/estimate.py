"""What a model would have cost, where there is no key to ask one (LM-7)."""

from collections.abc import Iterable, Mapping
from typing import Literal

from healing.agents import wording
from healing.agents.contexts import excerpts
from healing.agents.profiles import load_profile
from healing.agents.task import AgentTask
from healing.agents.tools.arguments import schemas
from healing.llm.prices import cost
from healing.llm.protocol import Usage
from healing.model import CIError, Cluster, Frozen
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


def estimate(
    clusters: Iterable[Cluster], errors: Iterable[CIError], view: TreeView, model: str = DEFAULT_MODEL
) -> float:
    """US dollars for agents on all clusters, by METHOD. Raises UnknownModel."""
    by_id = {error.id: error for error in errors}
    total = 0.0
    warm = False
    for cluster in clusters:
        total += _cluster(cluster, tuple(by_id[i] for i in cluster.error_ids if i in by_id), view, model, warm)
        warm = True
    return total


def _cluster(cluster: Cluster, errors: tuple[CIError, ...], view: TreeView, model: str, warm: bool) -> float:
    profile = load_profile("generalist")
    contexts = excerpts(cluster, errors, view)
    task = AgentTask(cluster=cluster, errors=errors, contexts=contexts, profile=profile)
    static = _tokens(wording.system() + str(schemas(profile.tools)))
    trunk = static + _tokens("".join(wording.trunk(task, "0" * 16)))
    calls = PROFILES[cluster.phase]
    dollars = 0.0
    for number in range(max(len(cluster.causes), 1)):
        read = trunk if number else static if warm else 0
        prompt = trunk + NOTE
        for _ in range(calls.calls):
            usage = Usage(write_5m_tokens=prompt - read, cache_read_tokens=read, output_tokens=calls.out)
            dollars += cost(model, usage)
            read, prompt = prompt, prompt + calls.out + calls.back
    return dollars


def _tokens(text: str) -> int:
    return round(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)
