"""Virtual environments that poetry and pipenv keep outside of the project, under a name derived from its path."""

import base64
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path


def kept_elsewhere(root: Path, home: Path, variables: Mapping[str, str]) -> Path | None:
    """The newest environment that was created for the clone at `root`; None where it has none. The tools themselves are
    not asked, since that would run them on the files of the clone."""
    venvs = [env for env in (*_of_poetry(root, home, variables), *_of_pipenv(root, home, variables)) if _is_venv(env)]
    return max(venvs, key=lambda one: (one / "pyvenv.cfg").stat().st_mtime_ns, default=None)


def _of_poetry(root: Path, home: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    if not ((root / "poetry.lock").is_file() or "[tool.poetry" in text_of(root / "pyproject.toml")):
        return
    cache = Path(variables.get("XDG_CACHE_HOME") or home / ".cache") / "pypoetry"
    cache = Path(variables.get("POETRY_CACHE_DIR") or cache)
    folder = Path(variables.get("POETRY_VIRTUALENVS_PATH") or cache / "virtualenvs")
    with suppress(OSError):
        yield from folder.glob(f"*-{mark(root)}-py*")


def _of_pipenv(root: Path, home: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    if not (root / "Pipfile").is_file():
        return
    data = Path(variables.get("XDG_DATA_HOME") or home / ".local" / "share")
    folder = Path(variables.get("WORKON_HOME") or data / "virtualenvs")
    with suppress(OSError):
        yield from folder.glob(f"*-{mark(root / 'Pipfile')}")


def mark(path: Path) -> str:
    """The part of the name that distinguishes projects; both tools derive it from the path in this way."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(path))).digest()
    return base64.urlsafe_b64encode(digest).decode()[:8]


def _is_venv(folder: Path) -> bool:
    try:
        return (folder / "pyvenv.cfg").is_file()
    except OSError:
        return False


def text_of(file: Path) -> str:
    """The first MiB of a file as text; empty where it can't be read."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(1 << 20)
    except OSError:
        return ""
