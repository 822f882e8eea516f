"""`python -m benchmarks.dashboard.asking FOLDER`: asks for every page of the store there; prints JSON."""

import asyncio
import gc
import json
import sys
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
from pydantic import SecretStr
from sqlalchemy import select
from starlette.applications import Starlette

from benchmarks.dashboard.filling import NOW, REPOS
from bot.app import create_web
from bot.durable.inbox import Inbox
from bot.keys.sealing import sealer
from bot.settings import Settings
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.store.proposals import proposals
from bot.store.runs import runs
from bot.store.sessions import SessionRows
from bot.web.answers import Pages
from bot.web.dashboard import routes
from bot.web.dashboard.visits import DashboardServices
from bot.web.signin.access import PersonAccess
from bot.web.signin.github import Person, PersonsGitHub, PersonToken, VisibleRepos
from bot.web.signin.sessions import Sessions

TIMES = 20


class Told(PersonsGitHub):
    """Says what a person sees without asking GitHub, which is not what is measured here."""

    def __init__(self, repos: list[int]) -> None:
        self._seen = VisibleRepos(
            at=NOW,
            repos={repo: f"firm/part{repo}" for repo in repos},
            owners=dict.fromkeys(repos, 5),
            writes=frozenset(repos),
            installations=(),
        )

    async def visible_repos(self, token: SecretStr) -> VisibleRepos:
        return self._seen


async def main(folder: Path) -> None:
    settings = Settings(data=folder, public_url="http://heal", client_id="x", client_secret=SecretStr("y"))
    web = create_web(settings, lambda: NOW)
    async with web.router.lifespan_context(web):
        idle = _megabytes()
        database = await Database.open(settings.store_url)
        pages = [*await _asked(database, settings, "all"), *await _asked(database, settings, "five")]
        await database.close()
        gc.collect()
    print(json.dumps({"pages": pages, "idle MB": idle, "after MB": _megabytes()}))


async def _asked(database: Database, settings: Settings, person: str) -> list[dict[str, Any]]:
    """Each page as a person who sees all repositories, or the five quietest."""
    repos = list(range(1, REPOS + 1)) if person == "all" else list(range(REPOS - 4, REPOS + 1))
    sessions = Sessions(SessionRows(database), sealer(settings, "sessions"), False, lambda: NOW)
    inbox = Inbox(Deliveries(database), lambda: NOW, None)
    access = PersonAccess(Told(repos), lambda: NOW)
    desk = DashboardServices(database, Pages(), sessions, access, inbox, "http://github", "http://heal", lambda: NOW)
    session = await sessions.begin(Person(id=1, login="maya"), PersonToken(token=SecretStr("t"), seconds=9e4))
    app = Starlette(routes=routes(desk))
    rows = []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://heal") as client:
        client.cookies.set(sessions.name, session.cookie)
        for name, path in (await _paths(database, repos)).items():
            await client.get(path)
            rows.append({"page": name, "person": person, **await _timed(client, path)})
    return rows


async def _timed(client: httpx.AsyncClient, path: str) -> dict[str, float]:
    took = []
    for _ in range(TIMES):
        began = time.perf_counter()
        answer = await client.get(path)
        took.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, (path, answer.text)
    cut = quantiles(took, n=20)
    return {"p50 ms": round(cut[9], 1), "p95 ms": round(cut[18], 1), "kB": round(len(answer.content) / 1024, 1)}


async def _paths(database: Database, repos: list[int]) -> dict[str, str]:
    mine = runs.c.repo_id.in_(repos)
    async with database.read() as connection:
        old = (await connection.execute(select(runs).where(mine).order_by(runs.c.opened_at).offset(60).limit(1))).one()
        fix = (
            await connection.execute(select(proposals.c.proposal_id).where(proposals.c.repo_id.in_(repos)))
        ).scalars()
        fix_id = fix.first()
    name = f"firm/part{repos[0]}"
    return {
        "overview": "/",
        "runs": "/runs",
        "open fixes": "/fixes",
        "flaky tests": "/flaky",
        "runs, not healed": "/runs?state=not-healed",
        "runs, at work": "/runs?state=at-work",
        "runs of one repository": f"/runs?repo={name}",
        "runs, the last pages": f"/runs?before={old.opened_at}-{old.repo_id}-{old.sha}-{old.attempt}",
        "search for a commit": f"/runs?q={old.sha[:10]}",
        "search for a pull request": "/runs?q=%2317",
        "search for a fix": f"/runs?q={fix_id}",
        "search for an error": "/runs?q=undefined+name",
        "a run": f"/runs/firm/part{old.repo_id}/{old.sha}/1",
        "a repository": f"/repositories/{name}",
        "repositories": "/repositories",
        "queue": "/queue",
    }


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * 4096 / 1e6, 1)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
