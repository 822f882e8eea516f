"""`python -m benchmarks heal --model NAME` asks whatever model the environment names: here a stand-in, and no index."""

import argparse
import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import heal
from tests.model_standin import Brain, Reply, oracle, serve, use
from tests.model_standin.brains import target_of
from tests.model_standin.replies import Body

CODE = "def total(numbers):\n    found = 0\n    for number in numbers:\n        found += number\n    return found\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
LINE = "        found += number"
BROKEN = LINE.replace("+=", "-=")
CASE = {
    "id": "shop-01",
    "category": "logic-arith",
    "package": "shop",
    "pip": "shop==1.0",
    "edits": [{"file": "shop.py", "line": 4, "before": LINE, "after": BROKEN}],
    "test_cmd": "python -m pytest -o addopts= -p no:cacheprovider -q",
    "failing": [{"nodeid": "test_shop.py::test_total"}],
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Cases, and a cache that holds the package already."""
    place = Path(tempfile.mkdtemp(prefix="heal-cases-"))
    place.chmod(0o755)
    source = place / "shop-1.0"
    (place / "cache/installed/shop==1.0").mkdir(parents=True)
    (place / "cache/archives").mkdir()
    source.mkdir()
    (source / "shop.py").write_text(CODE)
    (source / "test_shop.py").write_text(TEST)
    with tarfile.open(place / "cache/archives/shop-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "shop-1.0")
    cases = [CASE, {**CASE, "id": "shop-02", "solvable": False}]
    (place / "cases.json").write_text(json.dumps(cases))
    yield place
    shutil.rmtree(place)


def cheats_then(knows: Brain) -> Brain:
    """Empties the test first."""
    tried: set[str] = set()

    def brain(body: Body, number: int) -> Reply:
        if body["max_tokens"] and target_of(body) not in tried:
            tried.add(target_of(body))
            edit = {"file": "test_shop.py", "old_string": "total([1, 2]) == 3", "new_string": "True"}
            reported = {"title": "t", "explanation": "e", "confidence": 99, "edits": [edit]}
            return Reply((use("suggest_fix", error_ids=[target_of(body)], **reported),))
        return knows(body, number)

    return brain


# LM-1, AG-3
@pytest.mark.slow
@pytest.mark.usefixtures("bench")
async def test_a_folder_of_cases_goes_through_the_engine_with_the_named_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(cheats_then(oracle({"shop.py": (BROKEN, LINE)}))) as standin:
        monkeypatch.setenv("ANTHROPIC_API_KEY", standin.key)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", standin.url)
        result = await heal.measure(
            argparse.Namespace(
                cases=folder,
                model="claude-sonnet-5-5",
                search=False,
                limit=None,
                only="",
                jobs=1,
                cache=folder / "cache",
            )
        )
        asked = len(standin.answered)
    reported = result.summary
    assert reported is not None
    counts = [
        reported[name] for name in ("cases", "healed", "wrong", "unfixable", "could_not_look", "exact", "tampered")
    ]
    assert counts == [2, 2, 0, 0, 0, 2, 1], "the same error in both cases: it cheats once"
    assert reported["calls"] == asked == 5, "a cheat, two fixes, and a second opinion of each"
    assert reported["tokens"] > 1_000
    assert 0 < reported["usd"] < 1
    assert (reported["healed_pct"], reported["unfixable_right_pct"], reported["calls_a_fix"]) == (100.0, None, 1.5)
    assert reported["healed_low"] == 34.2
    assert "verified fixes %" in result.as_table()
