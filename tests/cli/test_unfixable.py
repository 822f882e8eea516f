"""What `heal unfixable` and `heal apply all` make of a run that found nothing."""

import json
from pathlib import Path

from tests.cli.conftest import Heal, make_clone

UNUSED = {"a.py": "import os\n\nX = 1\n"}


# CLI-3, UX-3
def test_a_run_that_could_not_look_is_not_called_one_that_left_nothing(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "left-unlooked", {"a.py": "X = 1\n"}, UNUSED)
    assert heal("unfixable", cwd=clone).out == "no `heal run` has ended on this clone yet\n"
    result = heal("run", "--run", "nosuchtool .", cwd=clone)
    assert (result.code, (result.out + result.err).count("is not installed")) == (3, 1), "said once"
    assert heal("unfixable", cwd=clone).out.startswith("couldn't check nosuchtool .: nosuchtool is not installed")
    assert heal("run", "--run", "ruff check .", cwd=clone).code == 0
    assert heal("unfixable", cwd=clone).out == "nothing was left by the last `heal run` on this clone\n"


# CLI-3
def test_all_stands_for_what_the_newest_run_found_also_where_an_older_one_on_the_same_code_found_more(
    heal: Heal, room: Path
) -> None:
    clone = make_clone(room / "left-older", {"a.py": "X = 1\n"}, UNUSED)
    assert heal("run", "--run", "ruff check .", cwd=clone).code == 0
    heal("run", "--run", "nosuchtool .", cwd=clone)
    left = heal("apply", "all", cwd=clone)
    assert "left out, because the newest run didn't find it" in left.out
    (entry,) = map(json.loads, heal("apply", "all", "--json", cwd=clone).out.splitlines())
    assert (entry["status"], entry["why"][:37]) == ("pending", "left out, because the newest run didn")
    assert (clone / "a.py").read_text() == UNUSED["a.py"]


# AF-6
def test_what_has_no_fix_names_the_lines_of_the_change_that_broke_it(heal: Heal, room: Path) -> None:
    base = {
        "a.py": "def price(count):\n    return 20 * count\n",
        "b.py": "def weight(count):\n    return 300 * count\n",
        "test_a.py": "from a import price\n\n\ndef test_price():\n    assert price(2) == 40\n",
    }
    change = {"a.py": base["a.py"].replace("20", "25"), "b.py": base["b.py"].replace("300", "350")}
    clone = make_clone(room / "left-culprit", base, change)
    result = heal("run", "--run", "python -m pytest -q", cwd=clone)
    cause = "    cause: The check passes without what this change did at a.py:2 (1 of its 2 places).\n"
    assert (result.code, cause in result.out) == (1, True), result.out + result.err
    assert cause in heal("unfixable", cwd=clone).out


# CLI-3 AF-1
def test_a_fix_made_on_top_of_others_is_not_taken_for_applied_before_they_are(heal: Heal, room: Path) -> None:
    """Without them the lines that it leaves are those that were there before."""
    base = {"a.py": "import os\n\n\ndef base(path):\n    return os.path.basename(path)\n"}
    broken = base["a.py"].replace("import os\n", "import os\nimport json\n").replace("(path)\n", "(pth)\n")
    files = {**base, "ruff.toml": "lint.select = ['E', 'F', 'I']\n"}
    clone = make_clone(room / "made-on-top", files, {"a.py": broken.replace("def base(pth)", "def base(path)")})
    result = heal("run", "--run", "ruff check .", cwd=clone)
    assert result.out.startswith("fixed: 3 errors, 3 fixes\n"), result.out + result.err
    assert "    after " in result.out
    assert "together with the other fixes" in result.out
    assert " applied " not in heal("list", cwd=clone).out
    applied = heal("apply", "all", cwd=clone)
    assert applied.out.count("  applied\n") == 3, applied.out
    assert (clone / "a.py").read_text() == base["a.py"]
    assert heal("rollback", "all", cwd=clone).code == 0
    assert (clone / "a.py").read_text() == broken.replace("def base(pth)", "def base(path)")


# AF-1 CLI-3
def test_of_two_commands_the_second_is_judged_by_itself(heal: Heal, room: Path) -> None:
    """As a whole it would seem to break once the first is repaired."""
    base = {
        "a.py": "import os\n\n\ndef base(path):\n    return os.path.basename(path)\n",
        "test_a.py": 'from a import base\n\n\ndef test_base():\n    assert base("a/b") == "b"\n',
    }
    change = {"a.py": base["a.py"].replace("(path):", "( path ):").replace("(path)\n", "(pth)\n")}
    clone = make_clone(room / "two-commands", base, change)
    result = heal("run", "--run", "ruff format --check . && python -m pytest -q", cwd=clone)
    assert result.out.startswith("fixed: 2 errors, 2 fixes\n"), result.out + result.err
    assert heal("apply", "all", cwd=clone).code == 0
    assert (clone / "a.py").read_text() == base["a.py"]
