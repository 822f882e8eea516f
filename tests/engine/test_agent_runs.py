"""What agents run, in the real sandbox: whole steps and allowed commands, on a copy of their scratch copy."""

from collections.abc import Callable

from healing.agents.rules import AgentRules
from healing.edits import Changes
from healing.phases.agent_space import AgentSpace
from healing.proof.door import Door
from tests.engine.bench import Bench

FILES = {
    "calc.py": "def total(items):\n    return summe(items)\n",
    "test_calc.py": "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "sub/test_other.py": "def test_other():\n    pass\n",
    "touch.py": "import pathlib\npathlib.Path('calc.py').write_text('')\n",
}
CURE: Changes = {"calc.py": b"def total(items):\n    return sum(items)\n"}


async def use(bench: Bench, act: Callable[[AgentSpace, Door], object], *commands: str) -> None:
    door = await bench.door(FILES, *(commands or ("python -m pytest -q", "ruff check .")))
    checker = door.checker
    async with checker.worktrees.worktree(
        checker.run_id, "agent", checker.git, door.integration, layered=checker.sandbox.layered
    ) as worktree:
        await act(AgentSpace(door, worktree, door.errors), door)  # type: ignore[misc]


# AG-2
async def test_a_step_runs_whole_on_the_scratch_copy(bench: Bench) -> None:
    async def act(space: AgentSpace, door: Door) -> None:
        label = next(c.title for c in door.checks if "pytest" in c.step.run)
        red = await space.run_step(label)
        assert "exit code 1" in red
        assert "NameError" in red
        await space.write(CURE)
        green = await space.run_step(label)
        assert "exit code 0" in green
        assert "2 passed" in green, "the whole step, not the narrowed one"

    await use(bench, act)


# AG-2, WT-5
async def test_a_command_runs_without_a_shell_where_it_can_read_no_secret_and_change_nothing(bench: Bench) -> None:
    async def act(space: AgentSpace, door: Door) -> None:
        said = await space.run_command(("python", "-m", "pytest", "-q", "$(touch x); `id`", "a b"), ".")
        assert "$(touch x); `id`" in said, "taken as one word: there is no shell"
        said = await space.run_command(("python", "-m", "pytest", "-q", "."), "sub")
        assert "exit code 0" in said
        assert "1 passed" in said
        before = await space.tree()
        assert "exit code 0" in await space.run_command(("python", "touch.py"), ".")
        assert await space.tree() == before, "what it changed is thrown away"
        assert "total" in (await space.read("calc.py") or b"").decode()

    await use(bench, act)


# AG-2
async def test_a_program_that_is_not_there_is_named(bench: Bench) -> None:
    async def act(space: AgentSpace, door: Door) -> None:
        said = await space.run_command(("no-such-program", "vet"), ".")
        assert "could not be run here: no-such-program is not installed where Heal runs checks" in said

    await use(bench, act)


# AG-2
async def test_a_command_finds_what_the_step_would_find(bench: Bench) -> None:
    async def act(space: AgentSpace, door: Door) -> None:
        for argv in (("ruff", "rule", "F821"), ("ruff", "check", "--select", "F", ".")):
            assert argv in AgentRules().allowed() or argv[:2] in AgentRules().allowed()
            assert "undefined" in (await space.run_command(argv, ".")).lower()

    await use(bench, act, "ruff check .")
