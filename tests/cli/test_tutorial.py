"""docs/tutorial.md does what it says: its commands are typed into a shell, one after another."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import HERE, Heal

PAGE = HERE / "docs" / "tutorial.md"


def typed() -> list[tuple[str, int]]:
    """(command, exit code that the page says) of the marked blocks."""
    blocks = re.findall(r"<!-- tutorial -->\n```console\n(.*?)```", PAGE.read_text(), re.S)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    reported = [re.fullmatch(r"(.*?)(?: # exit code (\d))?", line) for line in lines]
    return [(match[1], int(match[2] or 0)) for match in reported if match]


# UX-1, CLI-3
@pytest.mark.timeout(200)
def test_the_tutorial_goes_as_it_says(heal: Heal, room: Path) -> None:
    folder = room / "tutorial"
    folder.mkdir()
    tools = room / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "heal").write_text(f'#!/bin/sh\nexec {sys.executable} -m bot "$@"\n')
    (tools / "heal").chmod(0o755)
    script = ["set -u"]
    for command, code in typed():
        script += [command, f'got=$?; [ $got = {code} ] || {{ echo "it ended with $got: "{command!r}; exit 9; }}']
    env = heal.environment()
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=folder, capture_output=True, text=True, check=False,
        env={**env, "PATH": f"{tools}:{env['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "shop" / "shop.py").read_text() == "def total(prices):\n    return sum(prcies)\n"
    assert "1 applied, 0 rejected, 0 left for later" in done.stdout
    assert len(typed()) == 13
