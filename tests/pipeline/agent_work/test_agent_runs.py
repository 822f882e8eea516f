"""What agents run, in the real sandbox: whole steps and allowed commands, on a copy of their scratch copy."""

from collections.abc import Callable

import pytest

from healing.checks.check import command_check
from healing.edits.exact import Changes
from healing.pipeline.agent_work.agent_space import AgentSpace
from healing.pipeline.agent_work.commands_here import commands_here, launched, whole_commands
from healing.repair.agents.rules import AgentRules
from healing.repair.agents.tools.commands import DEFAULTS, Command, refusal
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench

FILES = {
    "calc.py": "def total(items):\n    return summe(items)\n",
    "test_calc.py": "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "sub/test_other.py": "def test_other():\n    pass\n",
    "touch.py": "import pathlib\npathlib.Path('calc.py').write_text('')\n",
}
OTHERS = ("go", "gofmt", "cargo", "rustc", "tsc", "npx", "eslint", "node", "mvn", "gradle")  # of languages not in FILES
FIX: Changes = {"calc.py": b"def total(items):\n    return sum(items)\n"}


async def use(bench: Bench, act: Callable[[AgentSpace, Verifier], object], *commands: str) -> None:
    verifier = await bench.verifier(FILES, *(commands or ("python -m pytest -q", "ruff check .")), shared=True)
    checker = verifier.checker
    async with checker.worktrees.worktree(
        checker.run_id, "agent", checker.git, verifier.integration, layered=checker.sandbox.layered
    ) as worktree:
        await act(AgentSpace(verifier, worktree, verifier.errors), verifier)  # type: ignore[misc]


# AG-2
async def test_a_step_runs_whole_on_the_scratch_copy(bench: Bench) -> None:
    async def act(space: AgentSpace, verifier: Verifier) -> None:
        label = next(c.title for c in verifier.checks if "pytest" in c.step.run)
        red = await space.run_step(label)
        assert "exit code 1" in red
        assert "NameError" in red
        await space.write(FIX)
        green = await space.run_step(label)
        assert "exit code 0" in green
        assert "2 passed" in green, "the whole step, not the narrowed one"

    await use(bench, act)


# AG-2
async def test_the_command_of_a_step_runs_that_step_with_its_variables(bench: Bench) -> None:
    async def act(space: AgentSpace, verifier: Verifier) -> None:
        first, last = verifier.checks
        own = first.step.model_copy(update={"env": {"PYTEST_ADDOPTS": "--collect-only"}})
        verifier.checks = (first.model_copy(update={"step": own}), last)
        whole = await space.run_command(("python", "-m", "pytest", "-q"), ".")
        assert "2 tests collected" in whole, "the step's own variables"
        assert "2 tests collected" not in await space.run_command(("ruff", "check", "."), ".")

    await use(bench, act)


# AG-2
@pytest.mark.parametrize(
    ("commands", "listed"),
    [
        (("python -m pytest -q", "ruff check ."), ("python -m pytest -q", "ruff check .")),
        (("python -m pytest -q", "ruff check . | tee log"), ()),
        (("A=1 python -m pytest -q",), ()),
        (("python -m pytest ../other",), ()),
    ],
    ids=["plain", "a pipe", "a variable", "another place"],
)
def test_steps_are_listed_as_commands_only_where_all_are_plain(
    commands: tuple[str, ...], listed: tuple[str, ...]
) -> None:
    checks = [command_check(command) for command in commands]
    assert [" ".join(words) for words in whole_commands(checks)] == list(listed)
    elsewhere = [one.model_copy(update={"step": one.step.model_copy(update={"cwd": "sub"})}) for one in checks]
    assert whole_commands(elsewhere) == ()


# AG-2, WT-5
async def test_a_command_runs_without_a_shell_where_it_can_read_no_secret_and_change_nothing(bench: Bench) -> None:
    async def act(space: AgentSpace, verifier: Verifier) -> None:
        output = await space.run_command(("python", "-m", "pytest", "-q", "$(touch x); `id`", "a b"), ".")
        assert "$(touch x); `id`" in output, "taken as one word: there is no shell"
        output = await space.run_command(("python", "-m", "pytest", "-q", "."), "sub")
        assert "exit code 0" in output
        assert "1 passed" in output
        before = await space.tree()
        assert "exit code 0" in await space.run_command(("python", "touch.py"), ".")
        assert await space.tree() == before, "what it changed is thrown away"
        assert "total" in (await space.read("calc.py") or b"").decode()

    await use(bench, act)


# AG-2
async def test_a_program_that_is_not_there_is_named(bench: Bench) -> None:
    async def act(space: AgentSpace, verifier: Verifier) -> None:
        output = await space.run_command(("no-such-program", "vet"), ".")
        assert "could not be run here: no-such-program is not installed where Heal runs checks" in output

    await use(bench, act)


