"""Every row of the table in docs/security.md, attacked on every back end that promises it (WT-5)."""

import json
import re
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain
from healing.process.owner import Owner
from healing.process.shell import Completed
from healing.sandbox import promises
from healing.sandbox.environment import CLEAN
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.landlock import kept
from healing.sandbox.none import Unsafe
from tests.sandbox.attacks import ATTACKS, PRELUDE, Attack
from tests.sandbox.escapes.catalogue import CATALOGUE
from tests.sandbox.escapes.floods import FLOODS, SLOW, free_now
from tests.sandbox.host import Host, host

SECURITY = Path(__file__).parents[2] / "docs" / "security.md"


async def attack(sandbox: Sandbox, attack: Attack, target: Host, worktree: Path, toolchain: Toolchain) -> Completed:
    known = [*CLEAN, "HOME", "TMPDIR", *toolchain.env]
    script = PRELUDE + attack.script + "\nprint('TRIED', flush=True) if 'path' not in dir() else None\n"
    argv = ("python", "-c", script, json.dumps(target.told()), json.dumps(known))
    job = Job(argv, worktree, env=toolchain.env, readable=toolchain.readable, limits=attack.limits)
    return await sandbox.run(job)


def escapes(ended: Completed, attack: Attack, target: Host) -> list[str]:
    lines = [line for line in ended.output.decode(errors="replace").splitlines() if line.startswith("ESCAPED")]
    return [line for line in (*lines, attack.seen(target, ended)) if line]


# WT-5
@pytest.mark.parametrize("row", sorted(ATTACKS))
async def test_a_back_end_keeps_what_it_promises(
    row: str,
    sandbox: Sandbox,
    owner: Owner | None,
    worktree: Path,
    toolchain: Toolchain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if row not in sandbox.promises:
        pytest.skip(f"{sandbox.name} does not promise it: {row}")
    monkeypatch.setenv("HEAL_TEST_SECRET", "canary")
    with host(owner) as target:
        ended = await attack(sandbox, ATTACKS[row], target, worktree, toolchain)
        assert escapes(ended, ATTACKS[row], target) == [], ended.output.decode(errors="replace")
        assert ended.why == ATTACKS[row].killed
        assert ended.why or ended.exit_code == 0, ended.output.decode(errors="replace")


# WT-5 WT-6
@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow if one in SLOW else ()) for one in FLOODS])
async def test_a_back_end_holds_what_floods_it(
    name: str, sandbox: Sandbox, owner: Owner | None, worktree: Path, toolchain: Toolchain
) -> None:
    promise, flood = FLOODS[name]
    if promise not in sandbox.promises:
        pytest.skip(f"{sandbox.name} does not promise it: {promise}")
    with host(owner) as target:
        ended = await attack(sandbox, free_now(flood, worktree), target, worktree, toolchain)
        assert escapes(ended, flood, target) == [], ended.output.decode(errors="replace")[-2000:]
        assert ended.why.startswith(flood.killed)
        assert bool(ended.why) == bool(flood.killed), ended
        assert ended.seconds < 20


@pytest.mark.parametrize("row", sorted(row for row, one in ATTACKS.items() if one.control))
async def test_the_attacks_succeed_where_nothing_is_kept_apart(
    row: str, owner: Owner | None, worktree: Path, toolchain: Toolchain
) -> None:
    with host(owner) as target:
        ended = await attack(Unsafe(owner), ATTACKS[row], target, worktree, toolchain)
        assert escapes(ended, ATTACKS[row], target), ended


def test_every_promise_has_an_attack_or_a_test_of_its_own() -> None:
    attempted = {one.promise for table in CATALOGUE.values() for one in table.values()}
    flooded = {promise for promise, _ in FLOODS.values()}
    assert promises.EVERY - set(ATTACKS) - attempted - flooded == {promises.DIES_WITH_HEAL, promises.SETUP_NETWORK}


def test_the_table_in_the_docs_says_what_the_back_ends_promise() -> None:
    rows = re.findall(r"^\| ([^|]+?) \| (yes|no) \| (yes|no|6) \| (yes|no) \|", SECURITY.read_text(), re.M)
    assert {row for row, *_ in rows} == promises.EVERY
    assert {row for row, bubblewrap, _, _ in rows if bubblewrap == "yes"} == promises.EVERY
    assert {row for row, _, landlock, _ in rows if landlock == "yes"} == kept(4)
    assert {row for row, _, landlock, _ in rows if landlock != "no"} == kept(6)
    assert {row for row, _, _, unsafe in rows if unsafe == "yes"} == promises.UNSAFE
