"""A small Heal of its own for the tests: `python laptop.py DATA BACK_END ARGV…` runs one job in a fresh worktree and
prints what came out. Imports nothing outside of the standard library but Heal's sandbox."""

import asyncio
import sys
import tempfile
from pathlib import Path

from healing.process.owner import hand_over
from healing.sandbox.job import Job, Limits
from healing.sandbox.probe import probe


async def main(data: Path, name: str, argv: tuple[str, ...]) -> None:
    looked = await probe(data, name)  # type: ignore[arg-type]
    if looked.sandbox is None:
        sys.exit(f"no sandbox: {looked.tried}")
    with tempfile.TemporaryDirectory(dir=data) as folder:
        hand_over(Path(folder), looked.sandbox.owner)
        ended = await looked.sandbox.run(Job(argv, Path(folder), limits=Limits(seconds=60)))
    print(ended.output.decode(errors="replace"), ended.exit_code, ended.why)


asyncio.run(main(Path(sys.argv[1]), sys.argv[2], tuple(sys.argv[3:])))
