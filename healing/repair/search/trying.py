"""Runs the plug-ins of healing/repair/search/sandboxed in the sandbox, together with the check that they examine."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from healing.checks.check import WORKSPACE, Check
from healing.checks.running import Checker, OutOfMinutes
from healing.model import content_id
from healing.repair.search.patches import Patch
from healing.repair.search.suspects import ExecutedLines, read_trace

FOLDER = ".heal-search"  # in the worktree, which is thrown away; pytest ignores folders with a dot
RESULT = f"{FOLDER}/result.json"
SECONDS = 60.0  # for one round of trials
SPARE = 60  # extra seconds for start and end
MAX_SECONDS = 60  # seconds for all tests with one patch
MAX_RESULT = 50 << 20


@dataclass(frozen=True)
class TriedPatches:
    """How many patches were tried, those with which the command exits 0, and those that could not be tried this way."""

    tried: int = 0
    survivors: tuple[Patch, ...] = ()
    elsewhere: tuple[Patch, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class PatchRunner:
    """One tree (as CI would build it) to try patches in."""

    checker: Checker
    tree: str

    async def trace(self, check: Check) -> ExecutedLines:
        """Which lines the tests of this check run."""
        return read_trace(await self._run("heal_tracer", check, {}, seconds=240))

    async def swap(self, check: Check, patches: Sequence[Patch], failed: Sequence[str]) -> TriedPatches:
        """Runs all tests of the check with each patch put into the imported code, as many patches as time allows. That
        is fast, and valid for functions; patches of code that runs at import have to be tried again."""
        listed = [[*_listed(patch), patch.at_import] for patch in patches]
        plan = {"patches": listed, "seconds": SECONDS, "failing": list(failed), "whole": MAX_SECONDS}
        report = await self._run("heal_swaps", check, plan, SECONDS + MAX_SECONDS + SPARE)
        numbers = report.get("tried") if isinstance(report, dict) else None
        pairs = list(zip(patches, numbers, strict=False)) if isinstance(numbers, list) else []
        elsewhere = tuple(patch for patch, how in pairs if how == "elsewhere")
        survivors = tuple(patch for patch, how in pairs if how == "passes")
        return TriedPatches(len(pairs) - len(elsewhere), survivors, elsewhere, _seconds(report))

    async def restart_each(
        self, check: Check, patches: Sequence[Patch], modules: Sequence[str], least: float
    ) -> TriedPatches:
        """Starts the check's pytest again with each patch, as many as time allows. For a check that is green without
        any, or that takes long, the result is empty. `least`: minimum seconds per patch."""
        plan = {"patches": [_listed(p) for p in patches], "modules": list(modules), "seconds": SECONDS, "least": least}
        report = await self._run("heal_trials", check, plan, SECONDS + least + SPARE)
        if not isinstance(report, dict) or not isinstance(report.get("tried"), int):
            return TriedPatches()
        numbers = {n for n in report.get("survivors") or () if isinstance(n, int)}
        return TriedPatches(
            report["tried"], tuple(p for n, p in enumerate(patches) if n in numbers), (), _seconds(report)
        )

    async def _run(self, plugin: str, check: Check, plan: Mapping[str, Any], seconds: float) -> Any:
        code = files("healing.repair.search.sandboxed").joinpath(f"{plugin}.py").read_bytes()
        added_files = {f"{FOLDER}/{plugin}.py": code, f"{FOLDER}/plan.json": json.dumps(plan).encode()}
        instrumented = _with_plugin(check, plugin, seconds)

        async def really() -> Any:
            checker = self.checker
            name, layered = f"search-{instrumented.key}-{content_id(plan, length=8)}", checker.sandbox.layered
            worktrees = checker.worktrees
            async with (
                checker.gate,
                worktrees.worktree(checker.run_id, name, checker.git, self.tree, layered) as worktree,
            ):
                worktree.write(added_files)
                await checker.run_in(instrumented, worktree)
                return _read(worktree.read(RESULT))

        key = [instrumented.key, self.tree, content_id(plan, code.decode())]
        try:
            return await self.checker.steps.run("search", key, really)
        except OutOfMinutes:
            return None


def _listed(patch: Patch) -> list[Any]:
    return [patch.file, patch.change.start, patch.change.end, patch.change.text]


def _seconds(report: Any) -> float:
    numbers = report.get("seconds") if isinstance(report, dict) else None
    return float(numbers) if isinstance(numbers, int | float) else 0.0


def _with_plugin(check: Check, plugin: str, seconds: float) -> Check:
    """The check with the plug-in enabled in every pytest that it starts."""
    stop = " -x --tb=no" if plugin == "heal_trials" else ""
    folder = f"{WORKSPACE}/{FOLDER}"
    export = (
        f'export HEAL_SEARCH="{folder}" PYTHONPATH="{folder}${{PYTHONPATH:+:$PYTHONPATH}}"\n'
        f'export PYTEST_ADDOPTS="${{PYTEST_ADDOPTS:-}} -p {plugin}{stop}"\n'
    )
    step = check.step.model_copy(update={"run": export + check.step.run})
    return check.model_copy(update={"step": step, "seconds": seconds})


def _read(data: bytes | None) -> Any:
    """The plug-in's result; the repository's code could have written anything there."""
    if data is None or len(data) > MAX_RESULT:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
