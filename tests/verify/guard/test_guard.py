"""Each way of making a check green without repairing anything is refused, from the diff alone."""

import pytest

from healing.model import Category, CIError
from healing.verify.guard import flags, refusals

TEST = b"def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert True\n"
CODE = b"def f():\n    return 2\n"


def failing(file: str = "src/a.py", category: Category = Category.TEST) -> tuple[CIError, ...]:
    return (CIError(id="E1", tool="pytest", category=category, message="m", file=file),)


# CK-5
@pytest.mark.parametrize(
    ("path", "old", "new", "why"),
    [
        ("tests/test_a.py", TEST, None, "may not be deleted"),
        ("tests/test_a.py", TEST, TEST.replace(b"== 1", b"== 2"), "is a test"),
        ("src/a.py", CODE, CODE.replace(b"2", b"2  # noqa"), "silences a rule"),
        ("src/a.py", CODE, CODE.replace(b"2", b"2  # type: ignore[return]"), "silences a rule"),
        (
            "src/a.py",
            CODE,
            b"def f():\n    try:\n        return g()\n    except Exception:\n        pass\n",
            "swallows",
        ),
        ("src/a.py", CODE, b"import os\nos._exit(0)\n", "swallows"),
        ("src/a.py", CODE, b"class A:\n    def __eq__(self, o):\n        return True\n", "swallows"),
        (".github/workflows/ci.yml", b"run: pytest\n", b"run: true\n", "may not touch it"),
        ("pyproject.toml", b"[tool.ruff]\n", b"[tool.ruff]\nignore=['F401']\n", "may not touch it"),
        ("tests/conftest.py", b"", b"collect_ignore = ['test_a.py']\n", "may not touch it"),
        ("uv.lock", b"a", b"b", "may not touch it"),
        ("src/a.py", b"\n".join(b"%d" % n for n in range(2000)), b"", "at most 800"),
    ],
)
def test_cheating_is_refused(path: str, old: bytes, new: bytes | None, why: str) -> None:
    found = refusals({path: (old, new)}, failing())
    assert any(why in text for text in found), found


# CK-5
@pytest.mark.parametrize(
    ("new", "why"),
    [
        (TEST.replace(b"assert True", b"pass"), "asserts less"),
        (TEST.replace(b"def test_b", b"def helper"), "fewer tests"),
        (b"import pytest\n" + TEST.replace(b"def test_b", b"@pytest.mark.skip\ndef test_b"), "skips more"),
    ],
)
def test_a_test_that_is_itself_the_error_may_change_but_never_weaken(new: bytes, why: str) -> None:
    found = refusals({"tests/test_a.py": (TEST, new)}, failing("tests/test_a.py", Category.LINT))
    assert any(why in text for text in found), found


# CK-5
@pytest.mark.parametrize(
    ("old", "new", "why"),
    [("    def test_b(self):\n        assert True\n", "", "fewer tests"), ("assert f() == 1", "assert f()", "asserts")],
)
@pytest.mark.parametrize("head", ["class TestA:\n", "class TestA(Base):\n", "class Prices(unittest.TestCase):\n"])
def test_a_class_of_tests_that_is_itself_the_error_may_not_weaken_either(
    head: str, old: str, new: str, why: str
) -> None:
    """pytest collects classes whose names begin with Test; unittest those that have its base."""
    before = f"{head}    def test_a(self):\n        assert f() == 1\n\n    def test_b(self):\n        assert True\n"
    change = {"tests/test_a.py": (before.encode(), before.replace(old, new).encode())}
    found = refusals(change, failing("tests/test_a.py", Category.LINT))
    assert any(why in text for text in found), found


# CK-5
def test_an_honest_repair_is_not_refused() -> None:
    assert refusals({"src/a.py": (CODE, CODE.replace(b"2", b"1"))}, failing()) == ()
    own = {"tests/test_a.py": (b"import os\n" + TEST, TEST)}
    assert refusals(own, failing("tests/test_a.py", Category.LINT)) == ()


ASKING = b"from src.a import f\n\ndef test_f():\n    assert f(4) == 80\n"
COMPUTES = b"def f(n):\n    return n * 2\n"


def asked(new: bytes, old: bytes = COMPUTES) -> tuple[str, ...]:
    error = CIError(id="E1", tool="pytest", category=Category.TEST, message="m", test="tests/test_a.py::test_f")
    return refusals({"src/a.py": (old, new)}, (error,), {"tests/test_a.py": ASKING}.get)


# CK-5, AG-4
@pytest.mark.parametrize(
    "new",
    [
        b"def f(n):\n    return 80\n",
        b"def f(n):\n    if n == 4:\n        return 80\n    return n * 2\n",
        b"def f(n):\n    return 80 if n == 4 else n * 2\n",
        b"def f(n):\n    try:\n        return g(n)\n    except OSError:\n        return 80\n",
    ],
)
def test_an_answer_that_is_copied_from_the_test_is_refused(new: bytes) -> None:
    (found,) = asked(new)
    assert "holds the value that the test expects (80)" in found


# CK-5
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (COMPUTES, b"def f(n):\n    return n * 20\n"),
        (b"def f(n):\n    return 8\n", b"def f(n):\n    return 80\n"),  # a constant with a slip in it
        (COMPUTES, b"def f(n):\n    if n is None:\n        return 80\n    return n * 2\n"),
        (COMPUTES, b"def f(n):\n    if n == 4:\n        return 0\n    return n * 2\n"),
        (COMPUTES, b"FACTOR = 80\n\ndef f(n):\n    return n * FACTOR\n"),
    ],
)
def test_a_repair_with_a_constant_in_it_is_not_refused(old: bytes, new: bytes) -> None:
    assert asked(new, old) == ()


EQUAL = b"class A:\n    def __eq__(self, other):\n        return self.n == other.n\n\n\ndef stop():\n    sys.exit(1)\n"
UNPARSABLE = EQUAL.replace(b"other):", b"other)")


# CK-5
def test_what_was_there_before_a_syntax_error_was_repaired_is_not_new() -> None:
    assert refusals({"src/a.py": (UNPARSABLE, EQUAL)}, failing(category=Category.SYNTAX)) == ()


# CK-5
@pytest.mark.parametrize(
    "more",
    [
        b"\ntry:\n    a()\nexcept:\n    pass\n",
        b"\ntry:\n    a()\nexcept BaseException as e:\n    pass\n",
        b"\nos._exit(0)\n",
        b"\nclass B:\n    def __bool__(self):\n        return True\n",
    ],
)
def test_what_comes_with_the_repair_of_a_syntax_error_is_still_seen(more: bytes) -> None:
    (found,) = refusals({"src/a.py": (UNPARSABLE, EQUAL + more)}, failing(category=Category.SYNTAX))
    assert "swallows" in found


# CK-5
def test_the_verdict_says_that_a_test_changes_and_why() -> None:
    own = {"tests/test_a.py": (b"import os\n" + TEST, TEST)}
    (flag,) = flags(own, failing("tests/test_a.py", Category.LINT))
    assert flag == "tests/test_a.py: a test changes, since CI found fault with it (pytest lint)"


def test_a_file_of_tests_may_move() -> None:
    moved = {"tests/test_a.py": (TEST, None), "tests/unit/test_a.py": (None, TEST)}
    assert refusals(moved, failing()) == ()
    assert refusals({**moved, "tests/unit/test_a.py": (None, TEST[:40])}, failing()) != ()
