"""A real uv for the sandboxed user, for tests that need one."""

import os
import shutil
import sys
from pathlib import Path

import pytest

PROJECT = """
[project]
name = "mine"
version = "1"
requires-python = ">=3.11"
dependencies = ["heal-demo"]
[tool.uv]
package = false
index-url = "https://hostile.example/simple"
"""
LOCK = """
version = 1
requires-python = ">=3.11"
[[package]]
name = "heal-demo"
version = "1.0"
source = {{ registry = "https://{where}/simple" }}
wheels = [{{ url = "https://{where}/{wheel}", hash = "sha256:{hash}", size = {size} }}]
[[package]]
name = "mine"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "heal-demo" }}]
[package.metadata]
requires-dist = [{{ name = "heal-demo" }}]
"""


def needs_uv(data: Path) -> Path:
    """A folder below `data` with the program in it. Skips the test where there is none; a script that chooses among
    several is none."""
    ours = Path(__file__).parents[1] / ".venv-programs" / "bin"  # where CI installs it
    there = (Path(folder, "uv") for folder in (ours, *os.get_exec_path(), str(Path(sys.base_prefix, "bin"))))
    program = next((one for one in there if one.is_file() and _begins(one, b"\x7fELF")), None)
    if program is None:
        pytest.skip("uv is not installed: pip install uv")
    folder = data / "programs"
    if not folder.exists():
        folder.mkdir(mode=0o755)
        shutil.copy(program, folder / "uv")
        (folder / "uv").chmod(0o755)
    return folder


def _begins(path: Path, how: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(how)) == how
