"""No secret where repo code runs: unique canaries lie all around Heal, and a pull request's own test looks for them."""

import asyncio
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conversation.page import Page
from tests.conversation.small_repo import ONE_SLIP
from tests.world import OpenWorld, World

HUNT = """\
import os
import time

NEEDLES = [bytes.fromhex(text) for text in {needles!r}]
SKIPPED = ("/proc", "/sys", "/dev/pts", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/var/lib")
found, looked = [], 0
until = time.monotonic() + 3


def look(path):
    global looked
    try:
        with open(path, "rb") as file:
            said = file.read(1 << 20)
    except OSError:
        return
    looked += 1
    found.extend(f"needle {{n}} in {{path}}" for n, needle in enumerate(NEEDLES) if needle in said)


def walk(start):
    for root, folders, files in os.walk(start):
        if time.monotonic() > until:
            return
        folders[:] = [name for name in folders if os.path.join(root, name) not in SKIPPED][:500]
        for name in files[:500]:
            if os.path.isfile(os.path.join(root, name)):
                look(os.path.join(root, name))


def processes():
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def hunt(*everywhere):
    for start in [*{places!r}, os.getcwd(), os.path.expanduser("~"), *everywhere]:
        walk(start)
    for pid in [*processes(), *{pids!r}, "self"]:
        for what in ("environ", "cmdline"):
            look(f"/proc/{{pid}}/{{what}}")
    environment = repr(dict(os.environ)).encode()
    found.extend(f"needle {{n}} in os.environ" for n, needle in enumerate(NEEDLES) if needle in environment)
    os.system("git config --list --show-origin > git-says.txt 2>&1")
    look("git-says.txt")


def test_hunt():
    hunt("/")
    assert not looked, f"looked at {{looked > 5}}, found {{found}}"
"""


class Canaries:
    """Secrets by the place where they lie."""

    def __init__(self, w: World) -> None:
        self.word = {place: f"canary-{secrets.token_hex(12)}" for place in ("environment", "git", "file", "private")}
        self.of_heal = [w.app.webhook_secret, w.app.private_key.splitlines()[3], w.app.private_key.splitlines()[-3]]

    def all(self) -> list[str]:
        return [*self.word.values(), *self.of_heal]


def plant(w: World, planted: Canaries, patch: pytest.MonkeyPatch) -> list[Path]:
    """Puts them where Heal's own are; gives the files."""
    patch.setenv("GITHUB_TOKEN", planted.word["environment"])
    patch.setenv("HEAL_WEBHOOK_SECRET", planted.of_heal[0])
    patch.setenv("HEAL_PRIVATE_KEY", w.app.private_key)
    config = w.folder / "gitconfig"
    config.write_text(f"[http]\n\textraHeader = AUTHORIZATION: bearer {planted.word['git']}\n")
    patch.setenv("GIT_CONFIG_GLOBAL", str(config))
    file, private = w.folder / "heal" / "secret.txt", w.folder / "heal" / "keys" / "app.pem"
    private.parent.mkdir()
    file.write_text(planted.word["file"])
    private.write_text(planted.word["private"] + w.app.private_key)
    for path in (config, file, private):
        path.chmod(0o644)  # even so
    return [config, file, private]


# WT-4 WT-5 OP-5
async def test_no_canary_is_found_from_inside_a_check_or_in_anything_that_heal_keeps_or_posts(
    world: OpenWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(fresh=True) as w:
        planted = Canaries(w)
        files = plant(w, planted, monkeypatch)
        hunt = HUNT.format(
            needles=[word.encode().hex() for word in planted.all()],
            places=[str(w.folder / "heal"), str(w.folder), str(Path.home())],
            pids=[str(pid) for pid in (os.getpid(), os.getppid(), 1)],
        )
        assert await asyncio.to_thread(outside, hunt, w.folder) == {str(n) for n in range(len(planted.all()))}
        pr = await w.healed({**ONE_SLIP, "test_hunt.py": hunt})
        (run,) = await pr.runs()
        assert run.outcome is not None
        (reported,) = [e for e in run.outcome.errors if e.test and "test_hunt" in e.test]
        assert "looked at True, found []" in reported.message, reported.message
        assert len(pr.standing()) == 1
        assert_nowhere(w, pr, [*planted.all(), *w.hub.tokens], files)
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


def outside(hunt: str, folder: Path) -> set[str]:
    """What the same hunt finds where nothing is kept apart: the number of each needle."""
    argv = [sys.executable, "-c", hunt + "\nhunt()\nprint(*{said.split()[1] for said in found})\n"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, check=True, text=True)
    return set(done.stdout.split())


def assert_nowhere(w: World, pr: Page, words: list[str], planted: list[Path]) -> None:
    """Not in what was posted, in CI's logs, or in any file below Heal's data folder but the planted ones."""
    output = [text.encode() for text in pr.everything()] + [job.log or b"" for job in w.hub.jobs.values()]
    kept = [path for path in (w.folder / "heal").rglob("*") if path.is_file() and path not in planted]
    assert any(path.name.startswith("heal.db") for path in kept)
    texts = [*output, *(path.read_bytes() for path in kept)]
    assert not [word for word in words for text in texts if word.encode() in text]
