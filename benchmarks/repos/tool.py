"""The `heal` command as a person types it in a clone, and what it reports about itself."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.repos.clone import Clone
from benchmarks.repos.registries import end_of
from healing.process.shell import Completed, run

SECONDS = 900
OUTPUT_BYTES = 64 << 20
Mode = Literal["laptop", "workflow"]
COULD_NOT_LOOK = "could-not-look"
EXIT_COULD_NOT_LOOK = 3


@dataclass(frozen=True)
class Reported:
    """How `heal run` ended. `exit_code` None: it ran out of time. `outcome` is what it printed as JSON."""

    exit_code: int | None
    outcome: Mapping[str, Any] = field(default_factory=dict)
    printed: str = ""

    @property
    def verdict(self) -> str:
        """The verdict; empty where none was printed."""
        return str(self.outcome.get("verdict", ""))

    @property
    def errors(self) -> int:
        """How many errors were reported."""
        return len(self.outcome.get("errors", ()))

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the proposals came from."""
        return tuple(str(one.get("source", "")) for one in self.outcome.get("proposals", ()))

    @property
    def could_not_look(self) -> bool:
        """Whether it said that it could not reproduce the check."""
        return self.exit_code == EXIT_COULD_NOT_LOOK or self.verdict == COULD_NOT_LOOK

    @property
    def red(self) -> bool | None:
        """Whether the checks are red by its word; None where it gave none."""
        if self.could_not_look or self.exit_code not in (0, 1):
            return None
        return self.exit_code == 1 or self.errors > 0


@dataclass(frozen=True)
class Heal:
    """`command` is the program; `data` is its store, one for each case, so that none knows of another."""

    command: str
    clone: Clone
    data: Path
    mode: Mode = "laptop"
    seconds: float = SECONDS

    async def run(self, check: str) -> Reported:
        """`heal run`: of one check's command on a laptop, else of what the workflows run."""
        named = ("--run", self.clone.repository.checks[check]) if self.mode == "laptop" else ()
        ended = await self.call("run", "--json", "--quiet", *named)
        return Reported(ended.exit_code, _outcome(ended), end_of(ended))

    async def apply(self) -> Completed:
        """`heal apply all`."""
        return await self.call("apply", "all", "--json")

    async def roll_back(self) -> Completed:
        """`heal rollback all`."""
        return await self.call("rollback", "all", "--json")

    async def check_seconds(self, command: str, *options: str) -> float | None:
        """The seconds of a `heal check --run`, which with `--fresh` runs the command again; None where it is not
        green."""
        began = time.monotonic()
        ended = await self.call("check", "--quiet", *options, "--run", command)
        return time.monotonic() - began if ended.exit_code == 0 else None

    async def call(self, *words: str) -> Completed:
        """Runs a command of Heal in the clone's environment."""
        env = {**self.clone.env(), "HEAL_DATA": str(self.data), "NO_COLOR": "1"}
        argv = (self.command, *words)
        return await run(argv, cwd=self.clone.root, env=env, timeout=self.seconds, output_bytes=OUTPUT_BYTES)


def _outcome(ended: Completed) -> dict[str, Any]:
    """The last line of output that is an outcome; empty where there is none."""
    for line in reversed(ended.output.decode("utf-8", "replace").splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and "verdict" in found:
            return found
    return {}
