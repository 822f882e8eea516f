"""Runs git so that it starts no other program: no hooks, no programs from a clone's configuration, no transport."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from handlers.errors import UserError
from healing.process import shell

TIMEOUT = 600.0  # seconds; a checkout of a large repository takes a while
IDENTITY = tuple(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE"))
KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "LANG", "TZ", *IDENTITY)
NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
SAFE_CONFIG = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.editor": "true",
    "core.attributesFile": "/dev/null",
    "commit.gpgSign": "false",
    "diff.ignoreSubmodules": "all",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}


@dataclass
class RestrictedGit:
    """Git on one git folder, which is passed explicitly and never searched for. Filters in the person's global
    configuration work; those in the clone's own configuration, which agents can write, are switched off."""

    git_dir: Path
    files: Path | None = None  # the working tree, where there is one
    _settings: dict[str, str] = field(default_factory=dict)

    async def ok(self, *words: str) -> bool:
        """Whether git exits with 0."""
        return (await self._run(words))[0]

    async def __call__(self, *words: str) -> str:
        """The output of git. Raises UserError with that output if git fails."""
        succeeded, output = await self._run(words)
        if not succeeded:
            raise UserError(f"git {words[0]} failed for {self.files or self.git_dir}: {output.strip()[-500:]}")
        return output

    async def _run(self, words: tuple[str, ...]) -> tuple[bool, str]:
        if not self._settings:
            self._settings = SAFE_CONFIG | await self._filters_off()
        return await self._run_git(words, self._settings)

    async def _filters_off(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for scope in ("--local", "--worktree"):
            listing = ("config", scope, "-z", "--includes", "--name-only", "--get-regexp", r"^filter\.")
            succeeded, names = await self._run_git(listing, SAFE_CONFIG)
            for name in names.split("\0")[:-1] if succeeded else ():
                driver = name.rpartition(".")[0]
                found |= {f"{driver}.{key}": "" for key in ("clean", "smudge", "process")}
                found[f"{driver}.required"] = "false"
        return found

    async def _run_git(self, words: tuple[str, ...], settings: dict[str, str]) -> tuple[bool, str]:
        env = {key: value for key in KEPT if (value := os.environ.get(key)) is not None}
        env |= {**NO_TRANSPORT, "LC_ALL": "C.UTF-8", "GIT_CONFIG_COUNT": str(len(settings))}
        for number, (key, value) in enumerate(settings.items()):
            env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        at = ("--git-dir", str(self.git_dir), *(("--work-tree", str(self.files)) if self.files else ()))
        try:
            done = await shell.run(("git", *at, *words), cwd=self.files or self.git_dir, env=env, timeout=TIMEOUT)
        except FileNotFoundError as error:
            raise UserError(f"git, or {self.files or self.git_dir}, is not there ({error}); install git") from error
        return done.exit_code == 0, done.output.decode("utf-8", "surrogateescape")
