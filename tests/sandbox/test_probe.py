"""What the machine can do, found out by trying; and what the doctor says about it."""

import json
import os
import sys
from pathlib import Path

import pytest

from healing.environment.doctor import machine_report
from healing.process.owner import Owner, sandbox_owner
from healing.process.shell import run
from healing.sandbox.bubblewrap import Bubblewrap, bwrap_commands, find_bwrap, why_unusable
from healing.sandbox.interpreter import Interpreter
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.landlock import Landlock
from healing.sandbox.none import Unsafe
from healing.sandbox.probe import UnusableError, escape_checks, find_interpreter, mount_point, probe
from healing.sandbox.remedies import remedy_for


async def test_the_best_back_end_that_works_is_taken(data: Path, probed: dict[str, Sandbox]) -> None:
    looked = await probe(data)
    assert (looked.sandbox.name if looked.sandbox else None) == next(iter(probed), None)
    assert looked.tried[-1].ok == bool(probed)


async def test_the_trial_leaves_nothing_behind(data: Path) -> None:
    await probe(data)
    assert not list(data.glob("probe-*"))


async def test_no_sandbox_is_taken_only_by_its_name(data: Path) -> None:
    assert isinstance((await probe(data, "unsafe")).sandbox, Unsafe)
    assert not isinstance((await probe(data, "auto")).sandbox, Unsafe)


async def test_a_bare_subprocess_does_not_pass_the_escape_checks(data: Path, owner: Owner | None) -> None:
    with pytest.raises(UnusableError, match="read a file outside and wrote a file outside and reached a port"):
        await escape_checks(Unsafe(owner), data, await find_interpreter(data, owner))


async def test_a_back_end_that_can_not_start_says_why(data: Path, owner: Owner | None) -> None:
    with pytest.raises(UnusableError, match="bubblewrap could not start the command"):
        await escape_checks(Bubblewrap("/bin/false", owner), data, await find_interpreter(data, owner))


async def test_what_could_not_be_started_has_no_exit_code(sandbox: Sandbox, worktree: Path) -> None:
    ended = await sandbox.run(Job(("true",), worktree / "nowhere"))
    assert ended.exit_code is None
    assert "could not start the command" in ended.why
    ended = await sandbox.run(Job(("true",), worktree, cwd="no/such/folder"))
    assert ended.exit_code is None


async def test_what_no_command_can_hold_is_refused_in_words(sandbox: Sandbox, worktree: Path) -> None:
    """Workflow files are written by strangers."""
    bad = [
        Job((), worktree),
        Job(("echo", "a\0b"), worktree),
        Job(("echo", "\ud800"), worktree),
        Job(("true",), worktree, env={"A=B": "1"}),
        Job(("true",), worktree, env={"A": "\0"}),
        Job(("true",), worktree, cwd="a\0b"),
        Job(("echo", "x" * (1 << 20)), worktree),
    ]
    for job in bad:
        ended = await sandbox.run(job)
        assert ended.exit_code is None
        assert ended.why


async def test_a_folder_outside_of_the_worktree_is_refused(sandbox: Sandbox, worktree: Path) -> None:
    for folder in ("..", "/etc", "a/../../b"):
        ended = await sandbox.run(Job(("true",), worktree, cwd=folder))
        assert (ended.exit_code, "lies outside the worktree" in ended.why) == (None, True)


async def test_a_command_starts_in_its_folder_and_its_paths_can_be_mapped_back(
    sandbox: Sandbox, worktree: Path
) -> None:
    (worktree / "deep").mkdir()
    ended = await sandbox.run(Job(("pwd",), worktree, cwd="deep"))
    assert ended.output.decode().strip() == sandbox.inside(worktree) + "/deep"
    ended = await sandbox.run(Job(("sh", "-c", 'echo "$PWD"'), worktree))
    assert ended.output.decode().strip() == sandbox.inside(worktree)


async def test_an_unknown_command_is_127(sandbox: Sandbox, worktree: Path) -> None:
    assert (await sandbox.run(Job(("no-such-command",), worktree))).exit_code == 127


async def test_the_job_s_variables_work_only_behind_the_walls(
    sandbox: Sandbox, worktree: Path, owner: Owner | None
) -> None:
    """A workflow file may set LD_PRELOAD: nothing that Heal starts outside may load it."""
    job = Job(("sh", "-c", 'echo "$LD_PRELOAD"'), worktree, env={"LD_PRELOAD": "/no/such/evil.so"})
    ended = await sandbox.run(job)
    assert ended.exit_code == 0
    assert ended.output.decode().splitlines()[-1] == "/no/such/evil.so"


async def test_root_runs_nothing_from_a_repository(worktree: Path, data: Path) -> None:
    interpreter = Interpreter(Path("/usr/bin/python3"))
    root = Owner(0, 0)
    for one in (Bubblewrap("bwrap", root), Landlock(interpreter, root, frozenset()), Unsafe(root)):
        ended = await one.run(Job(("true",), worktree))
        assert (ended.exit_code, "nothing from a repository runs as root" in ended.why) == (None, True)


