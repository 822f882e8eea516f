"""Lighthouse on every page: the dashboard with twelve weeks of runs, and the demo with Heal's real work on it.

Chrome loads each page at 390 px as a slow phone (a fourth of the processor, 1.6 Mbit/s) and at 1280 px as a desktop, in
the light and in the dark theme; performance is simulated by Lighthouse. The pages of 403 and 404 are judged too, but
not for search engines; a cell is empty where Lighthouse recorded nothing.
"""

import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.shape import Goal, Result
from lab.demo.stage import stage_in
from lab.demo.story import heal_is_done
from lab.localhub import apps
from lab.localhub.scene import open_broken_pull
from tests.bot.conftest import Clock
from tests.web.conftest import set_up, sign_in
from tests.web.lighthouse import PageToJudge, judged
from tests.web.scene import SHA, busy_weeks

MINUTES = 20.0
SEED = 7
PAUSE = 600.0  # seconds
BOUNDS = {"accessibility": 100, "best-practices": 95, "seo": 95, "performance": 95}
REFUSALS = ("not found", "refused")  # nothing that a search should find
DASHBOARD = {
    "overview": "/",
    "runs": "/runs",
    "a run": f"/runs/corner-shop/tally/{SHA}/1",
    "fixes": "/fixes",
    "flaky tests": "/flaky",
    "repositories": "/repositories",
    "a repository": "/repositories/corner-shop/tally",
    "queue": "/queue",
    "not found": "/nosuch",
}
PUBLIC = {"sign-in": "/sign-in", "refused": "/auth/callback?code=x&state=y"}


def configure(parser: ArgumentParser) -> None:
    """Which pages."""
    parser.add_argument("--only", help="only pages whose name contains this")


async def measure(chosen: Namespace) -> Result:
    """The four scores of each page in each theme and at each width."""
    with tempfile.TemporaryDirectory(prefix="heal-benchmark-") as folder:
        async with _dashboard(Path(folder)) as (pages, clock):
            rows = []
            for page in pages:
                clock.at += PAUSE  # how much one visitor may ask for at a time is bounded, and this clock stands
                rows += await _judged([page], chosen.only)
    async with _demo() as pages:
        rows += await _judged(pages, chosen.only)
    return Result("pages", SEED, rows, [_goal(rows, name, bound) for name, bound in BOUNDS.items()], ("playwright",))


def _goal(rows: list[dict[str, Any]], name: str, bound: int) -> Goal:
    judged = [row[name] for row in rows if name != "seo" or row["page"] not in REFUSALS]
    least = min((score for score in judged if score is not None), default=0)
    return Goal(f"{name}, the least of all pages", f">= {bound}", least, least >= bound)


@asynccontextmanager
async def _dashboard(folder: Path) -> AsyncIterator[tuple[list[PageToJudge], Clock]]:
    """As `maya` sees it after busy weeks."""
    clock = Clock()
    async with set_up(folder, apps.new_key(), clock) as stage:
        await busy_weeks(stage)
        async with stage.stranger() as client:
            await sign_in(stage, client, "maya")
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        signed_in = [PageToJudge(name, f"{stage.url}{path}", cookie) for name, path in DASHBOARD.items()]
        yield signed_in + [PageToJudge(name, f"{stage.url}{path}") for name, path in PUBLIC.items()], clock


@asynccontextmanager
async def _demo() -> AsyncIterator[list[PageToJudge]]:
    """The demo after Heal has offered its fixes."""
    async with stage_in() as story:
        pull = open_broken_pull(story.scene)
        await story.runner.wait()
        check = await heal_is_done(story, pull.head_sha)
        repo = f"/{story.scene.repo.full_name}"
        paths = {
            "demo: home": "/",
            "demo: repository": repo,
            "demo: pull request": f"{repo}/pull/{pull.number}",
            "demo: checks": f"{repo}/pull/{pull.number}/checks",
            "demo: files": f"{repo}/pull/{pull.number}/files",
            "demo: Heal's check run": f"{repo}/checks/{check.id}",
            "demo: commit": f"{repo}/commit/{pull.head_sha}",
        }
        yield [PageToJudge(name, f"{story.github.url}{path}") for name, path in paths.items()]


async def _judged(pages: list[PageToJudge], only: str | None) -> list[dict[str, Any]]:
    """What Lighthouse says of each; what it finds wrong is in the row."""
    output = await judged(page for page in pages if not only or only in page.name)
    return [
        {"page": one.page, "theme": one.theme, "width": one.width, **one.scores, "found": one.found} for one in output
    ]
