"""The engine's tools on this machine, created once per process: data folder, sandbox, toolchain, models."""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from bot.runs.models import Models
from bot.settings import Settings
from handlers.errors import UserError
from healing.checks.hosts import DEFAULT, USUAL, hosts_of_entries
from healing.checks.rules import CheckRules
from healing.checks.running import Checker
from healing.environment.toolchain import Toolchain, base_environment, of_person
from healing.git import Git
from healing.logs.matchers import ProblemMatcher
from healing.model import content_id
from healing.policy.unsent import UnsentFiles
from healing.process.owner import sandbox_owner
from healing.sandbox.bubblewrap import Bubblewrap, why_unusable
from healing.sandbox.cgroups import available_memory
from healing.sandbox.company import CompanySettings, read_company_settings
from healing.sandbox.indexes import index_logins, own_indexes
from healing.sandbox.interpreter import Interpreter, works
from healing.sandbox.job import Limits, Sandbox
from healing.sandbox.landlock import Landlock
from healing.sandbox.network import SetupNetwork
from healing.sandbox.probe import Probe, probe
from healing.sandbox.remembered import probe_of_person, works_as_before
from healing.sandbox.temporary import sweep_unfinished
from healing.sandbox.view import View
from healing.steps import Steps
from healing.worktrees import Worktrees
from healing.worktrees.clone import Clone

CANARIES = "canary"  # the run key of canary results, which all runs share
NO_OVERLAY = "no overlay can be mounted over Heal's data folder"
LOG = logging.getLogger(__name__)


