"""The one subprocess door."""

import asyncio
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from healing.process.owner import Owner
from healing.process.shell import run
from tests.sandbox.host import alive

HERE = Path("/")
ENV = {"PATH": os.defpath}


def marker() -> str:
    return f"88.{int.from_bytes(os.urandom(5))}"


async def test_both_outputs_come_as_they_were_written() -> None:
    ended = await run(["sh", "-c", "echo one; echo two >&2; echo three"], cwd=HERE, env=ENV, timeout=20)
    assert (ended.output, ended.exit_code, ended.truncated, ended.why) == (b"one\ntwo\nthree\n", 0, False, "")


async def test_the_environment_is_exactly_the_given_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEAL_TEST_SECRET", "canary")
    ended = await run(
        [sys.executable, "-c", "import os; print(sorted(os.environ))"], cwd=HERE, env={"A": "1"}, timeout=20
    )
    assert set(ended.output.decode().strip("[]\n").replace("'", "").split(", ")) <= {"A", "LC_CTYPE"}


async def test_long_output_keeps_its_head_and_its_tail_and_says_what_is_missing() -> None:
    script = "import sys; sys.stdout.write('a' * 50000 + 'm' * 900000 + 'z' * 50000)"
    ended = await run([sys.executable, "-c", script], cwd=HERE, env={}, timeout=20, output_bytes=10_000)
    assert ended.output == b"a" * 5000 + b"\n[... 990000 bytes cut here ...]\n" + b"z" * 5000
    assert ended.truncated


async def test_standard_input_is_given_or_empty() -> None:
    big = b"x" * 1_000_000
    assert (await run(["wc", "-c"], cwd=HERE, env=ENV, timeout=20, stdin=big)).output.strip() == b"1000000"
    assert (await run(["wc", "-c"], cwd=HERE, env=ENV, timeout=20)).output.strip() == b"0"


# WT-6
async def test_a_time_limit_kills_the_whole_group_and_says_so() -> None:
    name = marker()
    ended = await run(["sh", "-c", f"sleep {name} & sleep {name}"], cwd=HERE, env=ENV, timeout=0.3)
    assert (ended.exit_code, ended.why) == (None, "time limit 0.3 s")
    assert alive(name) == []


@pytest.mark.parametrize("after", [0.0, 0.001, 0.005, 0.3])
async def test_a_cancelled_command_is_dead_when_the_cancellation_arrives(after: float) -> None:
    name = marker()
    task = asyncio.create_task(run(["sh", "-c", f"sleep {name} & echo; sleep {name}"], cwd=HERE, env=ENV, timeout=60))
    await asyncio.sleep(after)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(f"sleep {name}") == []


async def test_what_the_command_left_in_its_group_is_killed_at_the_end() -> None:
    name = marker()
    ended = await run(["sh", "-c", f"sleep {name} & echo done"], cwd=HERE, env=ENV, timeout=20)
    assert (ended.output, alive(name)) == (b"done\n", [])


async def test_a_grandchild_in_another_session_that_holds_the_pipe_does_not_hang_us() -> None:
    name = marker()
    ended = await run(["sh", "-c", f"setsid sleep {name} & sleep 0.1; echo done"], cwd=HERE, env=ENV, timeout=20)
    assert ended.output == b"done\n"
    assert ended.seconds < 10
    for pid in alive(name):
        os.kill(pid, signal.SIGKILL)


async def test_a_watch_that_returns_ends_the_command_with_its_reason() -> None:
    async def watch(pid: int) -> str:
        await asyncio.sleep(0.1)
        return f"enough of {pid > 0}"

    ended = await run(["sleep", "60"], cwd=HERE, env=ENV, timeout=20, watch=watch)
    assert (ended.exit_code, ended.why) == (None, "enough of True")


async def test_a_leader_gets_its_grace_to_clean_up() -> None:
    script = "trap 'echo cleaned; exit' TERM; while :; do sleep 0.05; done"
    ended = await run(["sh", "-c", script], cwd=HERE, env=ENV, timeout=0.3, grace=10)
    assert (ended.output, ended.exit_code) == (b"cleaned\n", None)


async def test_a_signal_counts_as_shells_count_it() -> None:
    assert (await run(["sh", "-c", "kill -9 $$"], cwd=HERE, env=ENV, timeout=20)).exit_code == 137


async def test_a_command_that_is_not_there_is_an_error_not_a_result() -> None:
    with pytest.raises(FileNotFoundError):
        await run(["no-such-command-here"], cwd=HERE, env=ENV, timeout=20)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_another_user_has_none_of_our_rights_not_even_to_find_his_program_or_in_his_variables() -> None:
    user = Owner(61184, 61184)
    with tempfile.TemporaryDirectory() as folder:  # ours alone
        program = Path(folder, "program")
        program.write_text("#!/bin/sh\nid -u\n")
        program.chmod(0o755)
        refused = await run([str(program)], cwd=Path("/"), env={}, timeout=10, user=user)
        Path(folder).chmod(0o755)
        allowed = await run([str(program)], cwd=Path("/"), env={"PATH": os.defpath}, timeout=10, user=user)
    assert (refused.exit_code, allowed.output) == (126, b"61184\n")
    seen = await run(["cat", "/proc/self/status"], cwd=Path("/"), env={"LD_PRELOAD": ""}, timeout=10, user=user)
    caps = {line.split()[1] for line in seen.output.splitlines() if line.startswith((b"CapPrm", b"CapEff", b"CapInh"))}
    assert caps == {b"0" * 16}
    with pytest.raises(FileNotFoundError):
        await run(["no-such-program"], cwd=Path("/"), env={}, timeout=10, user=user)
