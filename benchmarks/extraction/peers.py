"""The peers: a regular expression of the first day, and reviewdog's errorformat with all formats that it ships.

errorformat is built from Debian's source package (`golang-github-reviewdog-errorformat-dev`) by Debian's Go, without a
network. It gives no line of the log, so that what only that could show is not held against it.
"""

import hashlib
import json
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"(?P<file>[\w./\\-]+\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?:? *(?P<message>\S.*)")
_GO = "/usr/bin/go"
_SOURCES = Path("/usr/share/gocode")
_LIBRARY = _SOURCES / "src/github.com/reviewdog/errorformat"
_PROGRAM = Path(__file__).parent / "errorformat" / "main.go"


def regex(text: str) -> list[dict[str, Any]]:
    """What the regular expression reads."""
    found = ((number, _PLACE.search(line)) for number, line in enumerate(text.split("\n"), 1))
    return [
        {
            "file": match["file"],
            "line": int(match["line"]),
            "column": int(match["column"]) if match["column"] else None,
            "message": match["message"],
            "log_line": number,
        }
        for number, match in found
        if match
    ]


def errorformat(text: str) -> list[dict[str, Any]]:
    """What errorformat reads. Zeros are what it did not find."""
    ran = subprocess.run([_built()], input=text.encode("utf-8", "replace"), capture_output=True, check=True)
    entries = [json.loads(line) for line in ran.stdout.splitlines()]
    return [{key: value or None for key, value in entry.items()} for entry in entries]


def has_errorformat() -> bool:
    """Whether it can be built here."""
    return Path(_GO).exists() and _LIBRARY.is_dir()


@cache
def _built() -> Path:
    """The program, built once for each version of its source."""
    key = hashlib.sha256(_PROGRAM.read_bytes()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir(), f"heal-errorformat-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    program = folder / key
    if not program.exists():
        environment = {"GO111MODULE": "off", "GOPATH": str(_SOURCES), "GOCACHE": str(folder / "cache")}
        environment |= {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GOFLAGS": ""}
        building = program.with_suffix(".building")
        subprocess.run([_GO, "build", "-o", building, _PROGRAM], check=True, env=environment, cwd=folder)
        building.rename(program)
    return program
