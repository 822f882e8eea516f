"""Runs a check on a tree in the sandbox and reads its output. Results are durable and cached by (tree, command)."""

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from healing.checks.check import WORKSPACE, Check, CheckResult, Script
from healing.checks.driver import SERVICE_FAILED, SETUP_FAILED, driver_command, read_report
from healing.checks.halves import with_prefetch
from healing.checks.helping import advice_for_program, advice_for_servers, advice_for_setup
from healing.checks.missing import MAKE_ABSENT, NOT_FOUND, FailureContext
from healing.checks.missing.programs import misspells_a_function
from healing.checks.preparing import CheckPreparer, PreparedEnvironment, with_network
from healing.checks.recognising import installs
from healing.checks.rules import CheckRules
from healing.checks.services.starting import hosts, missing, start_all
from healing.checks.setup_failure import with_reason
from healing.environment.toolchain import Toolchain
from healing.git import Git
from healing.logs.lines import clean
from healing.logs.matchers import ProblemMatcher
from healing.model import CIError, content_id
from healing.process.shell import Completed
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.network import SetupNetwork
from healing.sandbox.promises import TREE_DIES
from healing.spans import span
from healing.steps import Steps
from healing.testruns.hooks import Hooks, install_hooks
from healing.worktrees import Worktree, Worktrees

HANG_FACTOR = 10.0  # a run counts as hung after this many times its kind's usual duration, plus `hang_seconds`
LAUNCHERS = frozenset(
    ("make", "npm", "pnpm", "yarn", "bun", "npx", "python", "python3", "go", "cargo", "uv", "poetry", "hatch", "pdm")
) | {"tox", "nox", "just", "task", "bash", "sh"}
SCRIPTS = ("package.json", "Makefile")  # files that define how test runners are called
KEPT_OUTPUT = 40_000  # characters of a check's output that are kept as evidence
STARTED = 0.05  # seconds before Heal loads redaction rules, so that the command starts first

