"""`python -m tests.fuzzing.readers NAME|all [--inputs N] [--seed S]`: the readers of strangers' bytes.

Each has to come to an end, whatever it is given, and only ever raises what it says. Started from the repository's own
samples, changed by the byte.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bot.repo_config import read_repo_config
from handlers.delivery.diff_hunks import read_hunks
from handlers.slash.reading.commands import parse_command
from healing.checks.source import WorkflowError
from healing.checks.workflow import parse_workflow
from healing.logs.reading import read_log

SAMPLES = Path(__file__).parents[1] / "logs"
SECONDS = 5.0  # longer than this for one input is as bad as an exception
PIECES = (
    b"\x00", b"\xff", b"\x1b[31m", b"\r", b"\n", b"##[error]", b"::error file=a::", b'"', b"{", b"]]>", b"<testcase>",
    b"%s", b"\xe2\x80\xae", b"```", b"/heal ", b"${{ ", b" }}", b"&a", b"*a", b"!!python/object:", b"@@ -1 +1 @@",
    b"Traceback",
)  # fmt: skip

READERS: dict[str, Callable[[bytes], object]] = {
    "log": read_log,
    "config": read_repo_config,
    "workflow": lambda data: parse_workflow(".github/workflows/ci.yml", data),
    "command": lambda data: parse_command(data.decode("utf-8", "replace")),
    "hunks": lambda data: read_hunks(data.decode("utf-8", "replace")),
}
SAYS: dict[str, tuple[type[Exception], ...]] = {"workflow": (WorkflowError,)}  # what a reader says it raises
STARTS: dict[str, tuple[bytes, ...]] = {
    "config": (b"checks:\n  - ruff check .\nagents:\n  commands: [make]\nnetwork: [pypi.org]\n",),
    "workflow": (
        b"on: push\nenv: {A: 1}\njobs:\n  a:\n    strategy: {matrix: {v: [1, 2]}}\n    runs-on: x\n    steps:\n"
        b"      - uses: actions/checkout@v4\n      - run: echo ${{ matrix.v }}\n        if: ${{ always() }}\n",
    ),
    "command": (b"/heal apply all\n> /heal no\n```\n/heal no\n```\n<!-- /heal no -->\n",),
    "hunks": (b"@@ -1,3 +1,4 @@ def f\n a\n-b\n+c\n+d\n e\n@@ -9 +10,0 @@\n-x\n\\ No newline at end of file\n",),
}


def read(name: str, data: bytes) -> None:
    """Reads, and takes what the reader says it raises for an answer."""
    with suppress(*SAYS.get(name, ())):
        READERS[name](data)


def starts(name: str) -> tuple[bytes, ...]:
    """What an input is made of."""
    if name in STARTS:
        return STARTS[name]
    files = [file for file in sorted((SAMPLES / "samples").rglob("*")) if file.is_file() and file.suffix != ".json"]
    return tuple(file.read_bytes()[:20_000] for file in files[::5])


def changed(chance: random.Random, data: bytes) -> bytes:
    """One to eight cuts, repetitions and insertions."""
    for _ in range(chance.randint(1, 8)):
        at, to = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
        part = data[at : min(to, at + 200)]
        act = chance.randrange(4)
        if act == 0:
            data = data[:at] + data[at + len(part) :]
        elif act == 1:
            data = data[:at] + part * chance.randint(1, 30) + data[at:]
        elif act == 2:
            data = data[:at] + chance.choice(PIECES) * chance.randint(1, 20) + data[at:]
        else:
            data = data[:at] + chance.randbytes(chance.randint(1, 8)) + data[at:]
    return data[:200_000]


def fuzz(name: str, inputs: int, seed: int) -> list[tuple[str, bytes]]:
    """(what went wrong, the input) of each input that was answered by an exception, or too late."""
    chance, made, wrong = random.Random(f"{seed} {name}"), starts(name), []
    for _ in range(inputs):
        data = changed(chance, chance.choice(made))
        began = time.process_time()
        try:
            read(name, data)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
            wrong.append((f"{type(error).__name__}: {error}", data))
        if time.process_time() - began > SECONDS:
            wrong.append((f"more than {SECONDS:g} s", data))
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=(*READERS, "all"))
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    found = 0
    for name in READERS if chosen.name == "all" else (chosen.name,):
        wrong = fuzz(name, chosen.inputs, chosen.seed)
        print(f"{name}: {chosen.inputs} inputs, seed {chosen.seed}: {len(wrong)} went wrong", flush=True)
        for what, data in wrong[:5]:
            print(f"  {what[:200]}: {data[:300]!r}")
        found += len(wrong)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
