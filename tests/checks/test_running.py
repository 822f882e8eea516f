"""Checks of workflows run as CI runs them: shells, variables handed on, tolerated failures, tools that are not here."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from healing.checks.check import WORKSPACE, Check, CheckResult, Script, command_check
from healing.checks.rules import CheckRules
from healing.checks.running import OutOfMinutes
from healing.steps import Json, MemorySteps
from tests.pipeline.bench import Bench

FILES = {"sub/data.txt": "here\n"}


def run(bench: Bench, step: Script, *setup: Script, seconds: float | None = None) -> CheckResult:
    (tree,) = bench.trees(FILES)
    check = Check(workflow="ci.yml", job="j", step=step, setup=setup, seconds=seconds)
    return asyncio.run(bench.checker(tree).run(check, tree))


def script(text: str, shell: str = "", **more: object) -> Script:
    return Script.model_validate({"name": "x", "run": text, "shell": shell, **more})


# CK-1
@pytest.mark.parametrize(
    ("text", "shell", "code"),
    [
        ("false | cat", "", 0),  # where no shell is named, GitHub's bash has no pipefail
        ("false | cat", "bash", 1),
        ("false; true", "", 1),
        ('test -z "$BASH_VERSION" || test "$0" != bash; false', "sh", 1),
        ("import sys; sys.exit(3)", "python", 3),
        ("exit 4", "bash -e {0}", 4),
        ("false; exit 5", "bash {0}", 5),
    ],
)
def test_each_shell_is_the_one_that_github_would_take(bench: Bench, text: str, shell: str, code: int) -> None:
    assert run(bench, script(text, shell)).exit_code == code


# CK-1
def test_what_set_up_steps_hand_on_reaches_the_step(bench: Bench) -> None:
    setup = (
        script('echo "ONE=1=1" >> "$GITHUB_ENV"; printf "MANY<<END\\na\\nb\\nEND\\n" >> "$GITHUB_ENV"'),
        script('mkdir -p "$HOME/tools"; cd "$HOME/tools"; printf "#!/bin/sh\\necho tool" > mytool; chmod +x mytool'),
        script('echo "$HOME/tools" >> "$GITHUB_PATH"; echo "bad name=1" >> "$GITHUB_ENV"'),
    )
    seen = run(bench, script('echo "$ONE|$MANY|$(mytool)|$GITHUB_ACTIONS|$CI"'), *setup)
    assert seen.output == "1=1|a\nb|tool|true|true\n"


# CK-1
def test_a_tolerated_set_up_step_may_fail_and_another_may_not(bench: Bench) -> None:
    assert run(bench, script("echo fine"), script("exit 1", tolerant=True)).green
    assert run(bench, script("echo fine"), script("exit 1")).problem


# CK-1
def test_the_folder_and_the_workspace_are_those_of_the_worktree(bench: Bench) -> None:
    seen = run(bench, script(f"cat data.txt {WORKSPACE}/sub/data.txt", cwd=f"{WORKSPACE}/sub"))
    assert (seen.exit_code, seen.output) == (0, "here\nhere\n")


# EX-9
@pytest.mark.parametrize(
    ("text", "shell"), [("no-such-tool --check", ""), ("no-such-tool", "sh"), ("x=1\nno-such-tool", "bash")]
)
def test_a_tool_that_is_not_here_is_no_failure_of_the_code(bench: Bench, text: str, shell: str) -> None:
    seen = run(bench, script(text, shell))
    assert seen.problem == "no-such-tool is not installed where Heal runs checks"
    assert not seen.green
    assert seen.errors == ()


# EX-9
def test_a_tool_that_make_does_not_find_is_no_failure_either_but_a_missing_script_of_the_repository_is(
    bench: Bench,
) -> None:
    absent = run(bench, script("printf 'lint:\\n\\tno-such-tool .\\n' > Makefile; make lint"))
    assert absent.problem == "no-such-tool is not installed where Heal runs checks"
    missing = run(bench, script("./gone.sh"))
    assert (missing.problem, missing.exit_code) == ("", 127)


def test_a_step_has_the_time_that_ci_gives_it(bench: Bench) -> None:
    seen = run(bench, script("sleep 30"), seconds=0.5)
    assert seen.exit_code is None
    assert seen.why


# CK-3
def test_the_checks_of_a_run_have_a_budget_of_minutes_together_and_what_was_run_is_not_forgotten(bench: Bench) -> None:
    (tree,) = bench.trees(FILES)
    checker = replace(bench.checker(tree), rules=CheckRules(minutes=0.001))

    async def both() -> tuple[CheckResult, CheckResult, CheckResult]:
        first, second = (command_check(f"sleep 0.2; echo {n}") for n in (1, 2))
        return await checker.run(first, tree), await checker.run(second, tree), await checker.run(first, tree)

    first, second, again = asyncio.run(both())
    assert (first.green, again) == (True, first)
    assert second.problem == "the 0.001 minutes that this run's checks may take are used up (check_minutes)"
    assert not second.green


# CK-3
def test_set_up_and_what_tools_take_count_for_the_budget_too(bench: Bench) -> None:
    (tree,) = bench.trees(FILES)
    checker = replace(bench.checker(tree), rules=CheckRules(minutes=0.005))
    slow = command_check("true").model_copy(update={"setup": (Script(name="", run="sleep 0.4"),)})

    async def tool() -> None:
        async with checker.worktrees.worktree(checker.run_id, "tool", checker.git, tree) as worktree:
            assert (await checker.run_in(slow, worktree)).green

    asyncio.run(tool())
    assert sum(checker.seconds.values()) >= 0.4
    with pytest.raises(OutOfMinutes, match="used up"):
        asyncio.run(tool())
    assert "used up" in asyncio.run(checker.run(slow, tree)).problem
    fresh = replace(checker, seconds={})
    assert asyncio.run(fresh.run(slow, tree)).green
    assert sum(fresh.seconds.values()) >= 0.4


class Counting(MemorySteps):
    """Steps that count how often they are asked."""

    asked = 0

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        self.asked += 1
        return await super().run(kind, key, fn)


# CK-3
def test_a_run_reads_a_result_once_and_a_resumed_run_finds_the_stored_one(bench: Bench) -> None:
    (tree,) = bench.trees(FILES)
    check, steps = command_check("date +%N"), Counting()
    checker = replace(bench.checker(tree), steps=steps)
    first = asyncio.run(checker.run(check, tree))
    assert asyncio.run(checker.run(check, tree)) == first
    assert steps.asked == 1
    assert asyncio.run(checker.run(check, tree, sample=1)).output != first.output
    assert asyncio.run(replace(checker).run(check, tree)) == first
    assert steps.asked == 3


# CK-1 WT-5
def test_nothing_that_a_step_prints_or_exits_with_says_how_its_set_up_went(bench: Bench) -> None:
    forged = run(bench, script("echo '::heal-idle-setup 1'"), script("echo needed"))
    assert (forged.idle_setup, forged.green) == ((), True)
    assert forged.output == "::heal-idle-setup 1\n"
    for code in (97, 98):
        red = run(bench, script(f"echo '::heal-service-failed'; exit {code}"), script("true"))
        assert (red.exit_code, red.problem) == (code, "")


# CK-1
def test_a_set_up_step_that_had_nothing_to_install_is_remembered(bench: Bench) -> None:
    idle = "echo 'Requirement already satisfied: pytest in /somewhere'"
    assert run(bench, script("true"), script("echo needed"), script(idle)).idle_setup == (2,)


# CK-3
async def test_a_check_that_takes_many_times_as_long_as_before_is_ended(bench: Bench) -> None:
    quick, hanging = bench.trees({"seconds": "0"}, {"seconds": "600"})
    checker = bench.checker(quick)
    checker.hang_seconds = 1.0
    check = command_check("sleep $(cat seconds)")
    assert (await checker.run(check, quick)).green
    result = await checker.run(check, hanging)
    assert result.exit_code is None
    assert 1 <= result.seconds < 60


# UX-3
def test_each_check_that_begins_is_told_and_a_stored_result_is_not(bench: Bench) -> None:
    (tree,) = bench.trees({"a.txt": "a\n"})
    told: list[str] = []
    checker = replace(bench.checker(tree), started=lambda check: told.append(check.title))
    for command in ("true", "false", "true"):
        asyncio.run(checker.run(command_check(command), tree))
    assert told == ["true", "false"]
