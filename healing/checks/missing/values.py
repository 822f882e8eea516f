"""What is missing where a command failed, and what is known about that failure."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from healing.view import TreeView

REPRODUCE = "this environment can't reproduce it"
NOT_INSTALLED = "is not installed in the environment that checks use"
RIGHT_NAME = "check that `{}` is the right name; if it is, {}"
WHERE_HEAL_RUNS = (
    "that is for whoever runs Heal (docs/operating.md, HEAL_PROGRAMS), or your own CI tests the fixes (docs/config.md, "
    "`verify`)"
)
SETUP_COMMANDS = frozenset(("pip", "npm", "npx", "pnpm", "yarn", "bun", "go", "cargo", "rustup", "apt-get", "tox"))


@dataclass(frozen=True)
class MissingRequirement:
    """Something missing: `why` names it; `advice` is the command that installs it, or what else to do. `in_config`
    replaces the advice where checks don't run in a person's own environment and heal.yml can help."""

    why: str
    advice: str
    in_config: str = ""

    def advised(self, personal: bool) -> str:
        """The advice for the place where checks run: with `personal`, the command to type in one's own environment;
        otherwise the entry for heal.yml, or what the operator of Heal has to do."""
        if personal:
            return self.advice
        if self.in_config:
            return f"{self.in_config[:1].upper()}{self.in_config[1:]}"
        if self.advice.partition(" ")[0] in SETUP_COMMANDS:
            return f".github/heal.yml: setup: [{self.advice}]"
        return f"{self.advice[:1].upper()}{self.advice[1:]}: {WHERE_HEAL_RUNS}"


@dataclass(frozen=True)
class FailureContext:
    """Where a command failed: the tree, and whether the same command passes on the base of the change (None: there is
    no base, or it was not run there). `which` returns the path of the program that the person's shell would start, and
    `has` whether checks find one. `unseen` returns a file of the person's home that an output names and checks can't
    see; `left_out` does the same for the clone, given the paths of the repository. `built`: set-up created the
    environment from this very tree, so what the tree's files ask for is installed. `base`: the tree that the change
    starts from. `breaks_tests`: tests fail that pass on the base here, so the command is red whatever others lack."""

    view: TreeView
    passes_on_base: bool | None = None
    which: Callable[[str], str | None] = lambda _: None
    has: Callable[[str], bool] = lambda _: False
    unseen: Callable[[str], str] = lambda _: ""
    left_out: Callable[[str, Collection[str]], str] = lambda *_: ""
    built: bool = False
    base: TreeView | None = None
    breaks_tests: bool = False
