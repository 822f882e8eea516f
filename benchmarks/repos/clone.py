"""A release as a developer has it on a laptop: cloned, set up, and every command in its own activated environment."""

import hashlib
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.repos.cases import Breakage, CaseError, Repository
from benchmarks.repos.registries import Registries, end_of, ended_how, version_of
from healing.process.shell import Completed, run

CHECK_SECONDS, SETUP_SECONDS, GIT_SECONDS = 300, 900, 120
MAIN, BRANCH = "main", "pr"
ACTIVATED = (".venv/bin", "node_modules/.bin")
# What a developer's tools leave behind, which no commit holds; what is installed is among it.
BYPRODUCTS = (
    *(".venv", "node_modules", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"),
    *("*.egg-info", ".coverage", ".nyc_output"),
)
GIT = (
    *("git", "-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false"),
    *("-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null"),
)
# A case is the same on every machine: nobody's own settings of git change it.
OWN_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
# What would lead into another environment than the repository's, or ask a model.
LEFT_OUT = frozenset(
    (
        "PYTHONPATH",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "DATABASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
    )
)
Digests = Mapping[str, str]


@dataclass(frozen=True)
class Clone:
    """`root` is the clone of one repository."""

    repository: Repository
    root: Path

    async def prepare(self, registries: Registries) -> None:
        """Makes the one commit of `main` and sets up, unless that was done in this folder for this very case. Raises
        CaseError."""
        if self._ready.is_file() and self._ready.read_text() == self._recipe:
            await self.reset()
            return
        await registries.unpack(self.repository, self.root)
        if (self.root / ".git").exists():  # some releases hold a clone's leftovers
            shutil.rmtree(self.root / ".git")
        self.repository.adapt.make(self.root)
        await self._commit_release()
        for command in self.repository.setup:
            ended = await self.call(command, SETUP_SECONDS, self.env())
            if ended.exit_code != 0:
                raise CaseError(f"the set-up failed ({ended_how(ended)}): {command}\n{end_of(ended)}")
        self._ready.write_text(self._recipe)
        await self.reset()

    @property
    def _ready(self) -> Path:
        return self.root / ".git" / "set-up"

    @property
    def _recipe(self) -> str:
        one = self.repository
        return hashlib.sha256(repr((one.registry, one.requirement, one.adapt, one.setup)).encode()).hexdigest()

    async def _commit_release(self) -> None:
        """One commit, which a remote seems to have too; its tag tells tools that ask git which release it is."""
        await self.git("init", "-q", "-b", MAIN)
        (self.root / ".git" / "info").mkdir(exist_ok=True)
        (self.root / ".git" / "info" / "exclude").write_text("".join(f"{name}\n" for name in BYPRODUCTS))
        await self.git("add", "-A")
        version = version_of(self.repository)
        await self.git("commit", "-q", "-m", f"Release {version}")
        await self.git("tag", f"v{version}")
        await self.git("update-ref", f"refs/remotes/origin/{MAIN}", MAIN)
        await self.git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{MAIN}")

    def env(self) -> dict[str, str]:
        """The variables of a shell in which the repository's environment is active, and the benchmark's own is not."""
        names = ACTIVATED if self.repository.path is None else self.repository.path
        folders = [self.root / name for name in names if (self.root / name).is_dir()]
        own = str(Path(sys.prefix) / "bin") if sys.prefix != sys.base_prefix else ""
        rest = [entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if entry != own]
        env = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        env["PATH"] = os.pathsep.join([*map(str, folders), *rest])
        venv = self.root / ".venv"
        return {**env, "VIRTUAL_ENV": str(venv)} if venv / "bin" in folders else env

    async def call(self, command: str, seconds: float, env: Mapping[str, str]) -> Completed:
        """Runs a command line in the clone as a person's shell does."""
        return await run(("bash", "-c", command), cwd=self.root, env=env, timeout=seconds)

    async def git(self, *words: str) -> str:
        """What git prints. Raises CaseError where it fails."""
        ended = await run((*GIT, *words), cwd=self.root, env={**os.environ, **OWN_GIT}, timeout=GIT_SECONDS)
        if ended.exit_code != 0:
            raise CaseError(f"git {' '.join(words)} failed ({ended_how(ended)}): {end_of(ended)}")
        return ended.output.decode("utf-8", "surrogateescape")

    async def reset(self) -> None:
        """Goes back to the untouched commit; what is ignored or installed stays."""
        await self.git("reset", "-q", "--hard")
        await self.git("clean", "-fdq")
        await self.git("switch", "-q", MAIN)

    async def break_with(self, breakage: Breakage) -> None:
        """Commits the breakage on a branch on top of `main`. Raises CaseError where it does not fit."""
        await self.reset()
        await self.git("switch", "-q", "-C", BRANCH, MAIN)
        breakage.change.make(self.root)
        await self.git("add", "-A", "-f", "--", *sorted(breakage.change.paths))
        await self.git("commit", "-q", "-m", breakage.message)

    async def red(self) -> dict[str, str]:
        """The checks that are red by hand now, with the end of what each printed."""
        found = {}
        for name, command in self.repository.checks.items():
            ended = await self.call(command, CHECK_SECONDS, self.env())
            if ended.exit_code != 0:
                found[name] = f"{ended_how(ended)}\n{end_of(ended)}"
        return found

    async def digests(self) -> Digests:
        """A digest, with the exec bit, of every file that git knows or would add."""
        listed = await self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return {path: _digest(self.root / path) for path in sorted(set(listed.split("\0")) - {""})}


def _digest(file: Path) -> str:
    if file.is_symlink():
        return f"-> {os.readlink(file)}"
    if not file.is_file():
        return "absent"
    executable = "x" if file.stat().st_mode & 0o111 else "-"
    return executable + hashlib.sha256(file.read_bytes()).hexdigest()


def changed(before: Digests, after: Digests) -> frozenset[str]:
    """The files that differ, appeared or disappeared."""
    absent = "absent"
    return frozenset(path for path in {*before, *after} if before.get(path, absent) != after.get(path, absent))
