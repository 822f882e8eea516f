"""Less that is demanded or reported, and what is replaced for everybody, is for a person to look at."""

# ruff: noqa: E501  (a line for each case)

import pytest

from healing.model import Category, CIError
from healing.verify.guard import flags, refusals

ERROR = CIError(id="E1", tool="pytest", category=Category.TEST, message="assert 1 == 2", test="tests/test_a.py::test_a")


def marks(path: str, old: str | None, new: str) -> str:
    changes = {path: (None if old is None else old.encode(), new.encode())}
    return "; ".join(flags(changes, (ERROR,)))


# JD-5, JD-6
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", "def f(x):\n    if x < 0:\n        raise ValueError(x)\n    return x\n", "def f(x):\n    return x\n"),
        ("a.py", "import re\nok = re.fullmatch('a', t)\n", "import re\nok = re.match('a', t)\n"),
        ("a.sql", "create table a (b TEXT NOT NULL);\n", "create table a (b TEXT);\n"),
        ("a.py", "import threading\nlock = threading.Lock()\n", "import contextlib\nlock = contextlib.nullcontext()\n"),
        ("a.js", "if (!x) throw new Error('x');\n", "x = x || 1;\n"),
        (
            "a.go",
            'package a\n\nfunc f() error { return errors.New("x") }\n',
            "package a\n\nfunc f() error { return nil }\n",
        ),
    ],
)
def test_less_that_is_demanded_is_marked(path: str, old: str, new: str) -> None:
    assert "demands or reports less than before" in marks(path, old, new)


def test_what_only_moves_is_not_less() -> None:
    old, new = "def f(x):\n    raise ValueError(x)\n", "def f(x):\n    g(x)\n"
    changes = {"a.py": (old.encode(), new.encode()), "b.py": (None, b"def g(x):\n    raise ValueError(x)\n")}
    assert "demands" not in "; ".join(flags(changes, (ERROR,)))


# JD-5, JD-6
@pytest.mark.parametrize(
    "line",
    ["threading.Lock = threading.RLock", "Path.read_text = lambda self: 'a'", "shop.prices.RATE = 3"],
)
def test_what_is_replaced_for_everybody_is_marked(line: str) -> None:
    old = "import threading\nimport shop.prices\nfrom pathlib import Path\n"
    assert "replaces what others have from elsewhere" in marks("a.py", old, f"{old}{line}\n")


def test_a_field_of_ones_own_and_a_stream_of_the_process_may_be_set() -> None:
    old = "import sys\nfrom shop import settings\n"
    new = f"{old}class A:\n    def f(self, other):\n        self.x = other.y = 1\n        settings.rate = 3\nsys.stdout = None\n"
    assert "replaces" not in marks("a.py", old, new)


# JD-5, JD-6
@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("a.py", "def plural(word, count):\n    return 'boxes'\n"),
        ("a.js", "export const plural = (word, count) => 'boxes';\n"),
        ("a.go", "package a\n\nfunc Planks(metres, width int) int { return 20 }\n"),
    ],
)
def test_a_new_function_that_reads_nothing_of_what_it_is_given_is_marked(path: str, new: str) -> None:
    assert "no longer reads what it is given" in marks(path, None, new)


def test_new_functions_that_are_given_nothing_or_read_it_are_not() -> None:
    new = "def a():\n    return 1\n\ndef b(self):\n    return 2\n\ndef c(x, y):\n    return x\n\ndef d(_x):\n    return 3\n"
    assert "reads" not in marks("a.py", None, new)
    assert not refusals({"a.py": (None, new.encode())}, (ERROR,))
