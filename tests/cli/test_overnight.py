"""`heal run --overnight` as a process of its own, against the Messages API's stand-in."""

import asyncio
import json
import shutil
from pathlib import Path

from tests.cli.conftest import Heal, make_clone
from tests.model_standin import serve
from tests.pipeline.agent_work.test_agent_pool import BASE, CHANGE, FIXES, RUFF
from tests.pipeline.agent_work.test_overnight import Sleeper


# LM-4, AG-1
async def test_a_night_run_heals_by_one_batch_and_a_second_one_pays_nothing(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "night", BASE, CHANGE)
    async with serve(Sleeper(knows=tuple(FIXES))) as standin:
        standin.batches.polls = 1
        keys = {"ANTHROPIC_API_KEY": standin.key, "ANTHROPIC_BASE_URL": standin.url}
        words = ("run", "--overnight", "--run", RUFF, "--json", "--quiet")
        result = await asyncio.to_thread(heal, *words, cwd=clone, **keys)
        assert result.code == 0, result.err
        outcome = json.loads(result.out)
        assert outcome["verdict"] == "healed"
        assert outcome["spending"]["calls"] == 3 + 3, "three fixes by one batch, and a second opinion on each"
        again = await asyncio.to_thread(heal, *words, cwd=clone, **keys)
        assert json.loads(again.out)["verdict"] == "healed"
        assert len(standin.batches.batches) == 1
        assert len(standin.answered) == 3 + 3
        ident = outcome["proposals"][0]["id"]
        shown = await asyncio.to_thread(heal, "show", ident, "--transcript", cwd=clone)
        assert "in a batch): 1 model calls, $0.0" in shown.out, shown.err
        assert "model calls suggest_fix" in shown.out
        assert "heal, as the first message\n    # Your part: " in shown.out
        place = room / "transcript.txt"
        wrote = await asyncio.to_thread(heal, "show", ident, "--transcript", "-o", str(place), cwd=clone)
        assert (wrote.code, wrote.out) == (0, f"{place}: what agents did, 1 of them\n")
        assert place.read_text("utf-8") == shown.out
        nowhere = await asyncio.to_thread(
            heal, "show", ident, "--transcript", "--output", str(room / "no" / "x.txt"), cwd=clone
        )
        assert (nowhere.code, "can't be written" in nowhere.err) == (2, True)
        alone = await asyncio.to_thread(heal, "show", ident, "--output", str(place), cwd=clone)
        assert (alone.code, "Add --transcript" in alone.err) == (2, True)
        reported = await asyncio.to_thread(heal, "show", ident, "--transcript", "--json", cwd=clone)
        assert {line["role"] for line in json.loads(reported.out)["lines"]} == {"heal", "model", "tool"}
        best = json.loads(reported.out)["routing"]["scores"][0]
        assert {*best} == {"specialist", "capability", "success", "specialisation", "complexity"}
        assert 0 < outcome["proposals"][0]["dollars"] <= outcome["spending"]["dollars"]
        nobody = await asyncio.to_thread(heal, "show", "nothing", "--transcript", cwd=clone)
        assert (nobody.code, "no fix or report here has the id" in nobody.err) == (2, True)
    shutil.rmtree(clone)
