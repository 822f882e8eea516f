"""Programs that tests drive, of Heal's own environment and of the machine."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from healing.sandbox.environment import SYSTEM_PATH

TOOLS = Path(sys.executable).parent


def needs(program: str, package: str) -> None:
    """Skips a test where the sandbox would not find a program; CI has to have it."""
    if shutil.which(program, path=SYSTEM_PATH):
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI must have {program}: install {package}")
    pytest.skip(f"{program} is not installed (Debian: {package})")


def of_programs_lock(name: str) -> Path:
    """A real program that only tests need (tests/programs.lock). Skips the test where there is none; CI has to have
    it."""
    ours = Path(__file__).parents[1] / ".venv-programs" / "bin" / name  # where CI installs it
    found = next((one for one in (ours, Path(shutil.which(name) or "/none")) if one.is_file()), None)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {name}: tests/programs.lock")
        pytest.skip(f"{name} is not installed: pip install {name}")
    return found
