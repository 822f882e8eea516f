"""The README's first command, to its end, as a newcomer runs it."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


# UX-1
@pytest.mark.timeout(600)
@pytest.mark.parametrize("sandbox", ["auto", "landlock"])
async def test_the_demo_plays_the_whole_loop_and_every_byte_comes_back(sandbox: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "HEAL_"))}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "demo", "--once",
        cwd=ROOT, env={**environment, "HEAL_SANDBOX": sandbox}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    assert "CI is red: lint, tests, types" in said
    for how in ("autofix:ruff", "autofix:black", "fixer:missing_import", "fixer:misspelt_name", "unfixable (no-key)"):
        assert how in said
    assert int(re.findall(r"(\d+) suggestions are on the page", said)[0]) >= 3
    assert "4 other suggestions still stand, 0 were posted again" in said
    assert said.rstrip().endswith("bytes identical")
