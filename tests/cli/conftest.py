"""The real command in a process of its own, on real clones, with a data folder that the sandbox's user can reach."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.shop import BROKEN, GREEN
from tests.commands.calling import Ended as Said
from tests.commands.calling import call
from tests.toolchains import laid_out

HERE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Heal:
    """`heal …` with exactly this environment. Calling it gives the finished process, its output as text."""

    data: Path
    home: Path
    tools: Path  # the programs of a developer of the clones

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "HEAL_DATA": str(self.data),
            "PYTHONPATH": str(HERE),
            **more,
        }

    def __call__(self, *words: str, cwd: Path, stdin: bytes = b"", **env: str) -> Said:
        return call(words, cwd, self.environment(**env), stdin)

    def start(self, *words: str, cwd: Path, **popen: object) -> "subprocess.Popen[bytes]":
        """Begins it, with nobody waiting."""
        return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
            [sys.executable, "-m", "bot", *words],
            cwd=cwd,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **popen,
        )


@pytest.fixture(scope="session")
def room() -> Iterator[Path]:
    """Not tmp_path: pytest makes that one private to root, where the sandbox's user can't pass through."""
    folder = Path(tempfile.mkdtemp(prefix="heal-test-cli-"))
    folder.chmod(0o711)
    (folder / "home").mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def tools(room: Path) -> Path:
    """What a developer has installed, apart from Heal's own environment: Python, ruff, black, mypy and pytest."""
    place = room / "developer"
    place.mkdir()
    return laid_out(place, None).bin


@pytest.fixture(scope="session")
def heal(room: Path, tools: Path) -> Heal:
    """One data folder for all tests."""
    return Heal(room / "data", room / "home", tools)


def git(clone: Path, *words: str) -> str:
    """Real git, as nobody in particular."""
    who = ("-c", "user.name=Noor", "-c", "user.email=noor@example.com")
    done = subprocess.run(["git", *who, *words], cwd=clone, capture_output=True, text=True, check=True)
    return done.stdout


def make_clone(folder: Path, files: dict[str, str], change: dict[str, str]) -> Path:
    """A clone with `files` committed and `change` lying in its working tree, not committed."""
    folder.mkdir()
    write(folder, files)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "Open the shop")
    write(folder, change)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def everything(clone: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file of a clone; of git's own what says what is staged and where HEAD is."""
    files = [p for p in clone.rglob("*") if p.is_file() and not p.is_symlink()]
    kept = [p for p in files if ".git" not in p.parts or p.name in ("HEAD", "index", "config")]
    return {str(p.relative_to(clone)): (p.stat().st_mode, p.read_bytes()) for p in kept}


@pytest.fixture(scope="module")
def broken(room: Path, request: pytest.FixtureRequest) -> Path:
    """A clone whose working tree is red in ways that cost nothing to cure, but for one."""
    return make_clone(room / request.module.__name__, GREEN, BROKEN)
