"""Sets up `heal demo` on this machine: a GitHub on localhost, a red pull request, and Heal.

Heal runs as a separate process (`heal serve`), as on a server; it only gets the URL of the local GitHub.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from handlers.errors import UserError
from healing.files.removal import remove_tree
from healing.llm.providers import PROVIDERS
from healing.sandbox.probe import Choice
from lab.demo.path import GUIDE, tour
from lab.demo.story import Story, run_story
from lab.free_port import free_port
from lab.localhub import scene as scenes
from lab.localhub.hub import Hub
from lab.localhub.machines import own_machines
from lab.localhub.pages import routes
from lab.localhub.pages.guide import Guide
from lab.localhub.runner import Runner
from lab.localhub.server import serve

START_SECONDS = 60
END_SECONDS = 10
INHERITED_VARIABLES = (
    "ANTHROPIC_BASE_URL",
    "HEAL_BUDGET_DOLLARS",
    "HEAL_FALLBACK_MODELS",
    "HEAL_FIRST_MODEL",
    "HEAL_MODEL",
    "HEAL_PRICES",
    "HEAL_SANDBOX",
    "HEAL_SECOND_MODEL",
    "HEAL_STRONGER_MODEL",
    *(provider.key for provider in PROVIDERS.values()),
    *(f"{provider.name.upper()}_BASE_URL" for provider in PROVIDERS.values() if provider.protocol == "chat"),
)


class Demo:
    """The demo and its folder."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    async def run(self, once: bool) -> int:
        """Runs the demo; with `once` to its end, else until a signal. Returns the exit code."""
        self._folder = _new_folder()
        print(f"Starting a GitHub and Heal in {self._folder} …", flush=True)
        async with _stage(self._folder) as story:
            return await run_story(story, once)

    def remove(self) -> None:
        """Removes the folder. Must be called after all threads have ended: one that still fetches would recreate it."""
        if self._folder is not None:
            remove_tree(self._folder)


@contextlib.asynccontextmanager
async def stage_in() -> AsyncIterator[Story]:
    """Sets up the demo in a temporary folder, which is removed afterwards."""
    folder = _new_folder()
    try:
        async with _stage(folder) as story:
            yield story
    finally:
        remove_tree(folder)


def _new_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="heal-demo-"))
    folder.chmod(0o711)  # the sandbox's user must be able to reach the worktrees
    return folder


@contextlib.asynccontextmanager
async def _stage(folder: Path) -> AsyncIterator[Story]:
    """Starts GitHub, its runner, and Heal."""
    from healing.environment.toolchain import base_environment
    from healing.sandbox.probe import probe

    shared = folder / "runner"
    probed = await probe(shared, _choice())
    if probed.sandbox is None:
        why = "; ".join(f"{t.name}: {t.why}" for t in probed.tried)
        raise UserError(f"No sandbox works on this machine ({why}). Try `heal doctor`, or HEAL_SANDBOX=unsafe")
    toolchain = await base_environment(shared, probed.sandbox.owner)
    hub = Hub(folder / "hub")
    port = free_port()
    scene = scenes.set_up(hub, f"http://127.0.0.1:{port}/webhook")
    runner = Runner(hub, shared, own_machines(probed.sandbox, toolchain))
    async with serve(hub, extra_routes=routes(hub, Guide(GUIDE, tour))) as github:
        heal = Heal(folder / "data", port, scene, github.url)
        runner.start()
        try:
            async with heal.running():
                yield Story(scene, github, runner, heal.data, probed.sandbox.name)
        finally:
            await runner.stop()


def _choice() -> Choice:
    named = os.environ.get("HEAL_SANDBOX") or "auto"
    if named not in get_args(Choice):
        raise UserError(f"HEAL_SANDBOX={named} is unknown; name one of {', '.join(get_args(Choice))}")
    return cast(Choice, named)


@dataclass
class Heal:
    """`heal serve` as a separate process, which gets GitHub's URL from its environment."""

    data: Path
    port: int
    scene: scenes.Scene
    github_url: str

    @property
    def temporary(self) -> Path:
        """Heal's folder for temporary files, inside the demo's folder so that it is always removed with it."""
        return self.data.parent / "tmp"

    @property
    def url(self) -> str:
        """The URL of the dashboard and the webhook."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """The process's whole environment: its App's credentials, and the user's settings for models and sandbox."""
        app = self.scene.app
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": os.environ.get("HOME", "/"),
            "TMPDIR": str(self.temporary),
            "HEAL_DATA": str(self.data),
            "HEAL_APP_ID": str(app.id),
            "HEAL_PRIVATE_KEY": app.private_key,
            "HEAL_WEBHOOK_SECRET": app.webhook_secret,
            "HEAL_CLIENT_ID": app.client_id,
            "HEAL_CLIENT_SECRET": app.client_secret,
            "HEAL_PUBLIC_URL": self.url,
            "HEAL_GITHUB_URL": f"{self.github_url}/api/v3",
            "HEAL_PORT": str(self.port),
            "HEAL_START": "on",
            "HEAL_WRITE_GAP": "0",  # the local GitHub has no rate limits
            "HEAL_QUIET_SECONDS": "300",  # the window ends earlier, when the check suite has settled
            **{key: os.environ[key] for key in INHERITED_VARIABLES if os.environ.get(key)},
        }

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Starts Heal, waits until it accepts webhooks, and ends it afterwards."""
        self.data.mkdir(parents=True, exist_ok=True)
        self.data.chmod(0o711)
        self.temporary.mkdir(exist_ok=True)
        self.temporary.chmod(0o1777)
        with (self.data / "heal.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "serve", env=self.environment(), stdout=log, stderr=log,
                start_new_session=True,  # Ctrl-C in a terminal reaches only the demo, which ends Heal in an orderly way
            )  # fmt: skip
        try:
            await self._ready(process)
            yield
        finally:
            await _end(process)

    async def _ready(self, process: asyncio.subprocess.Process) -> None:
        import httpx

        until = time.monotonic() + START_SECONDS
        answer = ""
        async with httpx.AsyncClient() as client:
            while time.monotonic() < until and process.returncode is None:
                with contextlib.suppress(httpx.HTTPError):
                    ready = await client.get(f"http://127.0.0.1:{self.port}/readyz")
                    if ready.status_code == 200:
                        return
                    answer = f"It is not ready: {ready.text}\n"
                await asyncio.sleep(0.1)
        log_tail = (self.data / "heal.log").read_text(errors="replace")[-2000:]
        raise UserError(f"`heal serve` did not start within {START_SECONDS} s. {answer}It said:\n{log_tail}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends the process, and all that is left of its process group."""
    if process.returncode is None:
        process.terminate()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
