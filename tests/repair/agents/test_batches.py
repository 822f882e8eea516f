"""A cluster's causes in batches (AG-9): each agent gets at most so many, nothing is lost, and they come in turn."""

from hypothesis import given
from hypothesis import strategies as st

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Category, Cluster, RootCause
from healing.pipeline.agent_work.agent_pool import AgentPool
from healing.pipeline.agent_work.model_set import ModelSet
from healing.repair.agents.profiles import load_profile
from healing.repair.agents.rules import AgentRules
from healing.repair.agents.task import AgentTask
from healing.steps import MemorySteps
from tests.model_standin import oracle, serve
from tests.model_standin.brains import sections
from tests.pipeline.bench import Bench
from tests.repair.agents.folder import undefined

NAMES = st.lists(st.sets(st.integers(0, 14), min_size=1, max_size=4), min_size=1, max_size=12)


def task_of(causes: list[set[int]], others: set[int]) -> AgentTask:
    """A task whose causes may share errors, with errors of no cause beside them."""
    ids = sorted(set().union(*causes, others))
    made = tuple(
        RootCause(fingerprint=str(n), shape="s", category=Category.LINT, message="m",
                  error_ids=tuple(f"E{i}" for i in sorted(c)))
        for n, c in enumerate(causes)
    )  # fmt: skip
    errors = tuple(undefined(f"n{i}", "a.py", 1).model_copy(update={"id": f"E{i}"}) for i in ids)
    cluster = Cluster(id="C", causes=made, error_ids=tuple(e.id for e in errors), zone=("a.py",), phase="fast")
    return AgentTask(cluster=cluster, errors=errors, profile=load_profile("generalist"))


# AG-9
@given(NAMES, st.sets(st.integers(0, 14), max_size=3), st.integers(1, 12))
def test_every_error_is_in_exactly_one_batch_and_its_cause_with_it(
    causes: list[set[int]], others: set[int], most: int
) -> None:
    task = task_of(causes, others)
    parts = task.batches(most)
    taken = [i for part in parts for i in part.ids()]
    assert sorted(taken) == sorted(task.ids()), "none is lost, none is worked on twice"
    assert all(part.ids() == tuple(i for i in task.ids() if i in part.ids()) for part in parts), "in the task's order"
    assert all(set(part.ids()) == {error.id for error in part.errors} for part in parts)
    for cause in task.cluster.causes:
        shared = {i for one in task.cluster.causes if one is not cause for i in one.error_ids}
        own = set(cause.error_ids) - shared
        assert sum(bool(own & set(part.ids())) for part in parts) == bool(own), "what is its own stays together"
    if len(causes) <= most:
        assert parts == (task,)


async def silent(_sentence: str) -> None:
    """Nobody watches."""


# AG-9
async def test_an_agent_gets_one_batch_after_the_other(bench: Bench) -> None:
    files = {f"{name}.py": f"def same(it):\n    return quux_{name}(it)\n" for name in ("calc", "words")}
    cures = {file: (f"quux_{file[:-3]}(it)", "it") for file in files}
    verifier = await bench.verifier(files, "ruff check .")
    errors = tuple(sorted(verifier.errors.values(), key=lambda error: error.file or ""))
    causes = tuple(
        RootCause(fingerprint=e.id, shape="s", category=e.category, message=e.message, error_ids=(e.id,))
        for e in errors
    )
    ids = tuple(error.id for error in errors)
    cluster = Cluster(id="C", causes=causes, error_ids=ids, zone=tuple(files), phase="fast")
    async with serve(oracle(cures)) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        agent_pool = AgentPool(
            verifier, ModelSet(alone(model), Budget(10.0)), MemorySteps(), silent, rules=AgentRules(batch=1)
        )
        await agent_pool.work([cluster], errors)
        await model.close()
    assert [tuple(sections(asked.body)) for asked in standin.asked] == [ids[:1], ids[1:]]
    assert [proposal.error_ids for proposal in verifier.accepted] == [ids[:1], ids[1:]]
    assert agent_pool.reports == ()
    assert {asked.body["system"][0]["cache_control"].get("ttl") for asked in standin.asked} == {None}
