"""A repository's settings in `.github/heal.yml` for how its checks run: time limits and network access."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import ConfigDict, Field

from healing.checks.hosts import DEFAULT
from healing.model import Frozen

CONFIG_PATH = ".github/heal.yml"
Seconds = Annotated[float, Field(gt=0, le=21_600)]
TESTS = {"pytest": "pytest", "jest": "jest", "vitest": "jest"}  # test runner → its field of TimeLimits


class TimeLimits(Frozen):
    """Seconds that commands may take. CI's own limit for a step (`timeout-minutes`), where it is shorter, holds too."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    pytest: Seconds = Field(default=90.0, description="One targeted run of pytest: the tests that show an error.")
    jest: Seconds = Field(default=60.0, description="One targeted run of jest or vitest.")
    syntax: Seconds = Field(
        default=10.0,
        description="One look of a tool at files whether they parse, as `gofmt -l`, `node --check` or `py_compile` do.",
    )
    setup: Seconds = Field(
        default=1800.0, description="The set-up steps before a check: a cold cache takes minutes, as in CI."
    )
    step: Seconds = Field(default=600.0, description="One whole step.")

    def targeted(self, tool: str, allowed: float | None, setup: bool) -> float | None:
        """Seconds that a targeted run of `tool` may take, never more than CI `allowed` for the whole step; `allowed`
        itself for a tool without a limit of its own. `setup`: whether set-up steps run before it."""
        name = TESTS.get(tool, "")
        if not name and tool != "syntax":
            return allowed
        own = float(getattr(self, name or tool)) + (self.setup if setup else 0.0)
        return own if allowed is None else min(own, allowed)


@dataclass(frozen=True)
class CheckRules:
    """How the checks of one run are run. `network` are the hosts that set-up steps may reach, as heal.yml names them;
    empty: no network. `minutes` is the budget of all checks of a run together. `prebuilt_only`: the code is untrusted.
    `scope` names whose code it is, a pull request's or another branch's; empty: not known."""

    network: tuple[str, ...] = (DEFAULT,)
    limits: TimeLimits = field(default_factory=TimeLimits)
    minutes: float = 120.0
    prebuilt_only: bool = False
    scope: str = ""
