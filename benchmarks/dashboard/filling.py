"""Fills a store as years of work would."""

import json
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import Table

from bot.store.database import Database
from bot.store.proposals import proposals
from bot.store.runs import runs
from bot.store.spending import model_calls
from healing.model import Category, CIError, Edit, Evidence, Outcome, Proposal, Resolution

RUNS, REPOS, NOW, WEEK = 100_000, 200, 1_790_000_000.0, 7 * 86_400.0
AT_ONCE = 2000
VERDICTS = ("healed", "healed", "healed", "partly", "not-healed", "could-not-look")


async def fill(folder: Path, seed: int, count: int) -> None:
    """Runs over two years, with outcomes of some kilobytes, proposals and model calls."""
    flaky = Random(seed)
    database = await Database.open(f"sqlite+aiosqlite:///{folder / 'heal.db'}")
    weights = [1 / (place + 1) for place in range(REPOS)]
    repos = flaky.choices(range(1, REPOS + 1), weights, k=count)
    for first in range(0, count, AT_ONCE):
        made = [_run(flaky, number, repos[number], count) for number in range(first, min(first + AT_ONCE, count))]
        async with database.write() as connection:
            for table in (runs, proposals, model_calls):
                await connection.execute(table.insert(), [row for rows in made for of, row in rows if of is table])
    await database.close()


def _run(flaky: Random, number: int, repo: int, count: int) -> list[tuple[Table, dict[str, Any]]]:
    sha, opened = f"{flaky.getrandbits(160):040x}", NOW - 104 * WEEK * (1 - number / count)
    run_id, verdict = f"heal-{number:08x}", flaky.choice(VERDICTS)
    outcome = _outcome(flaky, run_id, verdict)
    [proposal] = outcome.proposals
    pull = flaky.randrange(1, 3000)
    ended = opened + flaky.uniform(40, 400)
    row = {
        "repo_id": repo, "sha": sha, "attempt": 1, "full_name": f"firm/part{repo}", "installation_id": 5,
        "number": pull, "state": "running" if number >= count - 3 else "done", "run_id": run_id,
        "outcome": outcome.model_dump_json(), "opened_at": opened, "started_at": opened + 20, "verdict": verdict,
        "errors": len(outcome.errors), "proposals": 1, "prevented": 0, "ended_at": ended,
    }  # fmt: skip
    offer = {
        "repo_id": repo, "number": number, "proposal_id": proposal.id, "run_id": run_id, "attempt": 1,
        "status": flaky.choice(("applied", "applied", "rejected", "offered")), "delivery": "suggestion", "reason": "",
        "body": proposal.model_dump_json(), "made_at": ended, "offered_at": ended, "decided_at": ended + 3600,
    }  # fmt: skip
    calls = [_call(repo, run_id, pull, ended, key) for key in ("a", "b")]
    return [(runs, row), (proposals, offer), *((model_calls, call) for call in calls)]


def _call(repo: int, run_id: str, pull: int, at: float, key: str) -> dict[str, Any]:
    none = dict.fromkeys(("cache_write_tokens", "cache_read_tokens", "lost"), 0)
    return {
        "repo_id": repo, "run_id": run_id, "key": key, "number": pull, "model": "claude-sonnet-5-5", "made_at": at,
        "input_tokens": 4000, "output_tokens": 300, "dollars": 0.02, "seconds": 5.0, "request_id": "", "cache_miss": "",
        **none,
    }  # fmt: skip


def _outcome(flaky: Random, run_id: str, verdict: Any) -> Outcome:
    errors = tuple(
        CIError(
            id=f"E{number}", tool="pytest", category=Category.TEST, file=f"shop/part{number}.py", line=number,
            message="assert 1 == 2 " * 4, excerpt="E   assert\n" * 12,
        )
        for number in range(flaky.randrange(1, 8))
    )  # fmt: skip
    edit = Edit(file="shop/part1.py", old_string="a = 1\n" * 8, new_string="a = 2\n" * 8)
    proof = Evidence(
        command="pytest", before_tree="a" * 40, after_tree="b" * 40, before_exit=1, after_exit=0,
        before_output="F" * 1500, after_output="." * 300,
    )  # fmt: skip
    proposal = Proposal(
        id=f"{flaky.getrandbits(64):016x}", source="agent:tests", phase="slow", title="Count right", confidence=80,
        explanation="x" * 200, error_ids=("E0",), edits=(edit,), wide=(edit,), reverse=(edit,), evidence=(proof,),
        base_tree="a" * 40,
    )  # fmt: skip
    ends = tuple(Resolution(error_id=e.id, how=f"fix:{proposal.id}", proposal_id=proposal.id) for e in errors)
    seconds = json.loads('{"baseline": 40.0, "autofix": 2.0, "fixers": 5.0, "slow": 60.0}')
    return Outcome(
        verdict=verdict, run_id=run_id, errors=errors, proposals=(proposal,), resolutions=ends, seconds=seconds
    )  # fmt: skip
