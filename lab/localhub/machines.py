"""The machines of jobs, chosen by `runs-on:`: GitHub-hosted ones, where nothing is installed until a step of the job
installs it, or self-hosted ones of the organisation, whose image has tools.

docs.github.com, "Choosing the runner for a job": self-hosted runners have the label `self-hosted`; "Workflow commands":
what a step appends to the files $GITHUB_PATH and $GITHUB_ENV is available to the later steps of its job.
"""

import asyncio
import itertools
import secrets
import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from healing.environment.toolchain import Toolchain
from healing.files.removal import remove_tree
from healing.process.owner import hand_over
from healing.process.shell import Completed
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.network import SetupNetwork
from healing.worktrees import Worktree

OWN = "self-hosted"
MAX_WRITTEN = 1 << 20  # bytes that a step may pass on in a file
FILES = ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")


def labels(workflow: bytes, job_id: str) -> tuple[str, ...]:
    """Returns the labels in a job's `runs-on:`, from the workflow file."""
    from ruamel.yaml import YAML

    tree: Any = YAML(typ="safe", pure=True).load(workflow.decode("utf-8", "replace"))
    output = tree["jobs"].get(job_id, {}).get("runs-on") or ()
    return (output,) if isinstance(output, str) else tuple(map(str, output))


@dataclass(frozen=True)
class Machines:
    """The available machines. `image`: the tools of self-hosted machines; `hosted`: what GitHub-hosted machines have
    before the first step; `network`: which package indexes steps can reach there (none on self-hosted ones)."""

    sandbox: Sandbox
    image: Toolchain
    hosted: Toolchain
    network: SetupNetwork | None = None
    limits: Limits = field(default_factory=lambda: Limits(seconds=300))

    def with_env(self, **more: str) -> "Machines":
        """Returns the same machines, with variables for all jobs on self-hosted ones."""
        return replace(self, image=replace(self.image, env={**self.image.env, **more}))

    @asynccontextmanager
    async def machine(self, asked: tuple[str, ...], worktree: Worktree) -> AsyncIterator["Machine"]:
        """Yields a fresh machine for a job with these labels; it is removed afterwards."""
        home = worktree.root.parent / f"home-{secrets.token_hex(4)}"
        own = OWN in asked
        try:
            await asyncio.to_thread(self._furnish, home, own)
            yield Machine(self, self.image if own else self.hosted, None if own else self.network, worktree, home)
        finally:
            await asyncio.to_thread(remove_tree, home)

    def _furnish(self, home: Path, own: bool) -> None:
        home.mkdir(mode=0o755)
        hand_over(home, self.sandbox.owner)
        if not own:
            self.hosted.lay_over(home, self.sandbox.owner)


def own_machines(sandbox: Sandbox, image: Toolchain) -> Machines:
    """Returns self-hosted machines with these tools, and GitHub-hosted ones without network."""
    return Machines(sandbox, image, image.bare or image)


@dataclass(frozen=True)
class Machine:
    """One job's machine: its steps share a home folder, and what they pass on."""

    machines: Machines
    toolchain: Toolchain
    network: SetupNetwork | None
    worktree: Worktree
    home: Path

    async def run(self, script: str, handed: "Handed") -> tuple[Completed, "Handed"]:
        """Runs one step with what earlier ones passed on; returns its result, and what it passes on to the next one."""
        for name in FILES:
            file = self.home / name
            file.unlink(missing_ok=True)
            file.write_bytes(b"")
            hand_over(file, self.machines.sandbox.owner)
        argv = ("bash", "--noprofile", "--norc", "-e", "-c", "\n".join([*self._first(), *handed.lines(), script]))
        placed = self.worktree.adapt_job(
            Job(argv, self.worktree.root, env=self.toolchain.env, readable=self.toolchain.readable)
        )
        job = replace(placed, home=self.home, network=self.network, limits=self.machines.limits)
        done = await self.machines.sandbox.run(job)
        return done, handed.after(self._written("GITHUB_PATH"), self._written("GITHUB_ENV"))

    def _written(self, name: str) -> str:
        """Returns what a step wrote to the file; empty if it replaced the file by something else."""
        file = self.home / name
        plain = file.is_file() and not file.is_symlink() and file.stat().st_size <= MAX_WRITTEN
        return file.read_text(errors="replace") if plain else ""

    def _first(self) -> Iterator[str]:
        """Yields the bash lines that begin every step on this machine."""
        yield from (f'export {name}="$HOME/{name}"' for name in FILES)
        yield 'export GITHUB_WORKSPACE="$PWD"'
        if (self.home / ".heal" / "env").is_dir():
            yield 'export VIRTUAL_ENV="$HOME/.heal/env" npm_config_prefix="$HOME/.npm-global"'
            yield 'PATH="$VIRTUAL_ENV/bin:$npm_config_prefix/bin:$PATH"'


@dataclass(frozen=True)
class Handed:
    """What steps pass on to later ones: folders for PATH, newest first, and variables."""

    path: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()

    def after(self, path: str, env: str) -> "Handed":
        """Adds what one more step wrote to its two files."""
        return Handed((*reversed(path.splitlines()), *self.path), (*self.env, *_pairs(env)))

    def lines(self) -> Iterator[str]:
        """Yields the same as bash lines."""
        yield from (f"export {name}={shlex.quote(value)}" for name, value in self.env)
        if self.path:
            yield f"PATH={shlex.quote(':'.join(self.path))}:$PATH"


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parses `NAME=value`, or `NAME<<END`, lines, `END`."""
    lines = iter(text.splitlines())
    for line in lines:
        name, mark, value = line.partition("=")
        before, many, end = line.partition("<<")
        if many and len(before) < len(name):
            name, value = before, "\n".join(itertools.takewhile(lambda one: one != end, lines))  # noqa: B023
        elif not mark:
            continue
        if name.isidentifier():
            yield name, value
