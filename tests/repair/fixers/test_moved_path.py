"""Paths in Makefiles, scripts and `#include`s, and imports of Go, of what a pull request moved."""

import pytest

from healing.model import Category, CIError
from healing.verify.faults import Before, faults
from healing.verify.roles import FileRole, Role
from healing.view import DictView
from tests.repair.fixers.repos import Broken

PATH, PACKAGE = "fixer:moved_path", "fixer:moved_package"
TEXT = "int first;\nint second;\nint third;\n"


def followed(source: str, broken: Broken, message: str, file: str) -> list[dict[str, str]]:
    broken.said(message, (file, 1), category=Category.CONFIG)
    return [broken.after(one) for one in broken.candidates() if one.source == source]


# AF-3
@pytest.mark.parametrize(
    ("old", "new", "reader", "was", "now"),
    [
        ("src/poly.c", "src/line.c", "CMakeLists.txt", "add(src/a.c src/poly.c)\n", "add(src/a.c src/line.c)\n"),
        ("src/poly.c", "src/line.c", "src/CMakeLists.txt", "add(a.c poly.c)\n", "add(a.c line.c)\n"),
        ("src/poly.c", "src/line.c", "Makefile", "OBJS = build/poly.o b.o\n", "OBJS = build/line.o b.o\n"),
        ("lib/poly.sh", "lib/sh/poly.sh", "bin/go", 'source "$here/lib/poly.sh"\n', 'source "$here/lib/sh/poly.sh"\n'),
        ("inc/poly.h", "inc/geo/poly.h", "src/a.c", '#include "poly.h"\n', '#include "geo/poly.h"\n'),
        ("poly.txt", "data/poly.txt", "run.sh", "cat ./poly.txt\n", "cat ./data/poly.txt\n"),
    ],
)
def test_what_has_the_old_path_follows(old: str, new: str, reader: str, was: str, now: str) -> None:
    broken = Broken({new: TEXT, reader: was}, {old: TEXT, reader: was})
    message = f"{old}: No such file or directory; No rule to make target 'poly.o'"
    assert followed(PATH, broken, message, reader) == [{reader: now}]


# AF-3
@pytest.mark.parametrize(
    ("files", "was"),
    [
        ({"src/a/poly.c": TEXT, "src/b/poly.c": TEXT}, "add(src/poly.c)\n"),
        ({"src/line.c": "int other;\n"}, "add(src/poly.c)\n"),
        ({"src/line.c": TEXT}, "add(src/poly.cpp src/poly.c.in other/src/poly.c)\n"),
    ],
)
def test_nothing_follows_where_the_new_path_or_the_old_one_is_not_clear(files: dict[str, str], was: str) -> None:
    broken = Broken({**files, "CMakeLists.txt": was}, {"src/poly.c": TEXT, "CMakeLists.txt": was})
    assert followed(PATH, broken, "Cannot find source file: src/poly.c", "CMakeLists.txt") == []


# AF-3
def test_a_bare_word_is_no_path() -> None:
    makefile = "build: a.c\n\tsh ./build\n"
    broken = Broken({"tools/build": TEXT, "Makefile": makefile}, {"build": TEXT, "Makefile": makefile})
    assert followed(PATH, broken, "sh: ./build: No such file or directory", "Makefile") == []


# AF-3
def test_imports_follow_a_go_package_that_moved_as_a_whole() -> None:
    module = {"go.mod": "module example.com/m\n\ngo 1.19\n"}
    main = 'package main\n\nimport "example.com/m/store"\n\nfunc main() { store.Open() }\n'
    store, more = "package store\n\nfunc Open() {}\n", "package store\n\nfunc Close() {}\n"
    before = {**module, "main.go": main, "store/a.go": store, "store/b.go": more}
    message = "no required module provides package example.com/m/store; to add it:\n\tgo get example.com/m/store"
    after = {**module, "main.go": main, "internal/store/a.go": store, "internal/store/b.go": more}
    expected = {"main.go": main.replace("m/store", "m/internal/store")}
    assert followed(PACKAGE, Broken(after, before), message, "main.go") == [expected]
    half = {**module, "main.go": main, "internal/store/a.go": store, "store/b.go": more}
    assert followed(PACKAGE, Broken(half, before), message, "main.go") == []


# JD-2
@pytest.mark.parametrize(
    ("new", "message", "at_fault"),
    [
        (b"app: maths.o\n", "make: *** No rule to make target 'helper.o'", True),
        (b"app: other.o\n", "make: *** No rule to make target 'helper.o'", False),  # it isn't what the file became
        (b"app: maths.o main.o\n", "make: *** No rule to make target 'helper.o'", False),  # something else changes too
        (b"app: maths.o\n", "make: *** [app] Error 1", False),  # no error says the old name
    ],
)
def test_a_makefile_may_follow_a_file_that_the_change_renamed_and_nothing_else(
    new: bytes, message: str, at_fault: bool
) -> None:
    was, code = b"app: helper.o\n", b"int twice(int a) { return 2 * a; }\n"
    before = Before(
        DictView({"Makefile": was, "maths.c": code, "other.c": b"int a;\n"}),
        DictView({"Makefile": was, "helper.c": code, "other.c": b"int a;\n"}),
    )
    error = CIError(id="E", tool="make", category=Category.COMPILE, message=message)
    found = faults({"Makefile": (was, new)}, {"Makefile": FileRole(Role.JUDGE, "")}, (error,), before)
    assert [fault.why for fault in found.values()] == (
        ["this pull request renamed the file helper"] if at_fault else []
    )
