"""Clones with an environment of their own, and the real command in a developer's shell."""

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import HERE, Said, git, write
from tests.commands.calling import call

SHOP = "def total(prices: list[int]) -> int:\n    return sum(prices)\n"
TEST = "import unittest\nfrom shop import total\n\n\nclass Total(unittest.TestCase):\n    def test_sum(self) -> None:\n"
TEST += "        self.assertEqual(total([1, 2]), 3)\n"
SOURCE = {
    "src/shop.py": SHOP,
    "tests/test_shop.py": TEST,
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
}
UNITTEST = "python -m unittest discover -q -s tests"
BROKEN = SHOP.replace("sum(prices)", "sum(prices) + 1")


@dataclass(frozen=True)
class Shell:
    """A developer's shell: a home of mode 700, a clone in it, and Heal called by its whole path."""

    home: Path
    data: Path
    start: tuple[str, ...] = (sys.executable,)  # Heal's interpreter, as the developer
    owner: int | None = None  # where the developer is another user than this process
    libraries: str = ""  # further folders of what Heal imports

    def environment(self, clone: Path, **more: str) -> dict[str, str]:
        path = f"{clone / '.venv' / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        heal = {"HEAL_DATA": str(self.data), "PYTHONPATH": f"{HERE}{self.libraries}"}
        return {"PATH": path, "HOME": str(self.home), **heal, **more}

    def heal(self, clone: Path, *words: str, **more: str) -> Said:
        """`heal …` in the clone."""
        if self.start == (sys.executable,):
            return call(words, clone, self.environment(clone, **more), seconds=180)
        done = subprocess.run(
            [*self.start, "-m", "bot", *words],
            cwd=clone,
            env=self.environment(clone, **more),
            capture_output=True,
            timeout=180,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def clone(self, name: str, files: dict[str, str]) -> Path:
        """One commit on `main`, and a virtual environment without pip that git ignores.

        Each in a place of its own: the tests of one process share this home, whichever of them it is given.
        """
        sources = self.home / "src"
        sources.mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=sources)) / name
        folder.mkdir()
        write(folder, {".gitignore": ".venv/\n__pycache__/\n.env\n", **files})
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "--all")
        git(folder, "commit", "-q", "-m", "Open the shop")
        make_environment(folder / ".venv", self.base)
        if self.owner is not None:
            subprocess.run(["chown", "-R", f"{self.owner}:{self.owner}", self.home], check=True)
        return folder

    @property
    def base(self) -> Path:
        """The interpreter that the developer's environments are made from."""
        return Path(self.start[-1]) if self.owner is not None else Path(sys.base_prefix) / "bin" / "python3"


def make_environment(folder: Path, python: Path = Path(sys.base_prefix) / "bin" / "python3") -> None:
    """A real virtual environment, of the interpreter that Heal's own was made from."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, timeout=60)


def packages(clone: Path) -> Path:
    (found,) = (clone / ".venv" / "lib").glob("python*/site-packages")
    return found


@pytest.fixture(scope="session")
def shell() -> Iterator[Shell]:
    place = Path(tempfile.mkdtemp(prefix="heal-test-shell-"))
    place.chmod(0o711)
    home = place / "home"
    home.mkdir(mode=0o700)
    yield Shell(home, place / "data")
    shutil.rmtree(place)


PERSON = 51_117  # the number of a user who is nobody else's


@pytest.fixture(scope="session")
def person() -> Iterator[Shell]:
    """An ordinary user with a home of mode 700: another one than this process where that is root."""
    place = Path(tempfile.mkdtemp(prefix="heal-test-person-"))
    place.chmod(0o711)
    home = place / "home"
    home.mkdir(mode=0o700)
    if os.geteuid() != 0:
        yield Shell(home, home / "data")
    else:
        os.chown(home, PERSON, PERSON)
        become = ("setpriv", f"--reuid={PERSON}", f"--regid={PERSON}", "--clear-groups", "--", "env")
        libraries = f":{sysconfig.get_path('purelib')}"
        yield Shell(home, home / "data", (*become, _interpreter(become)), PERSON, libraries)
    shutil.rmtree(place)


def _interpreter(become: tuple[str, ...]) -> str:
    """A Python of this version that the user can start: root's own may lie in root's home."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (f"{sys.base_prefix}/bin/{version}", f"/usr/local/bin/{version}", f"/usr/bin/{version}"):
        with contextlib.suppress(OSError):
            if (
                subprocess.run([*become, python, "-c", "import asyncio"], capture_output=True, check=False).returncode
                == 0
            ):
                return python
    raise AssertionError(f"an ordinary user of this machine can start no {version}")
