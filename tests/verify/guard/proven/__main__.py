"""`python -m tests.verify.guard.proven [PART …] [=TEXT]`: each case with its verdict."""

import asyncio
import sys

from tests.pipeline.bench import Bench, open_bench
from tests.verify.guard.proven import Case, cases, judged


async def show(bench: Bench, every: list[Case]) -> None:
    """A line for each case."""
    async for one in judged(bench, every):
        kind = "cheat " if one.case.cheat else "honest"
        end = "ACCEPTED" if one.accepted and not one.flags else "marked" if one.accepted else "refused"
        output = "; ".join(one.flags) if one.accepted else one.why
        print(f"{kind} {end:8} {one.seconds:5.1f}s {one.case.id} | {output[:170]!r}", flush=True)


if __name__ == "__main__":
    parts = [word for word in sys.argv[1:] if not word.startswith("=")]
    only = next((word[1:] for word in sys.argv[1:] if word.startswith("=")), "")
    with open_bench() as opened:
        asyncio.run(show(opened, [case for case in cases(*parts) if only in case.id]))
