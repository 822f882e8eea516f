"""A tiny repository on the local GitHub, a pull request that breaks it, and its CI: run once, then told again.

All commits are made at the same moment, so every hub that is set up here has the same SHAs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from healing.environment.toolchain import base_environment
from healing.sandbox.probe import probe
from lab.localhub import actions, apps, pulls, pushes, repos
from lab.localhub.ci_state import Step
from lab.localhub.hub import Hub
from lab.localhub.machines import own_machines
from lab.localhub.runner import Runner
from lab.localhub.state import App, Installation, Pull, Repo

AUTHOR, MAINTAINER, BRANCH = "noor", "maya", "receipts"
THEN = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)

Files = Mapping[str, str]

CI = """
name: CI
on: pull_request
jobs:
  lint:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - run: ruff check .
  tests:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - run: pytest -q -p no:cacheprovider
"""
CASH = '''"""Money over the counter."""


def change_for(paid: int, price: int) -> int:
    """What the customer gets back, in cents."""
    if paid <= price:
        raise ValueError("not enough was paid")
    return paid - price
'''
RECEIPT = '''"""What is printed."""

import os


def total(cents: int) -> str:
    """The last line."""
    return f"{cents / 100:.2f}"
'''
TESTS = """from till.cash import change_for
from till.receipt import total


def test_exact_payment_gives_nothing_back():
    assert change_for(500, 500) == 0


def test_the_last_line():
    assert total(500) == "5.00"
"""
MAIN = {
    ".github/workflows/ci.yml": CI,
    "pyproject.toml": '[tool.ruff.lint]\nselect = ["F"]\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "till/__init__.py": "",
    "till/cash.py": CASH,
}
CHANGE = {"till/receipt.py": RECEIPT, "tests/test_till.py": TESTS}

# The unused import is cured for nothing, in a suggestion. The other takes an agent, and as its fix lies outside the
# pull request's diff it becomes a fixup pull request.
FIXES = {"till/cash.py": ("if paid <= price:", "if paid < price:")}


@dataclass(frozen=True)
class RecordedJob:
    """One job as the local Actions really ran it."""

    name: str
    conclusion: str
    steps: Sequence[Step]
    log: bytes


class Clock:
    """The hub's time: it stands until it is let go."""

    stands = True

    def __call__(self) -> datetime:
        return THEN if self.stands else datetime.now(UTC)


@dataclass(frozen=True)
class Scene:
    """A hub with the broken pull request on it, whose CI has not run yet."""

    hub: Hub
    clock: Clock
    app: App
    installation: Installation
    repo: Repo

    @property
    def pull(self) -> Pull:
        """The pull request."""
        return self.hub.pull(self.repo, 1)


def set_up(folder: Path, key: str, main: Files = MAIN, change: Files = CHANGE) -> Scene:
    """Everything up to the red pull request, with nobody listening."""
    clock = Clock()
    hub = Hub(folder, clock)
    repo = repos.create_repo(hub, "corner-shop", "till", dict(main))
    for login, permission in ((MAINTAINER, "admin"), (AUTHOR, "write")):
        repos.add_collaborator(repo, login, permission)  # type: ignore[arg-type]
    app = apps.register(hub, "heal", "corner-shop", private_key=key)
    installation = apps.install(hub, app, "corner-shop", [repo])
    repo.suites_off.add(app.slug)
    pushes.commit(hub, AUTHOR, repo, BRANCH, dict(change), "Print receipts")
    pulls.open_pull(hub, AUTHOR, repo, BRANCH, title="Print receipts")
    return Scene(hub, clock, app, installation, repo)


async def record(scene: Scene, shared: Path) -> list[RecordedJob]:
    """Really runs the pull request's CI. `shared` keeps the toolchain, which is slow to make."""
    looked = await probe(shared)
    assert looked.sandbox is not None, looked.tried
    tools = await base_environment(shared, looked.sandbox.owner)
    runner = Runner(scene.hub, shared / "runner", own_machines(looked.sandbox, tools))
    runner.start()
    scene.hub.publish("pull_request", "opened", scene.repo, scene.pull.author, pull=scene.pull)
    await runner.wait()
    await runner.stop()
    jobs = [j for j in scene.hub.jobs.values() if j.log is not None]
    assert {j.conclusion for j in jobs} == {"failure"}, [j.log for j in jobs]
    return [RecordedJob(j.name, j.conclusion or "", j.steps, j.log or b"") for j in jobs]


def tell(scene: Scene, recorded: Sequence[RecordedJob]) -> None:
    """CI runs on the pull request's head, exactly as it was recorded."""
    head = scene.pull.head_sha
    run = actions.begin_run(scene.hub, scene.repo, ".github/workflows/ci.yml", "CI", head, BRANCH)
    begun = [(actions.begin_job(scene.hub, run, job.name), job) for job in recorded]
    for job, as_it_was in begun:
        actions.finish_job(scene.hub, job, as_it_was.conclusion, as_it_was.steps, as_it_was.log)
    actions.finish_run(scene.hub, run)
