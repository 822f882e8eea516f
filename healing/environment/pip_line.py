"""The line that installs a Python package where a person's checks find it.

`pip install X` is right only where the shell's `pip` belongs to the Python that checks use. A system's own Python
refuses it (PEP 668), in a shell where Heal's environment is active it installs beside Heal, and an environment that uv
made has no pip.
"""

import os
import re
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from healing.sandbox.view import View

NEW = ".venv"  # checks use the clone's own environment of this name where no other is active
VERSIONED = re.compile(r"python(3\.\d{1,3})\w?\Z")


def pip_line(words: str, view: View) -> str:
    """The line to type in the clone's top folder so that `pip install <words>` reaches the environment of checks."""
    path = view.env.get("PATH", "")
    found = shutil.which("python3", path=path) or shutil.which("python", path=path)
    if found is None:
        return f"install Python 3, then {_in_new('python3', words)}"
    python = Path(found)
    if (python.parent.parent / "pyvenv.cfg").is_file():
        return _in_environment(python, words, view)
    own = next((name for name in ("pip", "pip3") if _is_of_shell(python.parent / name)), "")
    if own and os.access(python.parent, os.W_OK) and not _managed(python):
        return f"{own} install {words}"
    return _without_ensurepip(python) + _in_new(python.name, words)


def beside_heal(words: str) -> str:
    """The line that installs packages into the environment that Heal itself runs in, whichever shell it is typed in."""
    python = shlex.quote(sys.executable)
    has_pip = any((Path(sysconfig.get_path(name)) / "pip").is_dir() for name in ("purelib", "platlib"))
    return f"{'' if has_pip else f'{python} -m ensurepip && '}{python} -m pip install {words}"


def _in_environment(python: Path, words: str, view: View) -> str:
    """Into a virtual environment: by its own pip, by uv where it has none, else by the pip that Python brings along."""
    if _is_of_shell(python.parent / "pip"):
        return f"pip install {words}"
    if (python.parent / "pip").exists():
        return f"{_typed(python.parent / 'pip', view)} install {words}"
    command = _typed(python, view)
    if _shell_has("uv"):
        return f"uv pip install --python {command} {words}"
    return f"{_without_ensurepip(python)}{command} -m ensurepip && {command} -m pip install {words}"


def _in_new(python: str, words: str) -> str:
    return f"{python} -m venv {NEW} && {NEW}/bin/pip install {words}"


def _is_of_shell(program: Path) -> bool:
    """Whether the person's shell starts this program when its name is typed."""
    started = shutil.which(program.name)
    return started is not None and os.path.realpath(Path(started).parent) == os.path.realpath(program.parent)


def _shell_has(program: str) -> bool:
    return shutil.which(program) is not None


def _typed(program: Path, view: View) -> str:
    """The program as it is typed in the clone's top folder."""
    inside = program.is_relative_to(view.root)
    return shlex.quote(str(program.relative_to(view.root) if inside else program))


def _managed(python: Path) -> bool:
    """Whether pip refuses to install beside this Python, because the system's packages belong there (PEP 668)."""
    library = _library(python)
    return library is not None and (library / "EXTERNALLY-MANAGED").exists()


def _without_ensurepip(python: Path) -> str:
    """What comes first where environments can't be given a pip: Debian keeps that in a package of its own."""
    library = _library(python)
    return "apt-get install python3-venv && " if library and not (library / "ensurepip").is_dir() else ""


def _library(python: Path) -> Path | None:
    """The folder of this Python's standard library, by its real place; None where that can't be told, as for the small
    scripts that version managers put in its place."""
    real = Path(os.path.realpath(python))
    version = VERSIONED.match(real.name)
    folder = real.parent.parent / "lib" / (f"python{version[1]}" if version else "none")
    return folder if folder.is_dir() else None
