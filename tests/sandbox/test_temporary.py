"""Temporary folders outlive nobody: they are held by a lock, and what nobody holds is swept."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from healing.process.owner import Owner, hand_over
from healing.sandbox.probe import probe
from healing.sandbox.temporary import private_folder, sweep, sweep_unfinished, unfinished

MAKER = """
import asyncio, sys, time
from pathlib import Path
from healing.sandbox.temporary import private_folder, unfinished
async def main():
    async with private_folder(None) as one:
        with unfinished(Path(sys.argv[1])) as other:
            (one / "file").touch()
            print(one, other, flush=True)
            time.sleep(600)
asyncio.run(main())
"""


# OP-3
def test_what_a_living_process_holds_stays_and_what_a_killed_one_held_is_swept(tmp_path: Path) -> None:
    # The number of a process tells nothing: the kernel deals it out again, and a container has its own.
    command = [sys.executable, "-c", MAKER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdout is not None
        temporary, making = (Path(name) for name in maker.stdout.readline().split())
        sweep(None)
        assert sweep_unfinished(tmp_path) == ()
        assert (temporary.exists(), making.exists()) == (True, True)
        maker.send_signal(signal.SIGKILL)
    sweep(None)
    assert sweep_unfinished(tmp_path) == (making.name,)
    assert (temporary.exists(), making.exists()) == (False, False)


# OP-3
def test_a_leftover_goes_although_its_name_has_the_number_of_a_living_process(tmp_path: Path) -> None:
    left = Path(tempfile.mkdtemp(prefix=f".making-{os.getpid()}-", dir=tmp_path))
    assert sweep_unfinished(tmp_path) == (left.name,)


async def test_a_leftover_that_was_closed_by_its_user_is_swept_at_the_next_probe(
    data: Path, owner: Owner | None
) -> None:
    left = Path(tempfile.mkdtemp(prefix="heal-tmp-"))
    (left / "closed").mkdir()
    (left / "closed" / "file").touch()
    (left / "closed").chmod(0)
    hand_over(left, owner)
    left.chmod(0)
    async with private_folder(owner) as mine:
        await probe(data)
        assert (left.exists(), mine.exists()) == (False, True)


def test_what_was_made_stays_in_its_place_and_nothing_else_is_touched(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    mode = tmp_path.stat().st_mode
    with unfinished(tmp_path) as made:
        (made / "file").touch()
        made.rename(tmp_path / "place")
    assert [path.name for path in tmp_path.iterdir()] == ["place"]
    assert (tmp_path / "place" / "file").exists()
    assert tmp_path.stat().st_mode == mode


def test_a_link_with_the_name_of_a_leftover_leads_the_sweep_nowhere(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / ".making-link").symlink_to(kept)
    assert sweep_unfinished(tmp_path) == ()
    assert kept.exists()


async def test_a_folder_deeper_than_any_recursion_and_any_path_is_removed(owner: Owner | None) -> None:
    async with private_folder(owner) as mine:
        at = os.open(mine, os.O_DIRECTORY)
        for _ in range(1200):
            os.mkdir("d" * 20, dir_fd=at)
            inner = os.open("d" * 20, os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = inner
        os.close(at)
    assert not mine.exists()
