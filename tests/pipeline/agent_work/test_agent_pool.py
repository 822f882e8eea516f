"""Many agents at once: what breaks one stays its own, what ends the process ends them all."""

import asyncio
import logging
from collections.abc import Callable

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.llm.protocol import Request, Turn
from healing.pipeline.agent_work.model_set import ModelSet
from tests.model_standin import oracle, serve
from tests.pipeline.bench import Bench

NAMES = ("calc", "words", "dates")  # fewer causes would be one cluster
BASE = {f"{name}.py": "def same(it):\n    return it\n" for name in NAMES}
CHANGE = {f"{name}.py": f"def same(it):\n    return quux_{name}(it)\n" for name in NAMES}
FIXES = {f"{name}.py": (f"quux_{name}(it)", "it") for name in NAMES}
RUFF = "ruff check ."


class Surprising:
    """A model that does something first to whoever asks about calc.py."""

    def __init__(self, real: AnthropicModel, surprise: Callable[[], object]) -> None:
        self.name = real.name
        self.real = real
        self.surprise = surprise

    async def complete(self, request: Request) -> Turn:
        if any("file: calc.py" in text for text in request.trunk):
            self.surprise()
        return await self.real.complete(request)


def break_off() -> None:
    raise ZeroDivisionError("nobody thought of this")


# AG-9, AG-5
async def test_an_agent_that_breaks_off_leaves_a_report_and_takes_no_other_down(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(oracle(FIXES)) as standin:
        real = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        with caplog.at_level(logging.ERROR, "heal.agents"):
            model_set = ModelSet(alone(Surprising(real, break_off)), Budget(10.0))
            outcome = await bench.heal(BASE, CHANGE, RUFF, model_set=model_set)
        await real.close()
    assert len(outcome.clusters) == 3
    assert outcome.verdict == "partly"
    assert {edit.file for proposal in outcome.proposals for edit in proposal.edits} == {"words.py", "dates.py"}
    (report,) = outcome.unfixables
    assert (report.reason, len(report.error_ids)) == ("internal", 1)
    assert outcome.run_id in report.advice
    assert "sorry" in report.why
    assert {r.how.partition(":")[0] for r in outcome.resolutions} == {"fix", "unfixable"}
    (output,) = caplog.records
    assert output.exc_info is not None
    assert output.__dict__["run_id"] == outcome.run_id


# AG-9, OP-3
async def test_a_cancelled_run_ends_at_once_and_is_no_mistake_of_an_agent(bench: Bench) -> None:
    async with serve(oracle(FIXES)) as standin:
        real = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        asked = asyncio.Event()
        healing = asyncio.create_task(
            bench.heal(BASE, CHANGE, RUFF, model_set=ModelSet(alone(Surprising(real, asked.set)), Budget(10.0)))
        )
        await asked.wait()
        healing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await healing
        await real.close()
