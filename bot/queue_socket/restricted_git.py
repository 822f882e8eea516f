"""Real git that executes nothing but itself: no hooks, no programs that a clone's configuration names, no transport."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from handlers.errors import UserError
from healing.process import shell

TIMEOUT = 600.0  # seconds; a checkout of a large repository takes a while
WHO = tuple(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE"))
KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "LANG", "TZ", *WHO)
NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
QUIET = {
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
    """Git on one git folder, which is named and never searched for. Filters that the person has set up for all
    repositories work; those of the clone's own configuration, which agents may write, are switched off."""

    git_dir: Path
    files: Path | None = None  # the working tree, where there is one
    _settings: dict[str, str] = field(default_factory=dict)

    async def ok(self, *words: str) -> bool:
        """Whether git agrees."""
        return (await self._run(words))[0]

    async def __call__(self, *words: str) -> str:
        """What git says. Raises UserError with its own words where it fails."""
        fine, output = await self._run(words)
        if not fine:
            raise UserError(f"git {words[0]} failed for {self.files or self.git_dir}: {output.strip()[-500:]}")
        return output

    async def _run(self, words: tuple[str, ...]) -> tuple[bool, str]:
        if not self._settings:
            self._settings = QUIET | await self._filters_off()
        return await self._run_git(words, self._settings)

    async def _filters_off(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for scope in ("--local", "--worktree"):
            listing = ("config", scope, "-z", "--includes", "--name-only", "--get-regexp", r"^filter\.")
            fine, names = await self._run_git(listing, QUIET)
            for name in names.split("\0")[:-1] if fine else ():
                one = name.rpartition(".")[0]
                found |= {f"{one}.{key}": "" for key in ("clean", "smudge", "process")} | {f"{one}.required": "false"}
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
