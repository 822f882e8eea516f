"""A test or a program that meets two faults reports one at a time; a fix of several steps repairs both, or nothing."""

from healing.checks.check import command_check
from tests.pipeline.bench import Bench, Files
from tests.pipeline.test_free import PYTEST, Counted

PROJECT: Files = {
    "store.py": (
        "import json\nfrom pathlib import Path\n\n\n"
        "def load(path):\n    return json.loads(Path(path).read_text())\n\n\n"
        "def names(path):\n    return sorted(str(name).title() for name in load(path))\n\n\n"
        "def count(path):\n    return len(names(path))\n"
    ),
    "test_store.py": (
        "from store import count\n\n\n"
        "def test_count(tmp_path):\n    (tmp_path / 'a').write_text('[1, 2]')\n    assert count(tmp_path / 'a') == 2\n"
    ),
}


def changed(*words: tuple[str, str]) -> Files:
    text = PROJECT["store.py"]
    assert isinstance(text, str)
    for old, new in words:
        assert old in text
        text = text.replace(old, new)
    return {"store.py": text}


# AF-3
async def test_a_test_that_meets_one_fault_behind_another_is_repaired_by_one_fix_of_both(bench: Bench) -> None:
    change = changed(("import json\n", ""), ("str(name)", "strr(name)"))
    outcome = await bench.heal(PROJECT, change, PYTEST, on_pull=True)
    assert outcome.verdict == "healed"
    (proposal,) = outcome.proposals
    assert proposal.title == "Restore the import of `json`, write `str` for `strr`"
    assert {edit.new_string.strip() for edit in proposal.edits} == {
        "import json\nfrom pathlib import Path",
        "return sorted(str(name).title() for name in load(path))",
    }


# AF-3
async def test_steps_of_different_rules_lead_to_one_fix(bench: Bench) -> None:
    change = changed(("def load", "def read_all"), ("len(names", "lenn(names"))
    outcome = await bench.heal(PROJECT, change, PYTEST, on_pull=True)
    assert [proposal.title for proposal in outcome.proposals] == [
        "Write `len` for `lenn`, call `load` by its new name `read_all`"
    ]


# AF-3
async def test_a_program_that_ends_at_its_first_error_is_repaired_step_by_step(bench: Bench) -> None:
    base = {"run.py": "import json\nimport sys\n\ndata = json.loads('[1, 2]')\nsys.exit(sum(data) - 3)\n"}
    outcome = await bench.heal(
        base, {"run.py": base["run.py"].replace("loads", "lods").replace("sum", "summ")}, "python run.py", on_pull=True
    )
    assert outcome.verdict == "healed"
    assert [proposal.title for proposal in outcome.proposals] == ["Write `loads` for `lods`, write `sum` for `summ`"]


# JD-2
async def test_a_first_step_alone_is_no_fix_where_the_test_stays_red(bench: Bench) -> None:
    change = changed(("import json\n", ""), ("return len(names(path))", "return len(names(path)) + 1"))
    steps = Counted()
    outcome = await bench.heal(PROJECT, change, PYTEST, steps=steps, on_pull=True)
    assert outcome.verdict == "not-healed"
    assert outcome.proposals == ()
    (report,) = outcome.unfixables
    assert report.tried.endswith(
        "with “Restore the import of `json`” this error is gone, and the next one is test_store.py:6: "
        "AssertionError: assert 3 == 2"
    )
    assert steps.runs[command_check(PYTEST).key] <= 2, (
        "at first, and once to find the culprit; steps run the test alone"
    )


# AG-13
async def test_what_is_left_says_what_fails_since_another_fix_was_found(bench: Bench) -> None:
    base = {
        "m.py": "def name(x):\n    return str(x).title()\n\n\ndef area(w, h):\n    return w * h\n",
        "test_m.py": (
            "from m import area, name\n\n\ndef test_name():\n    assert name('a') == 'A'\n\n\n"
            "def test_both():\n    assert name('a') == 'A'\n    assert area(2, 3) == 6\n"
        ),
    }
    change = {"m.py": base["m.py"].replace("str(x)", "strr(x)").replace("w * h", "w * w + h")}
    outcome = await bench.heal(base, change, PYTEST, on_pull=True)
    assert outcome.verdict == "partly"
    (report,) = outcome.unfixables
    assert report.tried.endswith(
        "with the other fixes this error is gone, and the next one is test_m.py:10: assert 7 == 6"
    )


# AF-6
async def test_lines_that_a_fix_wrote_are_no_places_of_the_change(bench: Bench) -> None:
    base = {
        "m.py": (
            "def load():\n    return [1]\n\n\ndef names():\n    return load()\n\n\ndef area(w, h):\n    return w * h\n"
        ),
        "test_m.py": (
            "from m import area, names\n\n\ndef test_names():\n    assert names() == [1]\n\n\n"
            "def test_area():\n    assert area(2, 3) == 6\n"
        ),
    }
    change = {"m.py": base["m.py"].replace("def load", "def read_all").replace("w * h", "w * w + h")}
    outcome = await bench.heal(base, change, PYTEST, on_pull=True)
    assert [proposal.title for proposal in outcome.proposals] == ["Call `load` by its new name `read_all`"]
    (culprit,) = outcome.culprits
    assert ([(place.file, place.line) for place in culprit.places], culprit.of) == ([("m.py", 10)], 2)


# AF-3
async def test_more_faults_in_a_row_than_a_fix_has_steps_are_left(bench: Bench) -> None:
    modules = ("json", "re", "math", "random", "string", "time", "uuid", "zlib")
    imports = "".join(f"import {name}\n" for name in modules)
    body = "\n\ndef use():\n    return [" + ", ".join(f"{name}.__name__" for name in modules) + "]\n"
    base = {"m.py": imports + body, "test_m.py": "from m import use\n\n\ndef test_use():\n    assert len(use()) == 8\n"}
    steps = Counted()
    outcome = await bench.heal(base, {"m.py": body.lstrip()}, PYTEST, steps=steps, on_pull=True)
    assert outcome.proposals == ()
    (report,) = outcome.unfixables
    assert "this error is gone, and the next one is m.py:" in report.tried
    assert sum(steps.runs.values()) < 60, "each of the trials runs the failing test alone"
