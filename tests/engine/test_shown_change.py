"""An agent on a pull request's failure sees what the pull request did to the files involved."""

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.choice import alone
from healing.phases.team import Team
from tests.engine.bench import Bench
from tests.engine.test_again import BASE, PYTEST, WRONG_PRICE, broken, knowing
from tests.model_standin import serve
from tests.model_standin.brains import trunk_of


# AG-12
async def test_the_pull_requests_diff_of_the_files_involved_is_shown_as_data(bench: Bench) -> None:
    change = {**broken(WRONG_PRICE), "notes.py": "A = 1\n", ".env.py": "KEY = 'k'\n"}
    async with serve(knowing) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        team = Team(alone(model), Budget(10.0))
        outcome = await bench.heal(BASE, change, PYTEST, team=team, on_pull=True)
        await model.close()
        told = next(trunk_of(one.body) for one in standin.asked if one.body["max_tokens"])
    assert outcome.verdict == "healed"
    head, found, diff = told.partition("# What the change that CI ran for did to the files involved\n<<data ")
    assert found, head[-500:]
    assert "--- shop.py\n+++ shop.py" in diff
    assert "-    return cents * 2\n+    return cents * 3" in diff
    assert "notes.py" not in diff
