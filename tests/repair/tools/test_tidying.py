"""A fix in whose files a formatter minds the layout is formatted and judged again."""

import pytest

from healing.model import Candidate
from healing.repair.tools.tidying import Tidy
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench, candidate

CODE = '"""Doc."""\n\nimport os\n\nX = 1\n'
CHECKS = ("ruff check --select F a.py", "ruff format --check .")
FIX = ("a.py", "import os\n", "")


async def verifier_of(bench: Bench, *checks: str, other: str = "Y = 1\n") -> tuple[Verifier, Candidate]:
    verifier = await bench.verifier({"a.py": CODE, "b.py": other}, *checks)
    verifier.tidier = Tidy(verifier)
    return verifier, candidate(verifier, FIX)


# CK-3, AF-1
async def test_a_fix_whose_layout_the_formatter_minds_is_formatted(bench: Bench) -> None:
    verifier, fix = await verifier_of(bench, *CHECKS)
    verdict = await verifier.submit(fix)
    assert verdict.accepted, verdict.message
    assert verifier.git.view(verifier.integration).read("a.py") == b'"""Doc."""\n\nX = 1\n'


# CK-3
async def test_without_a_formatter_that_minds_it_a_fix_stays_as_it_was_made(bench: Bench) -> None:
    verifier, fix = await verifier_of(bench, CHECKS[0])
    assert (await verifier.submit(fix)).accepted
    assert verifier.git.view(verifier.integration).read("a.py") == b'"""Doc."""\n\n\nX = 1\n'


# CK-3
@pytest.mark.parametrize("edit", [("a.py", "X = 1", "X =  Z"), ("a.py", "import os\n", "import sys\n")])
async def test_formatting_doesnt_help_a_fix_that_is_wrong(bench: Bench, edit: tuple[str, str, str]) -> None:
    verifier, _ = await verifier_of(bench, *CHECKS)
    verdict = await verifier.submit(candidate(verifier, edit))
    assert not verdict.accepted