# AG-2
async def test_a_command_finds_what_the_step_would_find(bench: Bench) -> None:
    async def act(space: AgentSpace, verifier: Verifier) -> None:
        for argv in (("ruff", "rule", "F821"), ("ruff", "check", "--select", "F", ".")):
            assert argv in AgentRules().allowed() or argv[:2] in AgentRules().allowed()
            assert "undefined" in (await space.run_command(argv, ".")).lower()

    await use(bench, act, "ruff check .")


# AG-12
async def test_only_commands_that_are_installed_where_the_failing_check_runs_are_listed(bench: Bench) -> None:
    rules = AgentRules(commands=("no-such-program test", "./run.sh quick", "python -m shop.lint", "sh -x"))
    files = {**FILES, "run.sh": "#!/bin/sh\n", "shop/lint.py": "", "shop/__init__.py": "print('heal-there-0')\n"}
    verifier = await bench.verifier(files, "python -m pytest -q")
    before = len(verifier.checker.seconds)
    listed = await commands_here(verifier, verifier.checks, rules.allowed())
    assert len(verifier.checker.seconds) == before + 1
    for there in ("pytest", "python -m pytest", "ruff check", "./run.sh quick", "python -m shop.lint", "sh -x"):
        assert tuple(there.split()) in listed, listed
    for absent in ("pyright", "gradle --offline test", "no-such-program test", "npx jest", "python -m nothing"):
        assert tuple(absent.split()) not in listed
    assert await commands_here(verifier, verifier.checks[:1], rules.allowed()) == listed
    assert len(verifier.checker.seconds) == before + 1, "asked once"
    assert not [words for words in listed if words[0] in ("node", "cargo", "go", "mvn")], "no file here is theirs"
    assert "gradle" not in refusal(("gradle", "test"), listed).partition("list. ")[2], "nor are they named to an agent"


# AG-12
async def test_a_failing_command_of_its_own_way_to_start_tests_may_be_run_with_its_variables(bench: Bench) -> None:
    files = {
        **FILES,
        "check/__init__.py": "",
        "test_calc.py": "import os\nfrom calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
        "sub/test_other.py": "import os\n\n\ndef test_other():\n    assert os.environ['MODE'] == 'a b'\n",
    }
    verifier = await bench.verifier(files, "MODE='a b' python3 -m pytest -q test_calc.py")
    listed = await commands_here(verifier, verifier.checks, ())
    assert listed == (("python3", "-m", "pytest"),)
    checker = verifier.checker
    async with checker.worktrees.worktree(
        checker.run_id, "agent", checker.git, verifier.integration, layered=checker.sandbox.layered
    ) as worktree:
        space = AgentSpace(verifier, worktree, verifier.errors)
        reported = await space.run_command(("python3", "-m", "pytest", "-q", "sub/test_other.py::test_other"), ".")
    assert "exit code 0" in reported, reported


# AG-12
@pytest.mark.parametrize(
    ("command", "start"),
    [
        ("uv run pytest -q", "uv run pytest"),
        ("A=1 A=2 poetry run python -m pytest tests", "poetry run python -m pytest"),
        ("npx --no-install jest", "npx --no-install jest"),
        ("python3.12 -m mypy src", "python3.12 -m mypy"),
        ("python -m coverage run -m pytest -q", "python -m coverage run -m pytest -q"),
        ("CI=1 npm test", "npm test"),
        ("pnpm run test:unit", "pnpm run test:unit"),
        ("cargo nextest run --workspace", "cargo nextest run --workspace"),
        ("./gradlew :app:test --offline", "./gradlew :app:test --offline"),
        ("hatch run cov", "hatch run cov"),
        ("tox -e py311", "tox -e py311"),
        ("coverage report", ""),
        ("pytest", ""),
        ("bash -n x.sh", ""),
        ("make test", ""),
        ("uv run rm -rf x", ""),
        ("uv run pytest | tee log", ""),
    ],
)
def test_a_launcher_is_what_stands_before_a_known_tool(command: str, start: str) -> None:
    wanted: tuple[Command, ...] = (tuple(start.split()),) if start else ()
    assert launched([command_check(command)] * 2) == wanted


# AG-12
async def test_where_it_can_not_be_seen_what_is_installed_all_commands_are_listed(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "python -m pytest -q", shared=True)
    verifier.checker.seconds["other checks"] = 60 * verifier.checker.rules.minutes
    assert await commands_here(verifier, verifier.checks, DEFAULTS) == (
        ("python", "-m", "pytest"),
        *(one for one in DEFAULTS if one != ("python", "-m", "pytest") and one[0] not in OTHERS),
    )
