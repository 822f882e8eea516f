"""The walls hold as well around a worktree that is an overlay: every attack again, mounted for it alone (WT-5)."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain
from healing.process.owner import Owner, hand_over
from healing.process.shell import Completed
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.layers import Layers
from healing.sandbox.probe import probe
from tests.sandbox.attacks import ATTACKS
from tests.sandbox.host import host
from tests.sandbox.test_promises import attack, escapes


class Overlaid:
    """Bubblewrap, with every worktree as a layer over an empty folder."""

    def __init__(self, sandbox: Sandbox, room: Path) -> None:
        self.name, self.promises, self.owner = sandbox.name, sandbox.promises, sandbox.owner
        self.layered, self.own_loopback = True, sandbox.own_loopback
        self.inside = sandbox.inside
        self._sandbox = sandbox
        self._layers = Layers(room / "lower", room / "work", room / "joined")
        for folder in (self._layers.lower, self._layers.work, self._layers.joined):
            folder.mkdir(parents=True)
            hand_over(folder, self.owner)

    async def run(self, job: Job) -> Completed:
        return await self._sandbox.run(replace(job, layers=self._layers))


@pytest.fixture
def overlaid(worktree: Path, probed: dict[str, Sandbox]) -> Iterator[Overlaid]:
    sandbox = probed.get("bubblewrap")
    if sandbox is None or not sandbox.layered:
        pytest.skip("no overlay can be mounted here")
    room = worktree.with_name(worktree.name + "-layers")
    room.mkdir()
    room.chmod(0o711)
    yield Overlaid(sandbox, room)
    shutil.rmtree(room)


# WT-5
@pytest.mark.parametrize("row", sorted(ATTACKS))
async def test_an_overlay_keeps_what_its_back_end_promises(
    row: str,
    overlaid: Overlaid,
    owner: Owner | None,
    worktree: Path,
    toolchain: Toolchain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEAL_TEST_SECRET", "canary")
    with host(owner) as target:
        ended = await attack(overlaid, ATTACKS[row], target, worktree, toolchain)
        assert escapes(ended, ATTACKS[row], target) == [], ended.output.decode(errors="replace")
        assert ended.why == ATTACKS[row].killed
        assert ended.why or ended.exit_code == 0, ended.output.decode(errors="replace")


async def test_a_back_end_without_overlays_refuses_such_a_job_in_words(
    data: Path, worktree: Path, sandbox: Sandbox
) -> None:
    if sandbox.layered:
        pytest.skip(f"{sandbox.name} has overlays here")
    ended = await sandbox.run(Job(("true",), worktree, layers=Layers(worktree, worktree, worktree)))
    assert ended.exit_code is None
    assert "give the command a whole worktree" in ended.why


async def test_a_folder_that_no_mount_can_name_is_reported(data: Path, probed: dict[str, Sandbox]) -> None:
    looked = await probe(data, "bubblewrap")
    if looked.sandbox is None or not looked.sandbox.layered:
        pytest.skip("no overlay can be mounted here")
    odd = data / "a,b:c"
    ended = await looked.sandbox.run(Job(("true",), odd / "root", layers=Layers(odd, odd, odd)))
    assert "keep Heal's data in another folder" in ended.why
