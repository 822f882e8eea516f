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
