"""Imports that a change took out of a file that still needs them, in every language."""

import pytest

from healing.model import Category
from healing.repair.fixers.any_language.lost_import import restored
from tests.pipeline.bench import Bench
from tests.repair.fixers.repos import Broken


# AF-3
async def test_an_import_that_no_tool_knows_comes_back_where_it_was(bench: Bench) -> None:
    """No other file has it under this name."""
    base = {"a.py": "import sys\nfrom math import sqrt as root\n\n\ndef f(x):\n    return root(x)\n"}
    base["test_a.py"] = "from a import f\n\n\ndef test_f():\n    assert f(4) == 2\n"
    now = {"a.py": base["a.py"].replace("from math import sqrt as root\n", "")}
    outcome = await bench.heal(base, now, "python -m pytest -q", on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    (edit,) = (edit for p in outcome.proposals for edit in p.edits)
    assert "import sys\nfrom math import sqrt as root\n" in edit.new_string


# AF-3
@pytest.mark.parametrize(
    ("was", "now", "name"),
    [
        ("var a = require('a');\nvar b = require('b');\nb\n", "var a = require('a');\nb\n", "b"),
        ("import {a, b} from 'a';\nb\n", "import {a} from 'a';\nb\n", "b"),
        ("use core::mem;\nuse core::fmt;\nmem\n", "use core::fmt;\nmem\n", "mem"),
        ('import (\n\t"fmt"\n\t"sort"\n)\n', 'import (\n\t"fmt"\n)\n', "sort"),
        ("import a.b.C;\nC\n", "C\n", "C"),
        ("#include <stdio.h>\n#include <string.h>\nf\n", "#include <stdio.h>\nf\n", "string.h"),
    ],
)
def test_the_file_is_as_it_was_before(was: str, now: str, name: str) -> None:
    assert restored(was.encode(), now.encode(), name.encode()) == was.encode()


# AF-3
@pytest.mark.parametrize(
    ("was", "now", "name"),
    [
        ("const b = 1;\nb\n", "b\n", "b"),  # a value, which the change took away on purpose or not
        ("import {a, b} from 'a';\nb\n", "import {a, c} from 'a';\nb\n", "b"),  # something new would be lost
        ("import {\n  a,\n  b,\n} from 'a';\nb\n", "b\n", "b"),  # not on one line
        ("from a import (b,\n    c)\nb\n", "b\n", "b"),
        ("import ab from 'ab';\nb\n", "b\n", "b"),
        ("b\n", "b\n", "b"),
    ],
)
def test_what_may_have_been_meant_stays_away(was: str, now: str, name: str) -> None:
    assert restored(was.encode(), now.encode(), name.encode()) is None


# AF-3
def test_it_comes_back_in_each_file_that_an_undefined_name_stands_in() -> None:
    was = {"a.js": "const b = require('b')\nb()\n", "c.js": "const b = require('b')\nb()\n", "d.js": "b()\n"}
    broken = Broken({"a.js": "b()\n", "c.js": "b()\n", "d.js": "b()\n"}, before=was)
    for file in broken.files:
        broken.said("'b' is not defined", (file, 1), category=Category.LINT)
    found = [broken.after(c) for c in broken.candidates() if c.source == "fixer:lost_import"]
    assert found == [{"a.js": was["a.js"], "c.js": was["c.js"]}]


# AF-3
def test_a_header_that_a_compilers_note_asks_for_comes_back() -> None:
    was = "#include <stdio.h>\n#include <string.h>\n\nint f(char *s) { return strlen(s); }\n"
    broken = Broken({"a.c": was.replace("#include <string.h>\n", "")}, {"a.c": was})
    broken.said("implicit declaration of function 'strlen'", ("a.c", 3), category=Category.COMPILE)
    note = "a.c:2:1: note: include '<string.h>' or provide a declaration of 'strlen'"
    broken.errors = [broken.errors[0].model_copy(update={"excerpt": note})]
    assert broken.top() == ("fixer:lost_import", {"a.c": was})


def test_an_import_above_a_line_that_was_edited_too_comes_back_above_it() -> None:
    was, now = b"const os = require('os')\nmodule.exports = os.cpus\n", b"module.exports = () => os.cpus()\n"
    assert restored(was, now, b"os") == b"const os = require('os')\n" + now
    assert restored(was, b"import os from 'os'\n" + now, b"os") is None
