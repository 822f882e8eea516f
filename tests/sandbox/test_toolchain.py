"""The base environment: the tools that checks need, and nothing of Heal's own."""

import sys
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain, ToolchainError, base_environment, closure
from healing.process.owner import Owner, hand_over
from healing.sandbox.interpreter import copy_interpreter, find_interpreter, works
from healing.sandbox.job import Job, Sandbox


async def inside(sandbox: Sandbox, toolchain: Toolchain, worktree: Path, *argv: str) -> tuple[int | None, str]:
    ended = await sandbox.run(Job(argv, worktree, env=toolchain.env, readable=toolchain.readable))
    assert not ended.why, ended
    return ended.exit_code, ended.output.decode()


@pytest.mark.parametrize("tool", ["ruff", "black", "mypy", "pytest"])
async def test_each_tool_runs_and_is_the_version_it_is_said_to_be(
    tool: str, sandbox: Sandbox, toolchain: Toolchain, worktree: Path
) -> None:
    code, output = await inside(sandbox, toolchain, worktree, tool, "--version")
    assert code == 0
    assert toolchain.versions[tool] in output


async def test_a_failing_test_fails_inside(
    sandbox: Sandbox, toolchain: Toolchain, worktree: Path, owner: Owner | None
) -> None:
    (worktree / "test_it.py").write_text("def test_it(tmp_path):\n    assert tmp_path.exists() and 1 + 1 == 3\n")
    hand_over(worktree / "test_it.py", owner)
    code, output = await inside(sandbox, toolchain, worktree, "pytest", "-q")
    assert code == 1
    assert "assert (True and (1 + 1) == 3)" in output


async def test_mypy_finds_what_is_wrong_inside(sandbox: Sandbox, toolchain: Toolchain, worktree: Path) -> None:
    (worktree / "it.py").write_text("def it(x: int) -> str:\n    return x\n")
    code, output = await inside(sandbox, toolchain, worktree, "python", "-m", "mypy", "it.py")
    assert code == 1
    assert "[return-value]" in output


# WT-5
async def test_python_sees_the_tools_and_neither_heal_nor_what_it_imports(
    sandbox: Sandbox, toolchain: Toolchain, worktree: Path
) -> None:
    script = (
        "import importlib.util as u\n"
        "names = 'pytest mypy black ruff pip bot healing anthropic dulwich githubkit pydantic hypothesis apt'\n"
        "print([name for name in names.split() if u.find_spec(name)])"
    )
    code, output = await inside(sandbox, toolchain, worktree, "python", "-c", script)
    assert (code, output) == (0, "['pytest', 'mypy', 'black', 'ruff', 'pip']\n")


async def test_pytest_has_no_plugins_of_heal(sandbox: Sandbox, toolchain: Toolchain, worktree: Path) -> None:
    _, output = await inside(sandbox, toolchain, worktree, "pytest", "--co")
    assert "collected 0 items" in output
    assert not [name for name in ("hypothesis", "asyncio", "anyio", "timeout", "inline-snapshot") if name in output]


async def test_pip_says_what_is_there_and_that_nothing_else_can_be_had(
    sandbox: Sandbox, toolchain: Toolchain, worktree: Path
) -> None:
    code, output = await inside(sandbox, toolchain, worktree, "pip", "install", "pytest")
    assert (code, "Requirement already satisfied: pytest" in output) == (0, True)
    code, output = await inside(sandbox, toolchain, worktree, "pip", "install", "no-such-thing-at-all")
    assert (code, "No matching distribution" in output) == (1, True)


async def test_it_is_made_once(toolchain: Toolchain, data: Path, owner: Owner | None) -> None:
    before = sorted((data / "toolchains").iterdir())
    assert await base_environment(data, owner) == toolchain
    assert sorted((data / "toolchains").iterdir()) == before


async def test_it_can_not_be_changed_from_inside(sandbox: Sandbox, toolchain: Toolchain, worktree: Path) -> None:
    code, _ = await inside(sandbox, toolchain, worktree, "sh", "-c", 'echo x > "$VIRTUAL_ENV/bin/python"')
    assert code != 0


async def test_a_tool_that_heal_does_not_have_is_left_out(data: Path, owner: Owner | None) -> None:
    made = await base_environment(data, owner, ("ruff", "no-such-tool-at-all"))
    assert set(made.versions) == {"ruff"}
    assert not (made.bin / "pytest").exists()


def test_what_a_tool_requires_comes_with_it() -> None:
    assert {"pytest", "pluggy", "iniconfig"} <= set(closure(("pytest",)))
    assert "hypothesis" not in closure(("pytest",))


async def test_a_laptop_shows_its_interpreter_but_not_where_heal_is_installed(data: Path) -> None:
    made = await base_environment(data, None, ("ruff",))
    shown = [path.resolve() for path in made.readable]
    assert not any(Path(sys.prefix).resolve().is_relative_to(path) for path in shown) or sys.prefix == sys.base_prefix


async def test_an_interpreter_that_nobody_else_can_read_is_copied(data: Path, owner: Owner | None) -> None:
    copied = copy_interpreter(Path(sys.base_prefix).resolve(), data)
    assert await works(copied, owner)
    assert copied.path.is_relative_to(data)
    assert not list(copied.path.parents[1].rglob("site-packages"))


async def test_the_interpreter_found_is_one_that_the_sandboxed_user_can_start(data: Path, owner: Owner | None) -> None:
    assert await works(await find_interpreter(data, owner), owner)


async def test_a_data_folder_that_the_sandboxed_user_can_not_reach_is_reported_as_such(
    tmp_path: Path, owner: Owner | None
) -> None:
    if owner is None:
        pytest.skip("an ordinary user reaches his own folders")
    tmp_path.chmod(0o700)
    with pytest.raises(ToolchainError, match="put Heal's data folder where every user may"):
        await base_environment(tmp_path, owner, ("ruff",))
