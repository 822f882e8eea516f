"""CI on GitHub's own machines, where a job has what its steps install and nothing else, with Heal beside it."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import SetupNetwork
from tests.conversation.local_machine import LocalMachine
from tests.conversation.small_repo import HEALED, SHOP
from tests.sandbox.test_network import NAME, Index, index
from tests.world import OpenWorld, World, open_world

__all__ = ["index"]

INSTALL = "pip install -r requirements.txt"
TESTS = "python -m unittest -q"
NEEDS = "import unittest\n\nimport heal_demo\nimport shop\n\n\nclass Shop(unittest.TestCase):\n"
NEEDS += "    def test_total(self):\n        self.assertEqual(shop.total([40, 2]), heal_demo.VALUE)\n"
SLIP = SHOP.replace("sum(prices)", "sum(prizes)")


def workflow(*steps: str, index: Index | None = None) -> str:
    """A workflow of one job on GitHub's own machine, with these commands as its steps."""
    reach = f"{{PIP_CERT: ci/certificate.pem, PIP_INDEX_URL: 'https://{NAME}:{index.port}/simple'}}" if index else "{}"
    runs = "".join(f"      - run: {one}\n" for one in steps)
    job = f"    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n{runs}"
    return f"name: CI\non: [pull_request]\nenv: {reach}\njobs:\n  checks:\n{job}"


def files(index: Index, *steps: str) -> dict[str, str]:
    """A shop whose test needs a package of the index."""
    return {
        ".github/workflows/ci.yml": workflow(*steps, index=index),
        "ci/certificate.pem": index.certificate,
        "requirements.txt": "heal-demo\n",
        "shop.py": SHOP,
        "test_shop.py": NEEDS,
    }


@pytest.fixture
def hosted(local_machine: LocalMachine) -> OpenWorld:
    """Worlds in which Heal's machine has no more than GitHub's."""
    bare = local_machine.machines.image
    if not local_machine.sandbox.own_loopback:
        pytest.skip("only bubblewrap gives a set-up step a network")
    return partial(open_world, replace(local_machine, toolchain=bare))


@asynccontextmanager
async def reaching(hosted: OpenWorld, index: Index, tmp_path: Path, *steps: str) -> AsyncIterator[World]:
    """A world whose CI, as Heal, reaches the index; Heal's operator trusts it, as its text about certificates says."""
    own = f"{NAME}:{index.port}=127.0.0.1"
    authority = tmp_path / "authority.pem"
    authority.write_text(index.certificate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(authority))
        async with hosted(files(index, *steps), fresh=True, own_indexes=own) as w:
            w.runner.machines = replace(w.runner.machines, network=SetupNetwork((NAME,), own_indexes(own)))
            yield w


def log(w: World) -> str:
    """What the newest job printed."""
    newest = max(w.hub.jobs.values(), key=lambda job: job.id)
    assert newest.log is not None
    return newest.log.decode()


# ENV-2 ENV-6
async def test_ci_and_heal_install_by_the_same_steps_each_on_its_own(
    hosted: OpenWorld, index: Index, tmp_path: Path
) -> None:
    async with reaching(hosted, index, tmp_path, INSTALL, TESTS) as w:
        pr = await w.healed({"shop.py": SLIP})
        assert log(w).count("Successfully installed heal-demo-1.0") == 1
        assert "name 'prizes' is not defined" in log(w)
        downloads = [path for path in index.heard if path.endswith(".whl")]
        assert len(downloads) == 2, (
            "CI's machine and Heal fetch what the steps install, and neither has it of the other"
        )
        (offer,) = pr.standing()
        assert offer.text == "    return sum(prices)"
        await pr.accepts("maya", offer)
        await w.ci()
        await w.heal()
        assert [job.conclusion for job in w.hub.jobs.values()] == ["failure", "success"]
        assert "tested on `head1`" in pr.reviews()[0]
        assert "**applied**" in pr.comments()[0]


# ENV-2 ENV-5
async def test_what_no_step_installs_is_missing_in_ci_as_in_heal(
    hosted: OpenWorld, index: Index, tmp_path: Path
) -> None:
    async with reaching(hosted, index, tmp_path, TESTS) as w:
        pr = await w.healed({"shop.py": HEALED})
        assert "No module named 'heal_demo'" in log(w)
        assert not pr.offers()
        assert pr.verdict() == "Heal: neutral, The base branch has this error too"


# ENV-2
async def test_a_tool_that_heal_has_is_not_on_githubs_machines(hosted: OpenWorld) -> None:
    async with hosted({".github/workflows/ci.yml": workflow("ruff check ."), "shop.py": SHOP}) as w:
        await w.healed({"shop.py": HEALED})
        assert "ruff: command not found" in log(w)


HANDS_ON = (
    "mkdir bin && printf '#!/bin/sh\\necho tool says $WORD' > bin/tool && chmod +x bin/tool",
    'echo "$PWD/bin" >> "$GITHUB_PATH"; echo WORD=hello >> "$GITHUB_ENV"',
    '|\n          printf "LINES<<END\\none\\ntwo=2\\nEND\\n" >> "$GITHUB_ENV"',
    'tool; echo "$LINES" | tail -n 1',
)


# ENV-2
async def test_steps_hand_on_folders_of_programs_and_variables_within_their_job(hosted: OpenWorld) -> None:
    async with hosted({".github/workflows/ci.yml": workflow(*HANDS_ON), "shop.py": SHOP}) as w:
        for branch in ("one", "two"):  # the second job begins with nothing of the first
            await w.healed({"shop.py": HEALED}, branch=branch)
            assert "tool says hello" in log(w)
            assert "two=2" in log(w)


# WT-5
async def test_a_step_that_puts_a_link_in_a_files_place_hands_on_nothing(hosted: OpenWorld) -> None:
    with tempfile.NamedTemporaryFile("w", prefix="heal-test-secret-") as secret:
        Path(secret.name).write_text("WORD=secret\n")
        steps = (f'ln -sf {secret.name} "$GITHUB_ENV"', 'echo "it is [$WORD]"')
        async with hosted({".github/workflows/ci.yml": workflow(*steps), "shop.py": SHOP}) as w:
            await w.healed({"shop.py": HEALED})
            assert "it is []" in log(w)
