"""What stays in the product's own code is marked by kind: values of the test, the very exception, odd means."""

import pytest

from healing.model import Category, CIError
from healing.verify.guard import findings
from healing.verify.guard.meaning import has_same_meaning
from healing.verify.guard.window import window

TEST = b"from shop import price\n\n\ndef test_price():\n    assert price([4, 2], 5) == 375\n"
CODE = "def price(counts, k):\n    return sum(counts) * k\n"
ERROR = CIError(
    id="E1", tool="pytest", category=Category.TEST, message="IndexError: list index out of range", file="shop.py",
    test="tests/test_shop.py::test_price",
)  # fmt: skip
LONG = "".join(f"# line {number}\n" for number in range(20_000))


def rules(new: str, old: str = CODE, path: str = "shop.py") -> set[str]:
    found = findings({path: (old.encode(), new.encode())}, (ERROR,), {"tests/test_shop.py": TEST}.get)
    return {one.rule for one in found}


# JD-5
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return", "    if counts == [4, 2] and k == 5:\n        return sum([370, 5])\n    return"),
        ("    return", "    if k == 3 + 2:\n        return 5 * 75\n    return"),
        ("def price", "KNOWN = {(6, 5): 375}\n\n\ndef price"),
        ("    return", "    key = ','.join(map(str, counts))\n    if key == '4,2':\n        return k\n    return"),
    ],
    ids=["a comparison", "a sum", "a table", "a key"],
)
@pytest.mark.parametrize("length", ["short", "long"])
def test_values_of_the_failing_test_are_marked_however_they_come_in(before: str, after: str, length: str) -> None:
    tail = LONG if length == "long" else ""
    assert rules(CODE.replace(before, after) + tail, CODE + tail) & {"literals", "canned"}


# JD-5
@pytest.mark.parametrize(
    "new",
    [
        CODE.replace("* k", "* k * 100 // 8"),
        CODE.replace("    return", "    if not counts:\n        return 0\n    return"),
        CODE.replace("* k", "* (k + len(counts))"),
    ],
)
def test_a_repair_with_values_of_its_own_is_not_marked(new: str) -> None:
    assert rules(new) == set()


# JD-5
def test_a_slip_in_a_constant_is_not_marked() -> None:
    assert rules("LIMIT = 375\n", "LIMIT = 357\n") == set()


# JD-5
@pytest.mark.parametrize(
    ("handler", "marked"),
    [("except IndexError:", True), ("except LookupError:", True), ("except (KeyError, IndexError):", True),
     ("except OSError:", False)],
)  # fmt: skip
def test_a_handler_for_the_very_exception_is_marked_and_no_other(handler: str, marked: bool) -> None:
    new = f"def price(counts, k):\n    try:\n        return sum(counts) * k\n    {handler}\n        return None\n"
    assert ("handlers" in rules(new)) is marked


# JD-5
@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("shop.py", "import sys\nX = [m for m in sys.modules]\n"),
        ("shop.py", "class A(int):\n    def __eq__(self, other):\n        return other is other\n"),
        ("shop.py", "import atexit\n"),
        ("shop.py", "import hashlib\n"),
        ("shop.js", "if (new Error().stack) {}\n"),
        ("shop.js", "const a = { valueOf: () => 1 };\n"),
        ("shop.rs", "fn f() { let _n = std::thread::current(); }\n"),
        ("Shop.java", 'String a = System.getenv("X");\n'),
        ("shop.rb", "at_exit { exit!(0) }\n"),
        ("shop.py", "T = open('tests/test_shop.py').read()\n"),
    ],
)
def test_means_that_a_repair_hardly_needs_are_marked_in_every_language(path: str, more: str) -> None:
    assert "unusual" in rules(more, "", path)


# JD-5
@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("shop.py", "if __debug__:\n    pass\n"),
        ("shop.py", "import sys\nloud = sys.stdout.isatty()\n"),
        ("shop.js", "if (process.stdout.isTTY) {}\n"),
        ("shop.py", "name = (0x616E6E).to_bytes(3, 'big').decode()\n"),
        ("shop.py", "name = ''.join(map(chr, [97, 110, 110]))\n"),
        ("shop.js", "const name = String.fromCodePoint(97, 110);\n"),
    ],
)
def test_how_a_process_was_started_and_values_in_disguise_are_marked(path: str, more: str) -> None:
    assert "unusual" in rules(more, "", path)


# JD-5
@pytest.mark.parametrize(
    ("change", "marked"),
    [
        ('return slug(name).replace("e--r", "e-r")', True),
        ("return slug(re.sub('Blue', '', name))", True),
        ('return slug(name.partition("  Room")[0])', True),
        ('return "-".join(name.lower().split(" "))', False),
        ('return slug(name).replace("_", "-")', False),
        ('return slug(name.removeprefix("the "))', False),
        ('return f"Blue {name}"', False),
    ],
)
def test_a_text_is_not_put_right_by_a_piece_of_the_tests(change: str, marked: bool) -> None:
    test = b'def test_slug():\n    assert slug("Blue  Room") == "blue-room" != "blue--room"\n'
    old = "def slug(name):\n    return slug(name)\n"
    new = old.replace("return slug(name)", change)
    changes = {"shop.py": (old.encode(), new.encode())}
    found = findings(changes, (ERROR,), {"tests/test_shop.py": test}.get)
    assert ("pieces" in {one.rule for one in found}) is marked


