"""What strangers write takes a bounded time to judge, and never breaks the guard."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.guard import findings
from healing.guard.reading.text import LANGUAGES
from healing.model import Category, CIError
from tests.guard.corpus import cases

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


HOSTILE = {
    "brackets": b"(" * 100_000,
    "closed brackets": b"x = " + b"(" * 5_000 + b"1" + b")" * 5_000,
    "braces": b"{" * 100_000,
    "lists": b"[" * 60_000 + b"]" * 60_000,
    "one long line": b"x = 1; " * 20_000,
    "one long name": b"a" * 190_000,
    "calls in calls": b"wait(" * 30_000 + b"1" + b")" * 30_000,
    "a chain": b"expect(a)" + b".toBe(1)" * 20_000,
    "a sum": b"x = 1" + b" + 1" * 40_000,
    "spaces": b"catch" + b" " * 190_000 + b"x",
    "noqa and spaces": b"# noqa" + b" " * 190_000 + b"x",
    "open comments": b"/*" * 90_000,
    "open texts": b'"\\' * 90_000,
    "many sleeps": b"time.sleep(1)\n" * 13_000,
    "many tests": b"def test_a():\n    assert a == 1\n" * 5_000,
    "many ifs": b"if a:\n    pass\n" * 13_000,
    "attributes": b"#[test]\n" * 20_000 + b"fn a() {}\n",
    "unseen": "\u200b".encode() * 60_000,
    "mixed letters": "a\u043e".encode() * 60_000,
    "no text": bytes(range(256)) * 700,
    "aliases": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))),
    "tables": b"[a" + b".a" * 50_000 + b"]\n",
    "commas": b"{" + b"," * 190_000 + b"}",
    "return characters": b"a = 1 # x\r" * 19_000,
    "surrogates": b'x = "\xed\xa0\x80"\n' * 1_000,
}


# CK-5
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_text_is_judged_in_a_bounded_time(what: str) -> None:
    for path in NAMES:
        assert judged(path, HOSTILE[what], HOSTILE[what] + b"\n") < SECONDS, path
        assert judged(path, b"a = 1\n", HOSTILE[what]) < SECONDS, path


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
