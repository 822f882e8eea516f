"""The golden samples, and the ways a log reaches us: raw, or inside an Actions job log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent / "samples"
HEADER = [
    "##[group]Run make check",
    "\x1b[36;1mmake check\x1b[0m",
    "\x1b[36;1mecho lib/echoed.py:3:1: F401 `os` imported but unused\x1b[0m",
    "shell: /usr/bin/bash -e {0}",
    "##[endgroup]",
]
FOOTER = ["Post job cleanup.", "Cleaning up orphan processes"]


def all_samples() -> list[Path]:
    return sorted(SAMPLES.glob("*/*.log"))


def expected(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.with_suffix(".json").read_text())


def stamped(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"2026-01-05T10:{number // 60 % 60:02d}:{number % 60:02d}.1234567Z {line}"


def as_job_log(log: bytes, *, failed: bool = True) -> bytes:
    """The same output as the runner stores it: byte order mark, timestamps, heading, colours, exit code, last words."""
    body = [f"\x1b[31m\x1b[1m{line}\x1b[0m" if n % 3 else line for n, line in enumerate(log.decode().split("\n")[:-1])]
    lines = [*HEADER, *body, *(["##[error]Process completed with exit code 1."] if failed else []), *FOOTER]
    return ("\ufeff" + "\n".join(stamped(lines)) + "\n").encode()