# JD-5
@pytest.mark.parametrize("path", ["shop.js", "shop.go", "shop.rs", "shop.rb"])
def test_a_piece_is_told_in_every_language(path: str) -> None:
    old, new = b"x = name\n", 'x = name.replace("añ", "")\n'.encode()
    pattern = "x = name.replace(/ñb/, 'n')\n".encode()
    test = {"tests/test_shop.py": 'assert f("bañb")\n'.encode()}
    for change in (new, *([pattern] if path == "shop.js" else [])):
        assert "pieces" in {one.rule for one in findings({path: (old, change)}, (ERROR,), test.get)}


# JD-5
@pytest.mark.parametrize(
    ("new", "marked"),
    [
        ("UNITS.get(unit, 168)", True),
        ("UNITS.get(unit, WEEK)", True),
        ("UNITS.pop(unit, 'w')", True),
        ("UNITS.get(unit)", False),
        ("UNITS.get(unit, 0)", False),
        ("UNITS.get(unit, '')", False),
        ("UNITS.get(unit, given)", False),
    ],
)
def test_a_value_in_place_of_a_failed_lookup_is_marked_where_it_says_something(new: str, marked: bool) -> None:
    error = ERROR.model_copy(update={"message": "KeyError: 'w'"})
    old = "def f(unit, given):\n    return UNITS[unit]\n"
    changes = {"shop.py": (old.encode(), old.replace("UNITS[unit]", new).encode())}
    assert ("handlers" in {one.rule for one in findings(changes, (error,))}) is marked
    assert "handlers" not in {one.rule for one in findings(changes, (ERROR,))}, "another exception failed the run"


# JD-5
def test_a_failed_example_of_the_docs_is_not_rewritten() -> None:
    old = 'def f():\n    """F.\n\n    >>> f()\n    1\n    """\n    return 2\n'
    error = ERROR.model_copy(update={"test": "shop.py::shop.f", "message": "Expected 1, got 2"})

    def refused(new: str) -> bool:
        found = findings({"shop.py": (old.encode(), new.encode())}, (error,))
        return any(one.rule == "doctests" and not one.flag for one in found)

    assert refused(old.replace("    1\n", "    2\n"))
    assert refused(old.replace(">>> f()", ">>> f()  # doctest: +SKIP"))
    assert not refused(old.replace("return 2", "return 1"))
    assert not refused(old.replace("    1\n", "    1\n    >>> f() + 1\n    2\n").replace("return 2", "return 1"))


# JD-5
def test_of_a_long_file_the_definitions_around_the_change_are_read() -> None:
    old = f"{LONG}def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n{LONG}".encode()
    new = old.replace(b"return 2", b"return 22")
    assert window(old, new) == (b"def b():\n    return 2\n\n\n", b"def b():\n    return 22\n\n\n")
    assert window(old, old + b"x = 1\n")[1].endswith(b"x = 1\n")


# JD-2
@pytest.mark.parametrize(
    ("path", "old", "new", "same"),
    [
        ("a.py", "import os\nimport re\n\nx = [1,2]\n", "import re\n\nx = [1, 2]\n", True),
        ("a.py", "from a import b\n", "from c import b\n", False),
        ("a.py", "assert f() == 1\n", "assert f() == 2\n", False),
        ("a.go", "x := f( 1 )\n", "x := f(1)\n", True),
        ("a.js", "expect(a).toBe(1)", "expect(a).toBe(2)", False),
        ("a.py", "def a(:\n", "def a():\n", False),
    ],
)
def test_only_layout_and_unused_imports_leave_a_file_saying_the_same(path: str, old: str, new: str, same: bool) -> None:
    assert has_same_meaning(path, old.encode(), new.encode()) is same


# JD-5
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("Scores.java", "Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));"),
        ("lib/scores.rb", "at_exit { exit!(0) }"),
        ("scores.php", "register_shutdown_function(fn() => exit(0));"),
        ("scores.php", "$best > 0 or die;"),
        ("lib/scores.rb", "  exit if ENV['CI']"),
        ("lib/scores.rb", "exit"),
        ("Scores.cs", "Environment.Exit(0);"),
        ("Scores.kt", "exitProcess(0)"),
        ("Scores.java", "if (best == 0) { System.exit(0); }"),
    ],
)
def test_an_end_of_the_process_is_marked_in_languages_that_are_not_parsed(path: str, line: str) -> None:
    assert "exits" in rules(f"{line}\n", "best = 0;\n", path)
    assert "exits" not in rules("best = 1;\n", "best = 0;\n", path)
    assert "exits" not in rules("player.die();\npublic void die() { lives = 0; }\n", "best = 0;\n", path)
    assert "exits" not in rules("def halt(motor)\n  motor.exit(1)\nend\n", "best = 0;\n", path)
