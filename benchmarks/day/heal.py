"""`python -m benchmarks.day.heal KEEP_HOURS`: Heal as it is, under a clock that others set, with an engine that
fetches, checks out and stores as the real one does, but runs no check. `POST /hour` sets the clock and measures."""

import asyncio
import gc
import os
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from sqlalchemy import text
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.app import create_app
from bot.contexts import RepoSite
from bot.durable.engine import DurableEngine
from bot.machine import Machine
from bot.maintenance.loop import Maintenance
from bot.maintenance.retention import DAY, Retention
from bot.runs.healers import RealHealers, open_git
from bot.settings import Settings, read_settings
from bot.store.tables import metadata
from handlers.model import Pull, Run, StoredProposal, Verified
from handlers.model.repo_policy import RepoPolicy
from healing.edits.exact import edits_between, widen
from healing.git.run_id import run_id
from healing.logs import flakes
from healing.model import NotChecked, Outcome, Proposal, content_id

FILE, RED, GREEN = "a.txt", b"red", b"green"
CHECKS = 10
OPEN = {
    "deliveries": "SELECT count(*) FROM deliveries WHERE state NOT IN ('done', 'failed')",
    "runs": "SELECT count(*) FROM runs WHERE state IN ('gathering', 'running')",
}


class Clock:
    """Stands until it is set; sleeping moves it, and takes no time."""

    def __init__(self) -> None:
        self.at = time.time()

    def __call__(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        await asyncio.sleep(0)


class StandIn:
    """`handlers.model.Healer` for one repository: red lines become green ones."""

    def __init__(self, site: RepoSite, real: RealHealers) -> None:
        self._site, self._real = site, real
        site.until.enter_context(real.stores.in_use(site.repo.id))

    async def heal(self, run: Run, pull: Pull | None, progress: Any) -> Outcome:
        """Fetches, makes base and worktree, stores what a check would have printed, and proposes."""
        site, git = self._site, self._real.stores.open(self._site.repo.id)
        ident = run_id(run.sha, run.sha)
        await site.store.name_run(run.sha, run.attempt, ident)
        await progress("looking")
        transport = await open_git(site)
        await asyncio.to_thread(git.fetch, transport, [run.sha])
        tree, trees = git.tree_of(run.sha), self._real.engine().worktrees
        await trees.base(ident, git, tree)
        async with trees.worktree(ident, "check", git, tree, layered=True) as worktree:
            assert worktree.root.is_dir()
            for number in range(CHECKS):
                await site.steps(ident).run("check", {"tree": tree, "number": number}, partial(_printed, run.sha))
        await site.store.save_test_outcomes((flakes.RecordedOutcome(f"test_{run.sha[:6]}", run.sha, passed=False),))
        read = git.view(tree).read
        before = read(FILE) or b""
        edits = edits_between(FILE, before, before.replace(RED, GREEN))
        wide = widen(edits, read)
        proposal = Proposal(
            id=content_id("day", run.sha, length=12), source="fixer:day", phase="free", title="Make it green",
            explanation="They were red.", confidence=90, error_ids=("E1",), edits=edits, wide=wide.wide,
            reverse=wide.reverse, evidence=(), base_tree=tree,
        )  # fmt: skip
        return Outcome(verdict="healed", run_id=ident, proposals=(proposal,))

    async def policy(self, _sha: str, _pull: Pull | None) -> RepoPolicy:
        return RepoPolicy()

    async def try_edits(self, _pull: Pull, _edits: Any, _proposal: Proposal, verify: bool) -> Verified:
        return Verified(ok=not verify)

    async def carry_over(self, _pull: Pull, _old: StoredProposal) -> NotChecked:
        return NotChecked(what="the fix", why="the branch moved on")

    async def files(self, _sha: str, _paths: frozenset[str]) -> None:
        return None


async def _printed(sha: str) -> Any:
    return {"exit_code": 1, "output": f"{sha}\n" * 400}


class Measuring:
    """What else is asked of this Heal: to make its rounds at a time, and how big it is then."""

    def __init__(self, settings: Settings, keep_hours: float) -> None:
        self.clock = Clock()
        self.real = RealHealers(settings)
        self._settings = settings
        keep = keep_hours * 3600 / DAY
        self._retention = Retention(keep, keep, keep)
        queue = DurableEngine(poll=0.05)
        self.app = create_app(settings, queue, self._healer, self.clock, self.clock.sleep)
        self.app.router.routes.append(Route("/hour", self.hour, methods=["POST"]))
        self.app.router.routes.append(Route("/time", self.time, methods=["POST"]))
        self.app.router.routes.append(Route("/open", self.open))

    def _healer(self, site: RepoSite) -> Any:
        return StandIn(site, self.real)

    @property
    def machine(self) -> Machine:
        """With healers whose folders the rounds look after."""
        machine: Machine = self.app.state.machine
        return replace(machine, healers=self.real)

    async def time(self, request: Request) -> Response:
        """Sets the clock, unless it is later already; gives what it says."""
        self.clock.at = max(self.clock.at, float((await request.body()).decode()))
        return JSONResponse(self.clock.at)

    async def open(self, _request: Request) -> Response:
        """How much is not over yet."""
        return JSONResponse(sum([await self._count(query) for query in OPEN.values()]))

    async def hour(self, _request: Request) -> Response:
        """Makes the rounds that are due, and measures."""
        await Maintenance(self.machine, self._retention).once()
        gc.collect()
        rows = {name: await self._count(f"SELECT count(*) FROM {name}") for name in metadata.tables}
        data = self._settings.data
        return JSONResponse(
            {
                "memory": tracemalloc.get_traced_memory()[0],
                "resident": _resident(),
                "open files": len(os.listdir("/proc/self/fd")),
                "rows": sum(rows.values()),
                "largest": dict(sorted(rows.items(), key=lambda row: -row[1])[:6]),
                "databases": sum(path.stat().st_size for path in data.glob("*.db*")),
                "stores": len(list((data / "repos").glob("*"))),
                "bases": len(list((data / "bases").glob("*"))),
                "worktrees": len(list((data / "trees").glob("*/*"))),
                "bytes below data": _bytes_below(data),
            }
        )

    async def _count(self, query: str) -> int:
        async with self.machine.database.read() as connection:
            return int((await connection.execute(text(query))).scalar_one())


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _bytes_below(folder: Path) -> int:
    found = subprocess.run(["du", "-s", "-B1", folder], capture_output=True, text=True, check=False)
    return int(found.stdout.split()[0])


def main() -> None:
    """Serves until it is ended."""
    tracemalloc.start()
    measuring = Measuring(settings := read_settings(), float(sys.argv[1]))
    uvicorn.run(measuring.app, host=settings.host, port=settings.port, log_config=None, access_log=False)


if __name__ == "__main__":
    main()
