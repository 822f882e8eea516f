"""Clones with an environment of their own, and the real command in a developer's shell."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import HERE, Said, git, write

SHOP = "def total(prices: list[int]) -> int:\n    return sum(prices)\n"
TEST = "import unittest\nfrom shop import total\n\n\nclass Total(unittest.TestCase):\n    def test_sum(self) -> None:\n"
TEST += "        self.assertEqual(total([1, 2]), 3)\n"


@dataclass(frozen=True)
class Shell:
    """A developer's shell: a home of mode 700, a clone in it, and Heal called by its whole path."""

    home: Path
    data: Path

    def environment(self, clone: Path, **more: str) -> dict[str, str]:
        path = f"{clone / '.venv' / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        heal = {"HEAL_DATA": str(self.data), "PYTHONPATH": str(HERE)}
        return {"PATH": path, "HOME": str(self.home), **heal, **more}

    def heal(self, clone: Path, *words: str, **more: str) -> Said:
        """`heal …` in the clone."""
        done = subprocess.run(
            [sys.executable, "-m", "bot", *words],
            cwd=clone,
            env=self.environment(clone, **more),
            capture_output=True,
            timeout=180,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def clone(self, name: str, files: dict[str, str]) -> Path:
        """One commit on `main`, and a virtual environment without pip that git ignores."""
        folder = self.home / "src" / name
        folder.mkdir(parents=True)
        write(folder, {".gitignore": ".venv/\n__pycache__/\n.env\n", **files})
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "--all")
        git(folder, "commit", "-q", "-m", "Open the shop")
        make_environment(folder / ".venv")
        return folder


def make_environment(folder: Path) -> None:
    """A real virtual environment, of the interpreter that Heal's own was made from."""
    python = Path(sys.base_prefix) / "bin" / "python3"
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
