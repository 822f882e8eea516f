"""A local GitHub with red pull requests, and Heal whose engine has its proposals ready: what is left is delivery."""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import uvicorn
from pydantic import SecretStr

from bot.app import create_app
from bot.cluster_tasks import ClusterTask
from bot.contexts import RepoSite
from bot.durable.engine import DurableEngine
from bot.settings import Settings
from handlers import model as ports
from handlers.model import Run, StoredProposal, Verified
from handlers.model.plans import FileChange
from handlers.model.repo_policy import RepoPolicy
from healing.edits.exact import widen
from healing.model import Category, CIError, Edit, Evidence, NotChecked, Outcome, Proposal, Resolution, content_id
from lab.localhub import actions, apps, pulls, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.server import LocalHub, Quiet, listen, serve
from lab.localhub.state import App, Pull, Repo

LINES = 60
WORKFLOW = ".github/workflows/ci.yml"
PHASES: tuple[Literal["free", "fast", "slow"], ...] = ("free", "fast", "slow")


def source(word: str) -> str:
    """A file whose every line can be mended alone."""
    return "".join(f"{word}_{number} = {number}\n" for number in range(LINES))


class Ready:
    """`handlers.model.Healer` with so many proposals for a pull request, found at once."""

    def __init__(self, site: RepoSite, count: int) -> None:
        self.site = site
        self.count = count

    async def heal(self, run: Run, pull: ports.Pull | None, progress: Callable[[str], Awaitable[None]]) -> Outcome:
        await progress("looking")
        made = tuple(proposal(number) for number in range(self.count))
        errors = tuple(error(number) for number in range(self.count))
        ends = tuple(Resolution(error_id=one.error_ids[0], how=f"fix:{one.id}", proposal_id=one.id) for one in made)
        verdict: Literal["healed", "not-healed"] = "healed" if made else "not-healed"
        return Outcome(verdict=verdict, run_id=f"r{run.sha[:8]}", errors=errors, proposals=made, resolutions=ends)

    async def policy(self, sha: str, pull: ports.Pull | None) -> RepoPolicy:
        return RepoPolicy()

    async def settings(self, pull: ports.Pull, of_head: bool = False) -> ports.Settings:
        return ports.Settings(settings=())

    async def carry_over(self, pull: ports.Pull, old: StoredProposal) -> Proposal | NotChecked:
        return NotChecked(what=old.proposal.id, why="nobody moves here")

    async def try_edits(self, pull: ports.Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        return Verified(ok=True, changes=(FileChange(path="code.py", content="", mode="100644"),))

    async def run_cluster_task(self, cluster_task: ClusterTask) -> None:
        raise LookupError(f"no other worker asks for {cluster_task.key} here")

    async def try_together(self, pull: ports.Pull, proposals: tuple[Proposal, ...]) -> Verified:
        return Verified(ok=True)

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        return dict.fromkeys(paths, source("bad").encode())


def error(number: int) -> CIError:
    """What is wrong with one line."""
    message = f"Undefined name {number}"
    return CIError(
        id=f"E{number}", tool="ruff", code="F821", category=Category.LINT, file="code.py", line=number + 1,
        message=message,
    )  # fmt: skip


def proposal(number: int) -> Proposal:
    """Its cure, in one of the phases."""
    edit = Edit(file="code.py", old_string=f"bad_{number} = {number}\n", new_string=f"good_{number} = {number}\n")
    wide = widen((edit,), {"code.py": source("bad").encode()}.get)
    evidence = Evidence(
        command="ruff check .", before_tree="a" * 40, after_tree="b" * 40, before_exit=1, after_exit=0,
        before_output="red", after_output="All checks passed!",
    )  # fmt: skip
    return Proposal(
        id=content_id("delivery", number), source="agent:generalist", phase=PHASES[number % 3], title="Mend a line",
        explanation="It was wrong.", confidence=90, error_ids=(f"E{number}",), edits=(edit,), wide=wide.wide,
        reverse=wide.reverse, evidence=(evidence,), base_tree="0" * 40,
    )  # fmt: skip


@dataclass
class Stage:
    """Everything in one hand."""

    hub: Hub
    github: LocalHub
    app: App
    repo: Repo
    queue: DurableEngine
    pulls: list[Pull] = field(default_factory=list)

    def open_pull(self) -> Pull:
        """A pull request that breaks every line."""
        branch = f"topic-{len(self.pulls)}"
        files = {"code.py": source("bad"), "number.txt": f"{len(self.pulls)}\n"}
        pushes.commit(self.hub, "mona", self.repo, branch, files)
        self.pulls.append(pulls.open_pull(self.hub, "mona", self.repo, branch, "main", "Break it"))
        return self.pulls[-1]

    def ci_fails(self, pull: Pull) -> None:
        """Its CI is red."""
        run = actions.begin_run(self.hub, self.repo, WORKFLOW, "CI", pull.head_sha, pull.head_ref)
        actions.finish_job(self.hub, actions.begin_job(self.hub, run, "lint"), "failure", [], b"red\n")
        actions.finish_run(self.hub, run)

    def calls(self) -> Counter[str]:
        """What was asked of GitHub so far, by method."""
        return Counter(seen.method for seen in self.github.log if seen.path.startswith("/api/"))


@contextlib.asynccontextmanager
async def stage(folder: Path, count: int, queue: DurableEngine) -> AsyncIterator[Stage]:
    """Heal in this process with `count` proposals ready for each pull request; `queue` is its engine."""
    hub = Hub(folder / "hub")
    repo = repos.create_repo(hub, "octo", "demo", {"code.py": source("ok")})
    repos.add_collaborator(repo, "mona", "write")
    app = apps.register(hub)
    repo.suites_off.add(app.slug)
    async with serve(hub) as github, contextlib.AsyncExitStack() as stack:
        apps.install(hub, app, "octo")
        settings = Settings(
            data=folder / "heal", app_id=str(app.id), private_key=SecretStr(app.private_key), github_url=github.api,
        write_gap=0,
            webhook_secret=SecretStr(app.webhook_secret), start="on",
        )  # fmt: skip
        made = create_app(settings, queue, lambda site: Ready(site, count))
        await stack.enter_async_context(made.router.lifespan_context(made))
        app.webhook_url = f"{await stack.enter_async_context(_served(made))}/webhook"
        yield Stage(hub, github, app, repo, queue)


@contextlib.asynccontextmanager
async def _served(made: object) -> AsyncIterator[str]:
    import asyncio

    sock = listen("127.0.0.1", 0)
    server = Quiet(uvicorn.Config(made, log_config=None, access_log=False, lifespan="off", ws="none"))  # type: ignore[arg-type]
    running = asyncio.create_task(server.serve(sockets=[sock]))
    while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
        await asyncio.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