def test_the_worktree_appears_elsewhere_where_the_data_lies_under_its_usual_place() -> None:
    plain = Interpreter(Path("/usr/bin/python3"))
    assert mount_point(Path("/home/me/.heal"), plain) == "/work"
    assert mount_point(Path("/work/somewhere/.heal"), plain) == "/worktree"


def test_the_sandboxed_user_is_never_root(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        assert sandbox_owner() is None
        return
    assert sandbox_owner() == Owner(61184, 61184)
    monkeypatch.setenv("HEAL_SANDBOX_UID", "4711")
    assert sandbox_owner() == Owner(4711, 4711)
    for bad in ("0", "-1", "root", "", "99999999999"):
        monkeypatch.setenv("HEAL_SANDBOX_UID", bad)
        with pytest.raises(ValueError, match="name the number of a user other than root"):
            sandbox_owner()


async def test_the_doctor_finds_this_machine_well(data: Path, probed: dict[str, Sandbox]) -> None:
    found = {one.name: one for one in await machine_report(data)}
    assert set(found) == {
        "python",
        "git",
        "sandbox: bubblewrap",
        "sandbox: landlock",
        "sandbox: memory",
        "toolchain",
        "disk",
    }
    assert found["sandbox: bubblewrap"].ok == bool(probed)
    assert "pytest" in found["toolchain"].detail


async def test_the_doctor_says_what_bounds_the_memory_of_a_job(data: Path, probed: dict[str, Sandbox]) -> None:
    found = {one.name: one for one in await machine_report(data)}["sandbox: memory"]
    grouped = [isinstance(one, Bubblewrap | Landlock) and one.groups is not None for one in probed.values()]
    assert found.ok
    assert found.detail.startswith("a control group for each job" if any(grouped) else "a watch")
    assert any(grouped) == all(grouped)


# As the kernel and bwrap told it: on Ubuntu 24.04, and in a container with the defaults of its engine, with seccomp
# unconfined, and with both unconfined.
MENDED = [
    ("bwrap: setting up uid map: Permission denied", "AppArmor"),
    ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
    ("bwrap: Can't set hostname to ci: Operation not permitted", "seccomp=unconfined"),
    ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
    ("bwrap: No permissions to create new namespace, likely because the kernel", "unprivileged_userns_clone"),
    ("bwrap is not installed", "apt-get install bubblewrap"),
    ("bwrap 0.6 is too old, 0.8 is needed", "0.8 or newer"),
    ("HEAL_SANDBOX=landlock is set", "unset HEAL_SANDBOX"),
]


@pytest.mark.parametrize(("why", "remedy"), MENDED)
def test_each_reason_why_a_sandbox_does_not_work_has_what_makes_it_work(why: str, remedy: str) -> None:
    assert remedy in remedy_for(why)


async def test_a_machine_without_git_is_told_what_brings_it(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = {one.name: one for one in await machine_report(data)}["git"]
    assert (found.ok, found.here, found.remedy) == (True, False, "apt-get install git")


# ENV-1
async def test_the_bwrap_that_comes_with_heal_is_taken_where_the_system_has_none_or_an_old_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: Path
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (packaged,) = bwrap_commands()
    assert await find_bwrap() == packaged
    assert (await probe(data, "bubblewrap")).sandbox is not None
    assert not why_unusable("auto")
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bwrap_commands() == (str(old), packaged)
    assert await find_bwrap() == packaged


DOCTOR = """
import asyncio, json, sys
from pathlib import Path
from healing.environment.doctor import machine_report
from healing.sandbox.probe import probe
from healing.process.shell import run
data = Path(sys.argv[1])
found = [[one.name, one.ok, one.detail, one.remedy] for one in asyncio.run(machine_report(data))]
print(json.dumps([asyncio.run(probe(data)).sandbox is None, found]))
"""


# WT-5
async def test_where_no_back_end_works_none_is_taken_and_the_doctor_says_what_to_install(data: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user can't put up the filter that stands for such a machine")
    container = Path(__file__).with_name("escapes") / "container.py"
    top = str(Path(__file__).parents[2])
    argv = [sys.executable, str(container), "--bare", sys.executable, "-c", DOCTOR, str(data)]
    ended = await run(argv, cwd=Path("/"), env={"PATH": os.defpath, "PYTHONPATH": top}, timeout=60)
    nothing, findings = json.loads(ended.output)
    found = {name: (ok, detail, mend) for name, ok, detail, mend in findings}
    assert nothing
    for name, mend in (("bubblewrap", "systempaths=unconfined"), ("landlock", "boot Linux 6.7 or newer")):
        ok, detail, words = found[f"sandbox: {name}"]
        assert (ok, "does not work here" in detail, mend in words) == (False, True, True), found
