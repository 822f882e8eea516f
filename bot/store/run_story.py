"""All stored data of one run, for its page on the dashboard."""

from sqlalchemy import select

from bot.store.database import Database
from bot.store.memory import trajectories
from bot.store.overview import ELSEWHERE, RunLine, named_pulls
from bot.store.proposals import proposals
from bot.store.runs import failures, runs
from bot.store.spending import model_calls
from healing.model import Frozen, Outcome, Proposal
from healing.repair.agents.trajectory import Trajectory

MAX_CALLS = 5000
MAX_AGENTS = 200


class Offer(Frozen):
    """A proposal and its status. Times are Unix seconds."""

    proposal: Proposal
    status: str = "elsewhere"  # the row belongs to another run of the pull request, which found the same fix
    delivery: str = "none"
    reason: str = ""
    fixup_number: int | None = None
    applied_sha: str | None = None
    offered_at: float | None = None
    decided_at: float | None = None


class CallRow(Frozen):
    """A model call; `made_at` is when its response arrived (Unix, seconds)."""

    model: str
    request_id: str
    dollars: float
    seconds: float
    made_at: float
    input_tokens: int
    cache_read_tokens: int
    output_tokens: int


class RunStory(Frozen):
    """One run. `calls` and `agents` are in order of time; `failed` are the bodies of failures as reported by events."""

    line: RunLine
    outcome: Outcome | None
    offers: tuple[Offer, ...]
    calls: tuple[CallRow, ...]
    agents: tuple[Trajectory, ...]
    failed: tuple[str, ...]


async def run_story(database: Database, repo_id: int, sha: str, attempt: int) -> RunStory | None:
    """Returns the run, or None if there is no such run."""
    mine = (runs.c.repo_id == repo_id) & (runs.c.sha == sha) & (runs.c.attempt == attempt)
    condition = (failures.c.repo_id == repo_id) & (failures.c.sha == sha) & (failures.c.attempt == attempt)
    async with database.read() as connection:
        row = (await connection.execute(select(runs).where(mine))).mappings().first()
        if row is None:
            return None
        named = await named_pulls(connection, {(repo_id, row["number"])} if row["number"] else ())
        bodies = (
            (await connection.execute(select(failures.c.body).where(condition).order_by(failures.c.id))).scalars().all()
        )
    outcome = None if row["outcome"] is None else Outcome.model_validate_json(row["outcome"])
    run_id = row["run_id"] or ""
    calls = await _calls(database, repo_id, run_id)
    fields = {name: row[name] for name in RunLine.model_fields if name not in ELSEWHERE}
    fields |= named.get((repo_id, row["number"]), {})
    return RunStory(
        line=RunLine(**fields, dollars=sum(call.dollars for call in calls)),
        outcome=outcome,
        offers=await _offers(database, repo_id, run_id, outcome),
        calls=calls,
        agents=await _agents(database, repo_id, run_id),
        failed=tuple(bodies),
    )


async def _calls(database: Database, repo_id: int, run_id: str) -> tuple[CallRow, ...]:
    columns = [model_calls.c[name] for name in CallRow.model_fields]
    mine = (model_calls.c.repo_id == repo_id) & (model_calls.c.run_id == run_id)
    query = select(*columns).where(mine).order_by(model_calls.c.made_at).limit(MAX_CALLS)
    async with database.read() as connection:
        return tuple(CallRow(**row) for row in (await connection.execute(query)).mappings())


async def _agents(database: Database, repo_id: int, run_id: str) -> tuple[Trajectory, ...]:
    mine = (trajectories.c.repo_id == repo_id) & (trajectories.c.run_id == run_id)
    query = select(trajectories.c.body).where(mine).order_by(trajectories.c.seen_at, trajectories.c.name)
    async with database.read() as connection:
        bodies = (await connection.execute(query.limit(MAX_AGENTS))).scalars().all()
    return tuple(map(Trajectory.model_validate_json, bodies))


async def _offers(database: Database, repo_id: int, run_id: str, outcome: Outcome | None) -> tuple[Offer, ...]:
    """Returns the run's proposals with their status."""
    mine = (proposals.c.repo_id == repo_id) & (proposals.c.run_id == run_id)
    async with database.read() as connection:
        rows = (await connection.execute(select(proposals).where(mine).order_by(proposals.c.id))).mappings().all()
    kept = [name for name in Offer.model_fields if name != "proposal"]
    offers = {
        row["proposal_id"]: Offer(
            proposal=Proposal.model_validate_json(row["body"]), **{name: row[name] for name in kept}
        )
        for row in rows
    }
    for proposal in outcome.proposals if outcome else ():
        offers.setdefault(proposal.id, Offer(proposal=proposal))
    return tuple(offers.values())
