"""`heal export` and `heal replay`: a run in one file, without secrets, and again with no network, model or check."""

import asyncio
import gzip
import json
import shutil
from pathlib import Path

from tests.cli.conftest import Heal, make_clone
from tests.model_standin import serve
from tests.model_standin.brains import oracle

SHOP = "def total(prices):\n    return sum(prices)\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
GOOD = {"shop.py": SHOP, "test_shop.py": TEST}
PYTEST = "python -m pytest -q"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


# UX-3, OP-3
async def test_a_run_with_a_model_is_replayed_elsewhere_with_nobody_there_to_ask(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "replayed", GOOD, {"shop.py": SHOP.replace("sum", "max")})
    async with serve(oracle({"shop.py": ("return max(prices)", "return sum(prices)")})) as standin:
        keys = {"ANTHROPIC_API_KEY": standin.key, "ANTHROPIC_BASE_URL": standin.url}
        result = await asyncio.to_thread(heal, "run", "--run", PYTEST, "--json", "-q", cwd=clone, **keys)
        assert json.loads(result.out)["verdict"] == "healed", result.err
        result = await asyncio.to_thread(heal, "export", "--code", "-o", "run.gz", "--json", cwd=clone, **keys)
        about = json.loads(result.out)
        assert (about["code"], about["masked"], about["without_code"]) == (True, 0, "")
    elsewhere = room / "elsewhere"
    elsewhere.mkdir()
    shutil.move(clone / "run.gz", elsewhere)
    shutil.rmtree(clone)
    reported = heal("replay", "run.gz", cwd=elsewhere, HEAL_DATA=str(room / "other"))
    assert reported.code == 0, reported.out + reported.err
    assert "agent:" in reported.out
    assert reported.out.endswith("nothing was run, asked or fetched\nit ended as it had ended\n")
    story = heal("replay", "run.gz", "--story", cwd=elsewhere)
    assert "× model" in story.out
    other = json.loads(gzip.decompress((elsewhere / "run.gz").read_bytes()))
    other["steps"] = [step for step in other["steps"] if step["kind"] != "model"]
    (elsewhere / "less.gz").write_bytes(gzip.compress(json.dumps(other).encode()))
    missed = heal("replay", "less.gz", "--json", cwd=elsewhere)
    assert missed.code == 1
    assert "model" in json.loads(missed.out)["missing"][0]


# OP-5
def test_what_looks_like_a_secret_is_in_no_export_and_then_the_code_is_not_either(heal: Heal, room: Path) -> None:
    clone = make_clone(
        room / "secretive",
        GOOD,
        {"test_shop.py": TEST + f"    print('{TOKEN}')\n    assert total([1]) == 2\n"},
    )
    assert heal("run", "--run", PYTEST, "-q", cwd=clone).code == 1
    result = heal("export", "--code", "-o", "run.gz", "--json", cwd=clone)
    about = json.loads(result.out)
    assert "1 files hold what looks like a secret" in about["without_code"]
    assert TOKEN.encode() not in gzip.decompress((clone / "run.gz").read_bytes())
    reported = heal("replay", "run.gz", cwd=clone)
    assert reported.code == 2
    assert "the code is not in the recording" in reported.err


# UX-3
def test_what_is_no_recording_or_no_run_is_reported(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "never-run", {"shop.py": SHOP}, {})
    for data in (b"", b"no gzip", gzip.compress(b"{}"), gzip.compress(b"[1")):
        (clone / "wrong.gz").write_bytes(data)
        result = heal("replay", "wrong.gz", cwd=clone)
        assert result.code == 2, result.err
        assert "Traceback" not in result.err
    result = heal("export", "ffffffffffff", cwd=clone)
    assert (result.code, "no run begins with 'ffffffffffff'" in result.err) == (2, True)
