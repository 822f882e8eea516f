"""What strangers write takes a bounded time to judge, and never breaks the guard."""

import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.model import Category, CIError
from healing.verify.guard import findings
from healing.verify.guard.reading.text import LANGUAGES
from tests.verify.guard.corpus import cases

SECONDS = 6  # on a slow machine with other work; the median is some milliseconds
NAMES = [f"src/a{suffix}" for suffix in LANGUAGES] + [
    "tests/test_a.py",
    "tests/a.test.ts",
    "a/a_test.go",
    "tests/a.rs",
    "pyproject.toml",
    "package.json",
    "tsconfig.json",
    ".golangci.yml",
    "setup.cfg",
    "Makefile",
    "README.md",
    "tests/data.bin",
]
ERRORS = tuple(
    CIError(id=f"E{i}", tool="lint", category=Category.LINT, message="m", file=path) for i, path in enumerate(NAMES)
)


def judged(path: str, old: bytes | None, new: bytes | None) -> float:
    """Seconds."""
    began = time.monotonic()
    findings({path: (old, new)}, ERRORS, lambda _: old)
    return time.monotonic() - began


ALIASES = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))
)
# What is hostile, as many times as one likes; about how many bytes one time has.
HOSTILE: dict[str, tuple[int, Callable[[int], bytes]]] = {
    "brackets": (1, lambda n: b"(" * n),
    "closed brackets": (2, lambda n: b"x = " + b"(" * n + b"1" + b")" * n),
    "braces": (1, lambda n: b"{" * n),
    "lists": (2, lambda n: b"[" * n + b"]" * n),
    "one long line": (7, lambda n: b"x = 1; " * n),
    "one long name": (1, lambda n: b"a" * n),
    "calls in calls": (6, lambda n: b"wait(" * n + b"1" + b")" * n),
    "a chain": (8, lambda n: b"expect(a)" + b".toBe(1)" * n),
    "a sum": (4, lambda n: b"x = 1" + b" + 1" * n),
    "spaces": (1, lambda n: b"catch" + b" " * n + b"x"),
    "noqa and spaces": (1, lambda n: b"# noqa" + b" " * n + b"x"),
    "open comments": (2, lambda n: b"/*" * n),
    "open texts": (2, lambda n: b'"\\' * n),
    "many sleeps": (14, lambda n: b"time.sleep(1)\n" * n),
    "many tests": (32, lambda n: b"def test_a():\n    assert a == 1\n" * n),
    "many ifs": (15, lambda n: b"if a:\n    pass\n" * n),
    "attributes": (8, lambda n: b"#[test]\n" * n + b"fn a() {}\n"),
    "unseen letters": (3, lambda n: "\u200b".encode() * n),
    "mixed letters": (3, lambda n: "a\u043e".encode() * n),
    "no text": (256, lambda n: bytes(range(256)) * n),
    "tables": (2, lambda n: b"[a" + b".a" * n + b"]\n"),
    "commas": (1, lambda n: b"{" + b"," * n + b"}"),
    "return characters": (10, lambda n: b"a = 1 # x\r" * n),
    "surrogates": (10, lambda n: b'x = "\xed\xa0\x80"\n' * n),
    "aliases": (150, lambda n: ALIASES * n),
}
READ = ["tests/test_a.py", "tests/a.test.ts", "a/a_test.go", "src/a.rs", "pyproject.toml", ".golangci.yml"]


def hostile(what: str, size: int) -> bytes:
    """About `size` bytes."""
    each, make = HOSTILE[what]
    return make(size // each)


# CK-5
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_text_is_judged_in_a_bounded_time(what: str) -> None:
    for path in READ:
        assert judged(path, b"a = 1\n", hostile(what, 8_000)) < SECONDS, path


# CK-5
@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
def test_much_hostile_text_is_judged_in_a_bounded_time(what: str) -> None:
    for path, size in [*((path, 95_000) for path in READ), ("src/a.py", 1_900_000), ("Makefile", 1_900_000)]:
        assert judged(path, b"a = 1\n", hostile(what, size)) < 5 * SECONDS, (path, size)


def test_a_file_that_is_too_long_to_review_is_refused_unread() -> None:
    long = b"x = 1  # noqa\n" * 200_000
    (found,) = [f for f in findings({"src/a.py": (b"", long)}, ()) if "longer" in f.why]
    assert found.rule == "caps"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NAMES), st.binary(max_size=300), st.none() | st.binary(max_size=300))
def test_no_bytes_break_the_guard(path: str, old: bytes, new: bytes | None) -> None:
    findings({path: (old, new)}, ERRORS, lambda _: old)


CASES = list(cases())


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(CASES), st.data())
def test_torn_code_does_not_break_the_guard(case: object, data: st.DataObject) -> None:
    assert isinstance(case, type(CASES[0]))
    for path in case.change:
        new = case.after(path) or b""
        at = data.draw(st.integers(0, len(new)))
        findings({path: (new, new[:at])}, case.errors)
        findings({path: (new[:at], new)}, case.errors)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(CASES))
def test_a_change_of_nothing_is_never_held_back(case: object) -> None:
    assert isinstance(case, type(CASES[0]))
    same = {path: (text.encode(), text.encode()) for path, text in case.files.items() if path in case.change}
    free = {path: change for path, change in same.items() if ".github" not in path}
    found = [f for f in findings(free, case.errors) if not f.flag and f.rule not in ("forbidden", "settings")]
    assert [str(f) for f in found if f.why != "is a test; the code that it tests is what has to be repaired"] == []