@dataclass
class Engine:
    """The engine's tools. They are probed lazily, so a command that runs no check doesn't pay for that."""

    settings: Settings
    worktrees: Worktrees = field(init=False)
    models: Models = field(init=False)
    _probe: Probe | None = None
    _toolchain: Toolchain | None = None
    gate: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 2)
    )  # for checks of other workers' runs
    view: View | None = None  # the environment of the person whose clone this is; None: Heal runs as an App
    apart: str = ""  # why the sandbox can't mount a worktree in place of that clone
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        owner, clone = sandbox_owner(), None
        if self.view is not None:
            self.apart = self._why_apart()
            if not self.apart:
                owner, clone = None, Clone(self.view.root, _closed(self.view.root))
        self.worktrees = Worktrees(self.data, owner, clone=clone)
        self.models = Models(self.settings)

    def _why_apart(self) -> str:
        choice = self.settings.sandbox
        if choice in ("auto", "bubblewrap") and works_as_before(self.data):
            return ""
        return why_unusable(choice)

    @property
    def data(self) -> Path:
        """Heal's data folder, absolute."""
        return self.settings.data.resolve()

    @property
    def environment(self) -> str:
        """The content id of a person's current environment; empty if the environment is Heal's own."""
        if self.view is None:
            return ""
        sandbox = "bubblewrap" if self.worktrees.clone else self.settings.sandbox
        return f"{self.view.key()}-{sandbox}{'-apart' if self.apart else ''}"

    def sweep(self) -> tuple[str, ...]:
        """Removes what killed processes left in the data folder. Returns the names."""
        return (*self.worktrees.sweep(), *sweep_unfinished(self.data))

    async def probed(self) -> Probe:
        """Returns which sandbox works here, and why the others don't."""
        async with self._lock:
            if self._probe is None:
                person = self.worktrees.clone is not None
                self._probe = await (probe_of_person(self.data) if person else probe(self.data, self.settings.sandbox))
                if person and isinstance(self._probe.sandbox, Bubblewrap) and not self._probe.sandbox.layered:
                    self.apart = NO_OVERLAY
            return self._probe

    async def toolchain(self) -> Toolchain | None:
        """Returns the environment that checks run in; None if no sandbox works here. Raises ToolchainError or
        NoInterpreterError if it can't be created."""
        sandbox = (await self.probed()).sandbox
        async with self._lock:
            if self._toolchain is None and sandbox is not None:
                self._toolchain = await self._tools(sandbox)
            return self._toolchain

    async def checker(
        self,
        run_id: str,
        git: Git,
        steps: Steps,
        matchers: tuple[ProblemMatcher, ...] = (),
        rules: CheckRules | None = None,
        shown: Steps | None = None,
    ) -> Checker | None:
        """Returns the checker of one run, with its repository's `rules` and problem `matchers`; None if no sandbox
        works here. `shown` outlives the run (see Checker)."""
        sandbox, toolchain = (await self.probed()).sandbox, await self.toolchain()
        if sandbox is None or toolchain is None:
            return None
        if self.view and isinstance(sandbox, Bubblewrap):
            sandbox = replace(sandbox, mount=str(self.view.root), view=self.view)
        elif self.view and toolchain.personal and isinstance(sandbox, Landlock):
            sandbox = replace(sandbox, view=self.view)
        rules = rules or CheckRules()
        tools = (git, self.worktrees, sandbox, toolchain, steps)
        network = self.network(rules, sandbox)
        where = self.environment or _environment(toolchain, sandbox, network)
        limits = _of_a_laptop() if self.view else Limits()
        return Checker(run_id, *tools, matchers, network, rules, limits, environment=where, shown=shown)

    async def _tools(self, sandbox: Sandbox) -> Toolchain:
        """Returns the person's own environment on a laptop, if the sandbox's user can run it, else an environment of
        copied distributions."""
        if self.view is not None:
            personal = of_person(self.view, self.apart)
            if sandbox.owner is None or await works(Interpreter(Path(personal.python)), sandbox.owner):
                return personal
        base = await base_environment(self.data, sandbox.owner)
        return replace(base.with_programs(self.settings.program_folders), apart=self.apart)

    def network(self, rules: CheckRules, sandbox: Sandbox) -> SetupNetwork | None:
        """Returns the network that set-up steps may reach. None if nothing is installed, in a person's own environment,
        and, unless heal.yml asks for it, if the sandbox can't restrict it. No logins are used with untrusted code,
        which could read what they give access to."""
        if self.view or not rules.network or (rules.network == (DEFAULT,) and not sandbox.own_loopback):
            return None
        company = self.company.without_logins() if rules.prebuilt_only else self.company
        logins = "" if rules.prebuilt_only else self.settings.index_logins.get_secret_value()
        own = (*own_indexes(self.settings.own_indexes), *company.indexes)
        known = (*index_logins(logins), *company.logins)
        return SetupNetwork(
            hosts_of_entries(rules.network, (*(index.host for index in own), *(login.host for login in known))),
            own,
            known,
            usual=frozenset(USUAL),
            company=company,
            trusted=company.trusted,
        )

    @cached_property
    def company(self) -> CompanySettings:
        """The settings of package indexes in this process's environment."""
        company = read_company_settings(os.environ, Path.home())
        for problem in company.problems:
            LOG.warning("package indexes: %s", problem)
        return company

    async def close(self) -> None:
        """Closes the connections to models and removes this process's folders."""
        await self.models.close()
        self.worktrees.close()  # not in a thread: nothing else needs the event loop now

    async def need_sandbox(self) -> None:
        """Raises UserError, with advice, if no sandbox works here."""
        probed = await self.probed()
        if probed.sandbox is None:
            why = "; ".join(f"{t.name}: {t.why}" for t in probed.tried)
            raise UserError(
                f"No sandbox works on this machine, so nothing from a repository is run. {why}. Try: heal doctor"
            )


def _of_a_laptop() -> Limits:
    """Returns limits with half of the available memory: the person's own builds and tests may use more than untrusted
    jobs on a shared machine."""
    usual = Limits()
    return replace(usual, memory_bytes=max(usual.memory_bytes, available_memory() // 2))


def _environment(toolchain: Toolchain, sandbox: Sandbox, network: SetupNetwork | None) -> str:
    """Returns the content id of the environment of Heal's own checks: the tools, the sandbox, and what set-up steps can
    reach."""
    reachable = network.reach() if network else []
    return content_id(toolchain.key(), sandbox.name, sorted(sandbox.promises), reachable)


def _closed(root: Path) -> Callable[[str], bool]:
    """Returns a predicate for files of a clone that are never sent anywhere, by its working tree's `.healignore`."""

    def read(path: str) -> bytes | None:
        file = root / path
        return file.read_bytes() if file.is_file() else None

    return UnsentFiles.of(read).__contains__
