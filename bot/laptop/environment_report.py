"""Reports the environment of checks in this clone: interpreter, tools and packages, as seen inside the sandbox."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from bot.laptop.clone import OpenClone, opened
from bot.laptop.local_checks import local_checks
from bot.laptop.used_tools import used_tools
from bot.laptop.wanted import LocalChecks, WantedChecks
from bot.settings import Settings
from handlers.errors import UserError
from healing.checks.check import command_check
from healing.checks.helping import typed
from healing.checks.missing import NOT_FOUND, FailureContext, find_missing
from healing.environment.doctor import DoctorFinding
from healing.process.shell import run
from healing.view import TreeView

# The tools whose versions are reported, by language; languages that the repository doesn't have are skipped.
PYTHON = (
    "python",
    "pytest",
    "ruff",
    "black",
    "mypy",
    "flake8",
    "tox",
    "nox",
    "uv",
    "poetry",
    "pdm",
    "hatch",
    "pre-commit",
)
NODE = ("node", "npm", "pnpm", "yarn", "eslint", "tsc", "prettier", "biome", "jest", "vitest", "mocha")
LANGUAGES = (
    ((".py",), PYTHON),
    ((".js", ".ts", ".tsx", ".mjs", "package.json"), NODE),
    ((".go",), ("go", "gofmt")),
    ((".rs",), ("cargo", "rustc", "cargo-clippy", "rustfmt")),
    (("Makefile",), ("make",)),
)
# Launchers that run commands in an environment of their own: the file that shows that the repository uses one, its
# command, and the command that creates its environment.
LAUNCHERS = (
    ("uv.lock", "uv run --no-sync", "uv sync"),
    ("poetry.lock", "poetry run", "poetry install"),
    ("pdm.lock", "pdm run", "pdm install"),
    ("Pipfile", "pipenv run", "pipenv install --dev"),
)
UNSEEN = DoctorFinding(
    "not for checks",
    True,
    "the network, what listens on your ports, your shell's own variables",
    'write variables into the command, as in heal run --run "API_URL=… pytest -q"',
    here=False,
)
BEHIND = """
if command -v {program} >/dev/null; then
  if made=$({run} python -c 'import sys; print(sys.prefix, sys.version.split()[0], sep="\\t")' 2>&1 </dev/null); then
    printf 'behind {run}\t%s\n' "$(printf '%s' "$made" | tail -n 1)"
  else
    printf 'behind {run}\t\t%s\n' "$(printf '%s' "$made" | tr '\n\t' '  ' | tail -c 200)"
  fi
fi
"""
VERSION = "import sys; print(sys.version.split()[0])"
ASK = """
for tool in {tools}; do
  place=$(command -v "$tool") || continue
  case $tool in go) words=version ;; gofmt) words= ;; *) words=--version ;; esac
  version=$([ -z "$words" ] || "$tool" $words 2>&1 </dev/null | head -n 1 | cut -c 1-80) || true
  printf '%s\\t%s\\t%s\\n' "$tool" "$place" "$version"
done
python -c 'import sys; print("prefix", sys.prefix, sys.version.split()[0], sep="\\t")' 2>/dev/null || true
"""


async def environment_report(path: Path, settings: Settings) -> AsyncIterator[DoctorFinding]:
    """Yields a finding for each tool of this clone's languages, and notes on what checks can't see."""
    try:
        async with opened(OpenClone, path, settings) as repo:
            async for finding in _of_clone(repo):
                yield finding
    except UserError as error:
        yield DoctorFinding(
            "checks of this clone", False, str(error), "correct what the line names, then run `heal doctor` again"
        )


async def _of_clone(repo: OpenClone) -> AsyncIterator[DoctorFinding]:
    code = await repo.code()
    view = repo.view(code)
    tools = tools_for(view)
    launchers = [(command, remedy) for file, command, remedy in LAUNCHERS if view.read(file) is not None]
    behind = [BEHIND.format(run=command, program=command.partition(" ")[0]) for command, _ in launchers]
    checker = await repo.checker(code, fresh=True)
    result = await checker.run(command_check("".join([ASK.format(tools=" ".join(tools)), *behind])), code.tree)
    if not result.green:
        why = result.problem or result.output.strip()[-300:] or f"exit code {result.exit_code}"
        yield DoctorFinding(
            "checks of this clone", False, why, "heal doctor outside of a clone says what the machine lacks"
        )
        return
    rows = [line.split("\t") for line in result.output.splitlines() if line.count("\t") == 2]
    if own := next(((place, version) for tool, place, version in rows if tool == "prefix"), None):
        yield await _python(repo, *own)
    for command, remedy in launchers:
        for name, place, version in rows:
            if name == f"behind {command}":
                shown = f"{place} (Python {version})" if place else version
                yield DoctorFinding(f"behind `{command}`", bool(place), shown, "" if place else remedy)
    available = {tool: f"{version or 'here'} at {place}" for tool, place, version in rows if tool in tools}
    for finding in _tools(repo, local_checks(view, WantedChecks(), repo.installed), available, tools, view):
        yield finding
    yield UNSEEN
    for note in repo.notes:
        yield DoctorFinding("note", True, note)


async def _python(repo: OpenClone, prefix: str, version: str) -> DoctorFinding:
    """Compares the Python of checks with the one in the person's shell: if parts of it are hidden from checks, they may
    get another version."""
    shown = f"{prefix} (Python {version})"
    view = repo.engine.view
    python = shutil.which("python", path=view.env["PATH"]) if view else None
    if view is None or python is None:
        return DoctorFinding("environment", True, shown)
    ended = await run((python, "-c", VERSION), cwd=repo.root, env=dict(view.env), timeout=60)
    outside = ended.output.decode(errors="replace").strip()
    if outside == version:
        return DoctorFinding("environment", True, shown)
    remedy = "name the folder that it lacks in LD_LIBRARY_PATH, or recreate the virtual environment"
    return DoctorFinding("environment", False, f"{shown}, and Python {outside[-80:] or 'none'} in your shell", remedy)


def _tools(
    repo: OpenClone, found: LocalChecks, there: dict[str, str], known: tuple[str, ...], view: TreeView
) -> Iterator[DoctorFinding]:
    """Yields the tools that this clone's checks use, each with the command that installs it if it is missing; then
    other available tools."""
    if not found.checks:
        why = "; ".join(found.problems) or "none found"
        yield DoctorFinding("checks of this clone", True, why, "heal check --run CMD runs one", here=False)
    used = used_tools(found.checks, known)
    for tool, check in used.items():
        if tool in there:
            yield DoctorFinding(tool, True, f"{there[tool]}, used by the check “{check}”")
        else:
            why = f"not installed where checks run, and the check “{check}” uses it"
            yield DoctorFinding(tool, False, why, installing(tool, view, repo))
    yield from (DoctorFinding(tool, True, where) for tool, where in there.items() if tool not in used)


def installing(tool: str, view: TreeView, repo: OpenClone) -> str:
    """Returns the advice for installing a tool, the same as for a check that fails without it."""
    missing = find_missing(NOT_FOUND, f"{tool}: command not found", FailureContext(view, has=repo.installed))
    advice = missing.advice if missing else f"install {tool}, and put it on your PATH"
    return typed(advice, repo.engine.view)


def tools_for(view: TreeView) -> tuple[str, ...]:
    """Returns the tools of the repository's languages."""
    paths = view.paths()
    groups = [tools for endings, tools in LANGUAGES if any(path.endswith(endings) for path in paths)]
    return tuple(tool for tools in groups for tool in tools)
