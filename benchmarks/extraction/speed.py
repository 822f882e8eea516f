"""A generated job log, mostly noise, read in a process of its own: speed and peak memory.

`python -m benchmarks.extraction.speed heal|regex MEGABYTES` prints seconds, peak kilobytes and errors found.
"""

import contextlib
import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SEED = 20261122
_LINES = 20_000  # of one round of noise; rounds repeat
_PLANTED = 500  # rounds' ends that hold an error: one of a kind each
_NOISE = (
    "Downloading https://files.example/packages/{word}-{a}.{b}.{c}.tar.gz ({n} kB)",
    "Collecting {word}=={a}.{b}",
    "  Using cached {word}-{a}.{b}.{c}-py3-none-any.whl (metadata)",
    "[{a}/{n}] Building CXX object src/CMakeFiles/{word}.dir/{word}.cc.o",
    "tests/{word}/test_{word}.py::test_{word}_{n} PASSED [ {b}%]",
    "ok      example.org/{word}/pkg{a}  0.{n}s",
    "test {word}::tests::{word}_{n} ... ok",
    "   Compiling {word} v{a}.{b}.{c}",
    "{n:05d} INFO {word}.server: request {n} took 0.{c}s",
    "PASS src/{word}/{word}.test.ts ({a}.{b} s)",
    "    ✓ {word} does what it says ({n} ms)",
    "remote: Counting objects: {b}% ({n}/{n}), done.",
    "+ {word} --level {a} --out build/{word}/{n}",
    "Unpacking lib{word}{a}:amd64 ({a}.{b}.{c}-1) ...",
    "added {n} packages in {a}s",
    "2026/01/05 10:{a:02d}:{b:02d} {word}: listening on 127.0.0.1:{n}",
)
_WORDS = ("till", "coin", "drawer", "price", "ledger", "receipt", "basket", "voucher", "customer", "shelf")
_PEER = re.compile(r"(?:error|warning|fatal|fail(?:ed|ure)?|[\w./\\-]+\.\w+:\d+(?::\d+)?:? \S)", re.IGNORECASE)


@dataclass(frozen=True)
class Run:
    """One reader on one log."""

    megabytes_a_second: float
    peak_megabytes: float
    share_found: float


def measure(who: str, megabytes: int) -> Run:
    """Reads the log in a process of its own, so that the peak is that of the reader alone."""
    command = [sys.executable, "-m", "benchmarks.extraction.speed", who, str(megabytes)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    seconds, kilobytes, share = float(output[0]), int(output[1]), float(output[2])
    return Run(megabytes / seconds, kilobytes / 1024, share)


def log(megabytes: int) -> Iterator[bytes]:
    """The log in pieces of some megabytes: always the same for the same size."""
    noise = _noise()
    for number in range(_rounds(megabytes)):
        yield noise
        if number < _PLANTED:
            yield f"2026-01-05T10:00:00.1234567Z src/{number}/a.py:3:1: F401 `os{number}` unused\n".encode()


def _rounds(megabytes: int) -> int:
    return max(1, megabytes * 1_000_000 // len(_noise()))


@cache
def _noise() -> bytes:
    dice = random.Random(SEED)
    return "".join(_line(dice) for _ in range(_LINES)).encode()


def _line(dice: random.Random) -> str:
    text = dice.choice(_NOISE).format(
        word=dice.choice(_WORDS),
        a=dice.randrange(60),
        b=dice.randrange(60),
        c=dice.randrange(100),
        n=dice.randrange(9999),
    )
    return f"2026-01-05T10:{dice.randrange(60):02d}:{dice.randrange(60):02d}.{dice.randrange(10**7):07d}Z {text}\n"


def _heal(megabytes: int) -> int:
    from healing.logs.reading import read_log

    return sum(error.tool == "ruff" for error in read_log(log(megabytes)).errors)


def _regex(megabytes: int) -> int:
    found = 0
    for piece in log(megabytes):
        for line in piece.decode().split("\n"):
            found += bool(_PEER.search(line)) and "F401" in line
    return found


def _peak_kilobytes() -> int:
    """What this program itself needed at most: getrusage's figure would begin with that of whoever started it."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Reads the log as `who` and prints what it cost."""
    who, megabytes = sys.argv[1], int(sys.argv[2])
    expected = min(_PLANTED, _rounds(megabytes))
    started = time.perf_counter()
    found = {"heal": _heal, "regex": _regex}[who](megabytes)
    seconds = time.perf_counter() - started
    print(f"{seconds:.3f} {_peak_kilobytes()} {found / expected:.4f}")


if __name__ == "__main__":
    main()
