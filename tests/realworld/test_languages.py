"""Slips and readers of the languages with braces, before they are believed: quick, and without a toolchain."""

from pathlib import Path

import pytest

from tests.realworld.c import C
from tests.realworld.catalogue import PROJECTS, cases
from tests.realworld.go import GO
from tests.realworld.javascript import JAVASCRIPT
from tests.realworld.language import Language, Seen
from tests.realworld.rust import RUST
from tests.realworld.sites import File, Source

NOWHERE = Path("/nonexistent")
CODE = {
    "Go": """package p

import (
\t"strings"
)

// first (number) is not code: return 1
func first(number int, other int) int {
\tif number == other {
\t\treturn 12
\t}
\ttotal := number + other
\treturn strings.Index(number, other)
}
""",
    "JavaScript": """"use strict";

function first(number, other) {
  if (number === other) {
    return other.length;
  }
  var total = number + other;
  return number.slice(number, other);
}
""",
    "Rust": """use std::fmt;

fn first(number: usize, other: usize) -> usize {
    if number == other {
        total = 12;
    }
    let total = number + other;
    return number.max(number, other);
}
""",
    "C": """#include <string.h>

static int first(int number, int other) {
  if (number == other) {
    return 12;
  }
  int total = number + other;
  return number.compare(number, other);
}
""",
}


def slips(language: Language, code: str) -> dict[str, list[bytes]]:
    source = Source("seed", (File("a", code.encode()),))
    makers = language.makers.items()
    return {name: [one.files["a"] for one in source.shuffled(name, make(source))] for name, make in makers}


@pytest.mark.parametrize("language", [GO, JAVASCRIPT, RUST, C], ids=lambda one: one.name)
def test_every_slip_is_found_and_changes_bytes_the_same_every_time(language: Language) -> None:
    code = CODE[language.name]
    found = slips(language, code)
    assert found == slips(language, code)
    without = {name for project in PROJECTS if project.language is language for name in project.without}
    for name, made in found.items():
        assert made or name in without | {"misspelt-member"}, name
        assert code.encode() not in made


def test_comments_texts_and_tests_in_the_file_stay_whole() -> None:
    code = 'fn f(number: u8) {\n    // if number == other {\n    let s = "a == b";\n}\n#[cfg(test)]\nmod t { x == y }\n'
    assert slips(RUST, code)["comparison"] == []
    assert RUST.tests_in(code.encode()) == b"#[cfg(test)]\nmod t { x == y }\n"


READ = [
    (GO, "Test", '{"Action":"pass","Package":"p","Test":"A"}\n{"Action":"fail","Package":"p","Test":"B"}\n# p', "p::B"),
    (JAVASCRIPT, "Tests", "TAP version 13\n# short\nok 1 a\nnot ok 2 b\n# tests 2", "short::b"),
    (RUST, "Test", "test a ... ok\ntest b::c ... FAILED\n", "b::c"),
    (C, "Check", "tests/x.c:1:a:PASS\ntests/x.c:2:b:FAIL: Expected 1 Was 2\n", "x.c::b"),
]


@pytest.mark.parametrize(("language", "step", "output", "failed"), READ)
def test_each_languages_tests_are_read(language: Language, step: str, output: str, failed: str) -> None:
    seen = Seen()
    language.steps[step].reader(seen, output, NOWHERE)
    assert (seen.failed, len(seen.passed)) == ({failed}, 1)


FINDINGS = [
    (GO, "Gofmt", "diff a.go.orig a.go\n--- a.go.orig\n", "a.go", ""),
    (GO, "Vet", "# p\nvet: ./a.go:3:2: undeclared name: x\n", "a.go", ""),
    (JAVASCRIPT, "ESLint", '[{"filePath":"/w/index.js","messages":[{"ruleId":"no-undef"}]}]', "index.js", "no-undef"),
    (JAVASCRIPT, "Prettier", "[warn] index.js\n[warn] Code style issues\n", "index.js", ""),
    (RUST, "Check", "src/a.rs:1:2: error[E0425]: cannot find value\n", "src/a.rs", "E0425"),
    (RUST, "Format", "Diff in /w/src/a.rs at line 3:\n", "src/a.rs", ""),
    (C, "Build", "cJSON.c:1:2: error: unused variable 'x' [-Werror=unused-variable]\n", "cJSON.c", "unused-variable"),
    (C, "Format", "cJSON.c:1:2: error: code should be clang-formatted [-Wclang-format-violations]\n", "cJSON.c", ""),
]


@pytest.mark.parametrize(
    ("language", "step", "output", "file", "code"), FINDINGS, ids=lambda one: getattr(one, "name", "")
)
def test_each_languages_findings_are_counted(language: Language, step: str, output: str, file: str, code: str) -> None:
    seen = Seen()
    language.steps[step].reader(seen, output, NOWHERE)
    ((name, found, reported), number) = next(iter(seen.findings.items()))
    assert (name, reported, number) == (step, code, 1)
    assert found.endswith(file)


def test_there_are_a_hundred_cases_in_five_languages() -> None:
    assert len(cases()) >= 100
    assert len({project.language.name for project in PROJECTS}) >= 5
    assert len({(project.name, name) for project, name in cases()}) == len(cases())
