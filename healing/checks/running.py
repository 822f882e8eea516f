"""Runs a check on a tree in the sandbox and reads its output; results are durable and cached by (tree, command)."""

import asyncio
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from healing.checks.check import WORKSPACE, Check, CheckResult, Script
from healing.checks.services.starting import hosts, missing, start_all
from healing.gitio import Git
from healing.logs.blame import blamed
from healing.logs.lines import clean
from healing.logs.matchers import ProblemMatcher
from healing.logs.matching import Matching
from healing.logs.reading import LogContext, read_log
from healing.logs.redaction import redact
from healing.model import content_id
from healing.sandbox.job import Job, Limits, Sandbox
from healing.shell import Completed
from healing.steps import Steps
from healing.toolchain import Toolchain
from healing.worktrees import Worktree, Worktrees

SETUP_FAILED = 97
SERVICE_FAILED = 98
KEPT_OUTPUT = 40_000  # characters of a check's output that are kept as evidence

# Set-up steps and the step itself share one sandbox, so that what set-up leaves in HOME is there for the step.
DRIVER = """
step=$1; services=$2; shift 2; number=0
[ -z "$services" ] || bash --noprofile --norc -c "$services" </dev/null >"$HOME/.services" 2>&1 || {
  echo "::heal-service-failed"; cat "$HOME/.services"; exit 98
}
export GITHUB_ENV="$HOME/.github-env" GITHUB_PATH="$HOME/.github-path" GITHUB_OUTPUT="$HOME/.github-output"
export GITHUB_STEP_SUMMARY="$HOME/.github-summary" GITHUB_WORKSPACE="$PWD"
take() {
  while IFS= read -r line; do PATH="$line:$PATH"; done < "$GITHUB_PATH"
  while IFS= read -r line; do
    name=${line%%[=<]*}; value=${line#*=}
    case $line in
      "$name<<"?*)
        end=${line#*<<}; value=; comma=
        while IFS= read -r line && [ "$line" != "$end" ]; do value="$value$comma$line"; comma=$'\n'; done ;;
    esac
    case $name in ''|*[!A-Za-z0-9_]*|[0-9]*) ;; *) export "$name=$value" ;; esac
  done < "$GITHUB_ENV"
  : > "$GITHUB_PATH"; : > "$GITHUB_ENV"
}
: > "$GITHUB_PATH"; : > "$GITHUB_ENV"; : > "$GITHUB_OUTPUT"; : > "$GITHUB_STEP_SUMMARY"
for setup in "$@"; do
  number=$((number + 1))
  bash --noprofile --norc -c "$setup" </dev/null >"$HOME/.setup.log" 2>&1 || {
    code=$?; echo "set-up step $number ended with exit code $code"; tail -c 4000 "$HOME/.setup.log"; exit 97
  }
  take
  if grep -q '^Requirement already satisfied' "$HOME/.setup.log" &&
    ! grep -qv '^Requirement already satisfied' "$HOME/.setup.log"; then echo "$number" >> "$HOME/.idle"; fi
done
idle=$(tr '\\n' ' ' 2>/dev/null < "$HOME/.idle"); [ -z "$idle" ] || echo "::heal-idle-setup $idle"
exec bash --noprofile --norc -c "$step" </dev/null
"""
# Beside `CI=true`, which every sandboxed command has: what programs ask to know that they run for a workflow.
RUNNER = {"GITHUB_ACTIONS": "true", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_TEMP": "/tmp"}  # noqa: S108
# A program without a folder before its name: a script of the repository that is missing is a failure of the code.
ABSENT = re.compile(
    r"^(?:.{0,200}: )?([\w.+-]{1,100}): (?:command not found|not found|No such file or directory)$", re.M
)
MAKE_ABSENT = re.compile(r"^make\S{0,20}: \*\*\* \[.{1,200}\] Error 127$", re.M)
SERVICE_SIGN = "::heal-service-failed\n"
IDLE = re.compile(rb"\A::heal-idle-setup ([0-9 ]+)\n")


@dataclass
class Checker:
    """Runs checks of one run of Heal, as many at a time as there are processors. `matchers` are the repository's own
    ways to read what they print; `idle` remembers set-up steps that had nothing to do, to save their time."""

    run_id: str
    git: Git
    worktrees: Worktrees
    sandbox: Sandbox
    toolchain: Toolchain
    steps: Steps
    matchers: tuple[ProblemMatcher, ...] = ()
    limits: Limits = field(default_factory=Limits)
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 2))
    idle: set[str] = field(default_factory=set)

    async def run(self, check: Check, tree: str, sample: int = 0) -> CheckResult:
        """The result of `check` on `tree`; the same (tree, command, sample), read with the same matchers, is run once,
        whatever crashes."""

        async def really() -> dict[str, object]:
            name = f"check-{check.key}-{tree[:12]}-{sample}"
            layered = self.sandbox.layered
            async with self.gate, self.worktrees.worktree(self.run_id, name, self.git, tree, layered) as worktree:
                return (await self.run_in(check, worktree)).model_dump(mode="json")

        reading = [content_id([m.model_dump(mode="json") for m in self.matchers])] if self.matchers else []
        key = [check.key, tree, sample, *reading]
        result = CheckResult.model_validate(await self.steps.run("check", key, really))
        self.idle |= {check.setup[n - 1].text() for n in result.idle_setup if n <= len(check.setup)}
        return result

    async def run_in(self, check: Check, worktree: Worktree) -> CheckResult:
        """Runs `check` in a worktree as it lies there."""
        tree, root = worktree.tree, worktree.root
        setup = [s.text() for s in check.setup if s.text() not in self.idle]
        inside = self.sandbox.inside(root)
        scripts = [text.replace(WORKSPACE, inside) for text in (check.step.text(), *setup)]
        if unlooked := self._unserved(check):
            return CheckResult(check_key=check.key, tree=tree, exit_code=None, problem=unlooked)
        step, *setup = scripts
        argv = ("bash", "--noprofile", "--norc", "-c", DRIVER, "heal", step, start_all(check.servers), *setup)
        env = {**(RUNNER if check.workflow else {}), **self.toolchain.env}
        limits = replace(self.limits, seconds=min(self.limits.seconds, check.seconds or self.limits.seconds))
        job = Job(argv, root, env=env, readable=self.toolchain.readable, limits=limits, hosts=hosts(check.servers))
        done = await self.sandbox.run(worktree.placed(job))
        return await asyncio.to_thread(self._read, check, tree, root, done)

    def _unserved(self, check: Check) -> str:
        """Why the check's servers can't be started here; empty where they can, or where there are none."""
        if not check.servers or self.sandbox.own_loopback:
            return missing(check.servers)
        images = " and ".join(server.image for server in check.servers)
        return (
            f"it needs the service {images}, and the sandbox of this machine ({self.sandbox.name}) has no network of "
            "its own to start it in: bubblewrap has (heal doctor)"
        )

    def _read(self, check: Check, tree: str, root: Path, done: Completed) -> CheckResult:
        prefixes = tuple({str(root), self.sandbox.inside(root)})
        raw, idle = _idle(done.output)
        raw = _relative(raw, prefixes)
        output = clip(redact(clean(raw)))  # colours first: they may stand inside a secret
        if done.exit_code == SERVICE_FAILED and check.servers and output.startswith(SERVICE_SIGN):
            why = f"a service did not start: {output.removeprefix(SERVICE_SIGN).strip()}"
            return CheckResult(check_key=check.key, tree=tree, exit_code=98, problem=why, output=output)
        if done.exit_code == SETUP_FAILED and check.setup:
            why = f"its set-up does not work here: {output.strip()}"
            return CheckResult(check_key=check.key, tree=tree, exit_code=97, problem=why, output=output)
        if absent := _absent(done.exit_code, output):
            why = f"{absent} is not installed where Heal runs checks"
            return CheckResult(check_key=check.key, tree=tree, exit_code=done.exit_code, problem=why, output=output)
        view = self.git.view(tree)
        matching = Matching(self.matchers, view.read, tuple(script.run for script in check.setup))
        known = frozenset(view.paths())
        context = LogContext(known, prefixes, command=check.step.run, formats=(matching.format(),))
        report = read_log(raw, context)
        return CheckResult(
            check_key=check.key,
            tree=tree,
            exit_code=done.exit_code,
            errors=blamed(report.errors) if done.exit_code != 0 else (),
            output=output,
            seconds=round(done.seconds, 3),
            why=done.why,
            idle_setup=idle,
        )


def _relative(output: bytes, roots: Iterable[str]) -> bytes:
    """Paths below the worktree without it, wherever they stand: where it lay on this machine says nothing to anybody,
    and what a message says must not depend on the sandbox."""
    for root in sorted(roots, key=len, reverse=True):
        output = re.sub(rb"(?<![\w./-])" + re.escape(root.encode()) + rb"/", b"", output)
    return output


def _absent(exit_code: int | None, output: str) -> str:
    """The program that a check could not find; empty where that is not why it ended."""
    if exit_code != 127 and not MAKE_ABSENT.search(output):
        return ""
    found = ABSENT.search(output)
    return found.group(1) if found else ""


def _idle(output: bytes) -> tuple[bytes, tuple[int, ...]]:
    match = IDLE.match(output)
    if not match:
        return output, ()
    return output[match.end() :], tuple(int(n) for n in match.group(1).split())


def clip(text: str, limit: int = KEPT_OUTPUT) -> str:
    """`text` with its middle cut out where it is longer than `limit` characters, saying how much."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters cut …\n{text[-half:]}"


def names_of(scripts: Iterable[Script]) -> str:
    """The scripts' names as one line."""
    return ", ".join(script.name for script in scripts)