# Variables by which programs detect a workflow run; `CI=true` is set for every sandboxed command anyway.
RUNNER = {"GITHUB_ACTIONS": "true", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_TEMP": "/tmp"}  # noqa: S108
# Only a program named without a folder: a missing script of the repository is a failure of the code.
ABSENT = re.compile(
    r"^(?:.{0,200}: )?([\w.+-]{1,100}): (?:command not found|not found|No such file or directory)$", re.M
)


class OutOfMinutes(Exception):
    """The minutes that a run's checks may take are used up; the message says so."""


class NotStored(Exception):
    """Carries a result with a `problem` past the cache: what is missing may be provided at any moment, so it is not
    stored."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.problem)
        self.result = result


@dataclass
class Checker:
    """Runs the checks of one run of Heal, as many at a time as there are processors. `matchers` are the repository's
    own problem matchers; `network` is for set-up steps only; `idle` remembers set-up steps that had nothing to do, so
    that they are skipped. `shown` stores what is known of a check in one environment, across runs. `started` is told
    of each check that begins to run."""

    run_id: str
    git: Git
    worktrees: Worktrees
    sandbox: Sandbox
    toolchain: Toolchain
    steps: Steps
    matchers: tuple[ProblemMatcher, ...] = ()
    network: SetupNetwork | None = None
    rules: CheckRules = field(default_factory=CheckRules)
    limits: Limits = field(default_factory=Limits)
    environment: str = ""  # content id of what results depend on besides tree and command
    shown: Steps | None = None
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 2))
    idle: set[str] = field(default_factory=set)
    hang_seconds: float = 60.0
    started: Callable[[Check], None] = lambda _check: None
    usual: dict[tuple[str, ...], float] = field(default_factory=dict)  # seconds of each kind's longest complete run
    seconds: dict[str, float] = field(default_factory=dict)  # duration of each run, with set-up; all share one budget
    _prepared: dict[str, CheckPreparer] = field(default_factory=dict, init=False)  # by the Python that set-up builds on
    _results: dict[str, CheckResult] = field(default_factory=dict, init=False)  # by key: those of `steps` in memory

    def isolated(self) -> "Checker":
        """A copy that uses worktrees of its own, in which git can read only the objects of their own tree."""
        return replace(self, run_id=f"apart-{self.run_id}", git=self.git.isolated())

    async def run(self, check: Check, tree: str, sample: int = 0) -> CheckResult:
        """The result of `check` on `tree`. The same (tree, command, sample), read with the same matchers, runs only
        once, even across crashes; a result with a `problem` is not stored."""

        async def really() -> dict[str, object]:
            name = f"check-{check.key}-{tree[:12]}-{sample}"
            layered = self.sandbox.layered
            self._afford()
            reuse = TREE_DIES in self.sandbox.promises
            place = self.worktrees.worktree(self.run_id, name, self.git, tree, layered, reuse)
            async with self.gate, place as worktree:
                began = asyncio.get_running_loop().time()
                with span("check", check=check.key) as attributes:
                    result = await self._looked(check, worktree)
                    attributes["exit_code"] = -1 if result.exit_code is None else result.exit_code
                whole = round(asyncio.get_running_loop().time() - began, 3)
                durations = {"seconds": result.seconds or whole, "whole_seconds": whole}
                whole_result = result.model_copy(update=durations)
                if whole_result.problem:
                    raise NotStored(whole_result)
                return whole_result.model_dump(mode="json")

        reading = [content_id([m.model_dump(mode="json") for m in self.matchers])] if self.matchers else []
        environment = [self.environment] if self.environment else []
        key = [check.key, tree, sample, *reading, *environment]
        asked = content_id(key)
        if asked in self._results:  # proofs ask for the same results again and again
            return self._results[asked]
        try:
            result = CheckResult.model_validate(await self.steps.run("check", key, really))
        except NotStored as not_stored:
            result = not_stored.result
        except OutOfMinutes as exhausted:
            return CheckResult(check_key=check.key, tree=tree, exit_code=None, problem=str(exhausted))
        else:
            self._results[asked] = result
        self.seconds[asked] = result.whole_seconds or result.seconds
        if result.exit_code is not None:
            self.usual[_kind(check)] = max(result.seconds, self.usual.get(_kind(check), 0.0))
        self.idle |= {check.setup[n - 1].text() for n in result.idle_setup if n <= len(check.setup)}
        return result

    async def run_in(self, check: Check, worktree: Worktree) -> CheckResult:
        """Run `check`, or a tool in its place, in an existing worktree. Raises OutOfMinutes."""
        self._afford()
        began = asyncio.get_running_loop().time()
        try:
            return await self._looked(check, worktree)
        finally:
            self.seconds[worktree.root.parent.name] = asyncio.get_running_loop().time() - began

    def _afford(self) -> None:
        if sum(self.seconds.values()) >= 60 * self.rules.minutes:
            raise OutOfMinutes(
                f"the {self.rules.minutes:g} minutes that this run's checks may take are used up (check_minutes)"
            )

    async def _looked(self, check: Check, worktree: Worktree) -> CheckResult:
        self.started(check)
        if not_run := self._unserved(check):
            advice = advice_for_servers(check) if missing(check.servers) else "apt-get install bubblewrap"
            return CheckResult(check_key=check.key, tree=worktree.tree, exit_code=None, problem=not_run, advice=advice)
        if self.network:
            result = await self._run_on(with_prefetch(check), worktree)
            return result.model_copy(update={"check_key": check.key})
        return await self._run_on(check, worktree)

    async def _run_on(self, check: Check, worktree: Worktree) -> CheckResult:
        preparing = self._preparing(check)
        prepared_setup = with_network(check) if preparing else ()
        kept = [n for n, s in enumerate(check.setup) if n >= len(prepared_setup) and s.text() not in self.idle]
        context = (
            preparing.ground(check, worktree) if preparing and prepared_setup else nullcontext(PreparedEnvironment())
        )
        async with context as prepared:
            if prepared.failed:
                return await asyncio.to_thread(self._unprepared, check, worktree, prepared.failed)
            async with self._hooks(check, worktree) as hooks:
                job = self._job(check, [check.setup[n] for n in kept], worktree, hooks)
                done, _ = await asyncio.gather(self.sandbox.run(prepared.adapt_job(job)), _masking_loaded())
                await hooks.collector.close()
            result = await asyncio.to_thread(self._read, check, worktree, done, kept)
            return result.model_copy(update={"tests": hooks.collector.report(read_report(done.report).main)})

    def _toolchain(self) -> Toolchain:
        """The toolchain that a check's own set-up builds on: the bare Python, as in CI. Nothing that belongs to Heal's
        own tools can be imported there or found on the PATH."""
        return self.toolchain.bare or self.toolchain

    def _hooks(self, check: Check, worktree: Worktree) -> AbstractAsyncContextManager[Hooks]:
        """The hooks that make a check's test runners report to Heal."""
        roots = frozenset({str(worktree.root), self.sandbox.inside(worktree.root)})
        view = self.git.view(worktree.tree)
        scripts = [check.step.run, *(str(view.read(path) or b"") for path in SCRIPTS)]
        return install_hooks(
            view.paths(), "\n".join(scripts), self._toolchain().python, roots, self.sandbox.own_loopback
        )

    def _preparing(self, check: Check) -> CheckPreparer | None:
        if self.network is None:
            return None
        toolchain = self._toolchain()
        if toolchain.python not in self._prepared:
            limits = replace(self.limits, seconds=self.rules.limits.setup)
            tools = (self.run_id, self.git, self.worktrees, self.sandbox, toolchain)
            env, rules = {**RUNNER, **toolchain.env}, (self.rules.prebuilt_only, self.rules.scope)
            self._prepared[toolchain.python] = CheckPreparer(*tools, self.network, env, limits, *rules)
        return self._prepared[toolchain.python]

    def _job(self, check: Check, setup: Sequence[Script], worktree: Worktree, hooks: Hooks) -> Job:
        """The sandbox job of a check, preceded by these of its set-up steps."""
        inside = self.sandbox.inside(worktree.root)
        texts = (check.step.text(hooks.text), *(script.text() for script in setup))
        step, *before = (text.replace(WORKSPACE, inside) for text in texts)
        argv = driver_command(step, start_all(check.servers), before, len(check.setup) - len(setup))
        toolchain = self._toolchain()
        if check.by_heal and toolchain is not self.toolchain:
            toolchain = self.toolchain.behind(toolchain)
        env = {**(RUNNER if check.workflow else {}), **toolchain.env}
        maximum = self.rules.limits.step
        limits = replace(self.limits, seconds=min(maximum, check.seconds or maximum, self._hang_limit(check)))
        host_names = hosts(check.servers)
        readable = (*toolchain.readable, hooks.folder)
        job = Job(
            argv,
            worktree.root,
            env=env,
            readable=readable,
            limits=limits,
            hosts=host_names,
            reports=True,
            report_pipe=hooks.pipe,
        )
        return worktree.adapt_job(job)

    def _hang_limit(self, check: Check) -> float:
        """Seconds after which a run counts as hung rather than slow: many times what runs of this kind took here."""
        usual = self.usual.get(_kind(check))
        return float("inf") if usual is None else self.hang_seconds + HANG_FACTOR * usual

    def _unprepared(self, check: Check, worktree: Worktree, done: Completed) -> CheckResult:
        """The result where a set-up step that runs with a network failed."""
        output = self._shown(done.output, worktree.root)
        how = f"did not end here ({done.why})" if done.exit_code is None else "does not work here"
        why = f"its set-up {how}: {output.strip()}".strip(": \n")
        return CheckResult(
            check_key=check.key,
            tree=worktree.tree,
            exit_code=done.exit_code,
            problem=why,
            advice=advice_for_setup(check, output, offline=False),
            output=output,
        )

    def _unserved(self, check: Check) -> str:
        """Why the check's servers can't be started here; empty where they can, or where it has none."""
        if not check.servers or self.sandbox.own_loopback:
            return missing(check.servers)
        images = " and ".join(server.image for server in check.servers)
        return (
            f"it needs the service {images}, and the sandbox of this machine ({self.sandbox.name}) has no network of "
            "its own to start it in: bubblewrap has (heal doctor)"
        )

    def _shown(self, raw: bytes, root: Path) -> str:
        """Output as it is stored, with secrets redacted. Colours are removed first, since they may occur inside a
        secret."""
        from healing.logs.redaction import redact

        return clip(redact(clean(_relative(raw, {str(root), self.sandbox.inside(root)}))))

    def _read(self, check: Check, worktree: Worktree, done: Completed, setup: Sequence[int]) -> CheckResult:
        """The result of a check that ran with these of its set-up steps before it."""
        tree, root = worktree.tree, worktree.root
        prefixes = tuple({str(root), self.sandbox.inside(root)})
        report = read_report(done.report)
        separate = len(check.setup) - len(setup)
        output = self._shown(done.output, root)
        raw = _relative(done.output, prefixes)
        if report.service_failed:
            why = f"a service did not start: {output.strip()}"
            return CheckResult(check_key=check.key, tree=tree, exit_code=SERVICE_FAILED, problem=why, output=output)
        if report.setup_failed:
            output = self._shown(with_reason(done.output), root)
            why = f"its set-up does not work here: {output.strip()}"
            offline = not self.toolchain.personal and self.network is None and any(installs(one) for one in check.setup)
            return CheckResult(
                check_key=check.key,
                tree=tree,
                exit_code=SETUP_FAILED,
                problem=why,
                advice=advice_for_setup(check, output, offline),
                output=output,
            )
        program = _absent(done.exit_code, output)
        if program and not misspells_a_function(program, self.git.view(tree)):
            bare = self._toolchain() is not self.toolchain
            why = f"{program} is not installed {'by the set-up steps' if bare else 'where Heal runs checks'}"
            tools = self.toolchain
            context = FailureContext(
                self.git.view(tree), which=tools.which, has=tools.has, left_out=tools.left_out, built=bare
            )
            advice = advice_for_program(program, done.exit_code, output, context, self.toolchain)
            return CheckResult(
                check_key=check.key, tree=tree, exit_code=done.exit_code, problem=why, advice=advice, output=output
            )
        errors: tuple[CIError, ...] = ()
        if done.exit_code != 0:
            from healing.checks.errors_of import errors_of  # slow to load, and most runs are green

            errors = errors_of(check, worktree, self.git.view(tree), self.matchers, raw, prefixes)
        return CheckResult(
            check_key=check.key,
            tree=tree,
            exit_code=done.exit_code,
            errors=errors,
            output=output,
            seconds=round(done.seconds, 3),
            why=done.why,
            truncated=done.truncated,
            idle_setup=tuple(setup[n] + 1 for n in (n - 1 - separate for n in report.idle) if 0 <= n < len(setup)),
        )


def _kind(check: Check) -> tuple[str, ...]:
    """What a check shares with its narrowed forms: the job and the program that is run."""
    words = check.step.run.split()
    return (check.workflow, check.job, *words[: 3 if words[:1] and words[0] in LAUNCHERS else 1])


def _relative(output: bytes, roots: Iterable[str]) -> bytes:
    """Output with the worktree's own path removed from the paths below it, so that messages don't depend on the sandbox
    or the machine."""
    for root in sorted(roots, key=len, reverse=True):
        output = re.sub(rb"(?<![\w./-])" + re.escape(root.encode()) + rb"/", b"", output)
    return output


def _absent(exit_code: int | None, output: str) -> str:
    """The program that a check could not find; empty where that is not why it failed."""
    if exit_code != NOT_FOUND and not MAKE_ABSENT.search(output):
        return ""
    match = ABSENT.search(output)
    return match.group(1) if match else ""


def clip(text: str, limit: int = KEPT_OUTPUT) -> str:
    """`text` with its middle cut out where it is longer than `limit` characters; the cut is marked with its size."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters cut …\n{text[-half:]}"


def names_of(scripts: Iterable[Script]) -> str:
    """The scripts' names in one line."""
    return ", ".join(script.name for script in scripts)


async def _masking_loaded() -> None:
    """Load the redaction rules while the command runs, so that reading its output doesn't wait for them."""
    await asyncio.sleep(STARTED)
    await asyncio.to_thread(_load_masking)


def _load_masking() -> None:
    from healing.logs.redaction import load_rules

    load_rules()
