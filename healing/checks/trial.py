"""Tries a repository's jobs here, and finds entries for `heal.yml` that replace those that can't be run."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from healing.checks.check import Check, CheckResult, Script, command_check
from healing.checks.driver import SETUP_FAILED
from healing.checks.hosts import DEFAULT, hosts_of_entries, requested_hosts
from healing.checks.own_environment import OwnEnvironment, Part, any_installs, combined_result, without_installs
from healing.checks.recognising import installs
from healing.checks.remedies import command, entry, remark, setup_command
from healing.checks.reproducing import Reproduction
from healing.checks.running import Checker
from healing.checks.survey import State, SurveyedJob, state_of

Say = Callable[[str], Awaitable[None]]
UNTRIED = "not tried"
MAX_TITLES = 8  # titles in one progress line
JOB_MINUTES = 30.0  # limit for a job without `timeout-minutes`: a person waits for the result


@dataclass(frozen=True)
class Remedy:
    """An entry of `checks:` for one check (empty: none can be determined) and the result of trying it. `works` is None
    where that is not known; `result` is what came of it, as text. `first` is what to do before, where something needed
    to run it is missing."""

    entry: str
    works: bool | None
    result: str
    first: str = ""


class Clock:
    """The time budget of one job; its checks run one after another, as in CI."""

    def __init__(self, minutes: float | None) -> None:
        self.left = 60 * (minutes or JOB_MINUTES)
        named = f"`timeout-minutes: {minutes:g}`" if minutes else f"{JOB_MINUTES:g}, as it names no `timeout-minutes`"
        self.over = f"its job's minutes were used up before ({named})"
        self.turn = asyncio.Lock()


@dataclass
class Survey:
    """The jobs with the results of their checks. With a `checker` of None nothing is run, and only the files count."""

    jobs: tuple[SurveyedJob, ...]
    checker: Checker | None
    tree: str
    say: Say
    own: OwnEnvironment
    results: dict[str, CheckResult] = field(default_factory=dict)
    tried: dict[str, CheckResult] = field(default_factory=dict)  # command → its result, run after this set-up:
    setup: tuple[str, ...] = ()
    clocks: dict[object, "Clock"] = field(default_factory=dict)  # one for each job

    async def run(self) -> None:
        """Run every check that can be run, in the person's own environment. If any can't, also try what heal.yml would
        have to contain: it replaces everything that the workflow files run, so `setup:` and an entry of `checks:` for
        each check are tried together."""
        checks = [repro.check for repro in self._every() if not repro.blockers]
        await self._run({check.key: self.own.parts(check) for check in checks}, self.results, "Running")
        if all(self.state(repro) != "not reproducible" for repro in self._every()):
            return
        candidates = (repro for repro in self._every() if not repro.step.unknown and self.state(repro) != "red")
        runnable = [repro for repro in candidates if self._command(repro)]
        commands = list(dict.fromkeys(self._command(repro) for repro in runnable))
        scripts = [script for repro in runnable for script in repro.check.setup]
        await self._try(commands, scripts)
        if any(result.exit_code == SETUP_FAILED for result in self.tried.values()):
            proven_setup = {
                s
                for repro in runnable
                if self.state(repro) == "reproducible"
                for s in map(setup_command, repro.check.setup)
            }
            await self._try(
                commands, [s for s in scripts if setup_command(s) in proven_setup or without_installs(s) is None]
            )

    async def _try(self, commands: Iterable[str], setup: Iterable[Script]) -> None:
        """Try these commands as `checks:`, with these scripts as `setup:`."""
        self.setup = tuple(dict.fromkeys(line for script in setup if (line := setup_command(script))))
        checks = {text: self.own.parts(command_check(text, setup=self.setup)) for text in commands}
        await self._run(checks, self.tried, "Trying as `setup:` and `checks:`" if self.setup else "Trying as `checks:`")

    async def _run(self, checks: dict[str, tuple[Part, ...]], into: dict[str, CheckResult], what: str) -> None:
        if self.checker is None or not checks:
            return
        parts = {part.check.key: part for listed in checks.values() for part in listed}
        await self.say(f"{what}: {_titles(part.check for part in parts.values())}")
        running = {key: asyncio.ensure_future(self._part(self.checker, part)) for key, part in parts.items()}
        try:
            for name, listed in checks.items():
                if listed:
                    into[name] = combined_result([await running[part.check.key] for part in listed])
        finally:
            for done in running.values():
                done.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)

    async def _part(self, checker: Checker, part: Part) -> CheckResult:
        if part.lacks:
            return CheckResult(check_key=part.check.key, tree=self.tree, exit_code=None, problem=part.lacks)
        clock = self._clock(part.check)
        async with clock.turn:
            if clock.left <= 0:
                return CheckResult(check_key=part.check.key, tree=self.tree, exit_code=None, problem=clock.over)
            seconds = min(clock.left, part.check.seconds or clock.left)
            result = await checker.run(part.check.model_copy(update={"seconds": seconds}), self.tree)
            clock.left -= result.whole_seconds
        title = part.check.title.partition("\n")[0]
        await self.say(f"{title}: {_ended(result)}, {result.whole_seconds:.0f} s")
        return result

    def _clock(self, check: Check) -> "Clock":
        """The clock of the check's job; a command that heal.yml names, or could name, has one of its own."""
        name: object = (check.workflow, check.job) if check.job else check.key
        if name not in self.clocks:
            of_job = (repro.job.minutes for repro in self._every() if (repro.check.workflow, repro.check.job) == name)
            self.clocks[name] = Clock(next(of_job, None))
        return self.clocks[name]

    def _every(self) -> list[Reproduction]:
        return [reproduction for job in self.jobs for reproduction in job.checks]

    def _command(self, reproduction: Reproduction) -> str:
        """The entry for `checks:`. Empty where the check is reproducible with a server beside it, since heal.yml can't
        name servers."""
        served = reproduction.check.servers and self.state(reproduction) != "not reproducible"
        return "" if served else command(reproduction.check.step)

    def result(self, reproduction: Reproduction) -> CheckResult | None:
        """The result of a check; None where it was not run. Another job may well have run the same command."""
        return None if reproduction.blockers else self.results.get(reproduction.check.key)

    def state(self, reproduction: Reproduction) -> State:
        """The state of a check."""
        return state_of(reproduction, self.result(reproduction))

    def why(self, reproduction: Reproduction) -> list[str]:
        """Why a check can't be reproduced; empty where it can."""
        result = self.result(reproduction)
        if result is None:
            return [str(obstacle) for obstacle in reproduction.blockers]
        return [result.not_run] if result.not_run else []

    def network(self, reproduction: Reproduction) -> tuple[str, ...]:
        """The entries that `network:` needs so that the check's set-up can install without a person's environment;
        empty where no host is missing."""
        configured = self.checker.rules.network if self.checker else (DEFAULT,)
        reachable = hosts_of_entries(configured)
        unreachable = [
            host for host in requested_hosts(filter(installs, reproduction.check.setup)) if host not in reachable
        ]
        return (*configured, *unreachable) if unreachable else ()

    @property
    def installs(self) -> bool:
        """Whether any job has set-up that installs something, which is not run here."""
        return any_installs(reproduction.check for reproduction in self._every())

    def all_hosts(self) -> tuple[str, ...]:
        """The entries that `network:` needs for all checks together."""
        return tuple(dict.fromkeys(host for reproduction in self._every() for host in self.network(reproduction)))

    def remedy(self, reproduction: Reproduction) -> Remedy:
        """The entry that would make a check that can't be reproduced run here."""
        command = self._command(reproduction)
        if not command:
            return Remedy("", None, "no single bash command says what it runs")
        output = _result_text(self.tried.get(command))
        tried = self.tried.get(command)
        first = tried.advice if tried and tried.not_run else ""
        return Remedy(entry(command, remark(reproduction.step.unknown)), tried.green if tried else None, output, first)

    def entries(self) -> tuple[list[str], list[str]]:
        """All entries of `checks:` that would work here, and the checks that are left out with the reason."""
        entries: dict[str, None] = {}
        left_out: list[str] = []
        for repro in self._every():
            remedy = self.remedy(repro)
            if remedy.entry and (remedy.works or self.checker is None):
                entries.setdefault(remedy.entry)
            else:
                servers = f"it needs {' and '.join(s.image for s in repro.check.servers)} beside it"
                why = (
                    "it is red here"
                    if self.state(repro) == "red"
                    else servers
                    if repro.check.servers
                    else remedy.result
                )
                left_out.append(f"{repro.check.title.partition(chr(10))[0]}: {why}")
        return list(entries), left_out


def _titles(checks: Iterable[Check]) -> str:
    titles = list(dict.fromkeys(check.title.partition("\n")[0] for check in checks))
    more = f" and {len(titles) - MAX_TITLES} more" if len(titles) > MAX_TITLES else ""
    return ", ".join(titles[:MAX_TITLES]) + more


def _ended(result: CheckResult) -> str:
    if result.not_run:
        return "could not be run"
    return "green" if result.green else "red"


def _result_text(result: CheckResult | None) -> str:
    if result is None:
        return UNTRIED
    if result.not_run:
        return f"tried: {result.not_run}"
    return f"tried: exit code {result.exit_code}" + ("" if result.green else ", so it needs more than that")
