"""Problem matchers: a person's patterns are read as GitHub's runner reads them, and a bad one never breaks reading."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.logs.matchers import MatcherError, ProblemMatcher, expression, read_matchers
from healing.logs.matching import Matching
from healing.logs.reading import LogContext, LogReport, read_log
from healing.model import Severity

HOUSE = {"regexp": r"^(.+):(\d+): (\w+) (.*)$", "file": 1, "line": 2, "code": 3, "message": 4}
STYLISH = [
    {"regexp": r"^([^\s].*)$", "file": 1},
    {
        "regexp": r"^\s+(\d+):(\d+)\s+(error|warning|info)\s+(.*)\s\s+(.*)$",
        "line": 1, "column": 2, "severity": 3, "message": 4, "code": 5, "loop": True,
    },
]  # fmt: skip
TREE = ("src/a.zz", "src/b.zz", ".github/house.json")


def matchers(*patterns: Any, owner: str = "house", **more: str) -> tuple[ProblemMatcher, ...]:
    return read_matchers(as_file({"owner": owner, "pattern": list(patterns), **more}))


def as_file(*found: Any) -> bytes:
    return json.dumps({"problemMatcher": list(found)}).encode()


def read(log: str, *configured: ProblemMatcher, files: dict[str, bytes] | None = None, **more: Any) -> LogReport:
    matching = Matching(configured, (files or {}).get, **more)
    return read_log(log.encode(), LogContext(known_files=TREE, formats=(matching.format(),)))


def spots(report: LogReport) -> list[tuple[str | None, int | None, str | None, str]]:
    return [(e.file, e.line, e.code, e.message) for e in report.errors]


# EX-7
def test_a_pattern_of_ones_own_gives_errors_with_place_code_and_tool() -> None:
    (error,) = read("hello\nsrc/a.zz:3: X1 no house style\n", *matchers(HOUSE)).errors
    assert (error.tool, error.file, error.line, error.code, error.message) == (
        "house", "src/a.zz", 3, "X1", "no house style",
    )  # fmt: skip
    assert (error.severity, error.log_line, error.excerpt) == (Severity.ERROR, 2, "src/a.zz:3: X1 no house style")


# EX-3
def test_a_looping_last_pattern_gives_one_error_a_line_until_a_line_does_not_fit() -> None:
    log = "src/a.zz\n  1:2  error  bad  r-1\n  3:4  warning  worse  r-2\n\n  5:6  error  no file above it  r-3\n"
    report = read(log, *matchers(*STYLISH))
    assert spots(report) == [("src/a.zz", 1, "r-1", "bad"), ("src/a.zz", 3, "r-2", "worse")]
    assert [e.severity for e in report.errors] == [Severity.ERROR, Severity.WARNING]


# EX-3
def test_patterns_of_several_lines_have_to_fit_lines_in_a_row() -> None:
    three = matchers(
        {"regexp": "^FAIL (.+)$", "message": 1},
        {"regexp": "^  in (.+)$", "file": 1},
        {"regexp": r"^  at line (\d+)$", "line": 1},
    )
    good, torn = "FAIL one\n  in src/a.zz\n  at line 7\n", "FAIL two\n  in src/b.zz\n\n  at line 8\n"
    report = read(torn + good + "FAIL FAIL three\nFAIL four\n  in src/b.zz\n  at line 9\n", *three)
    assert spots(report) == [("src/a.zz", 7, None, "one"), ("src/b.zz", 9, None, "four")]
    assert report.errors[0].excerpt == good.rstrip()
    assert report.errors[0].log_line == 5


def test_the_line_names_the_severity_else_the_matcher_does_and_an_unknown_one_is_no_problem() -> None:
    pattern = {"regexp": r"^(\w*)!(.*)$", "severity": 1, "message": 2}
    report = read("warning!a\n!b\nbanana!c\nERROR!d\n", *matchers(pattern, severity="notice"))
    found = {e.message: e.severity for e in report.errors}
    assert found == {"a": Severity.WARNING, "b": Severity.NOTE, "d": Severity.ERROR}


def test_a_file_can_be_relative_to_another_path_of_the_line() -> None:
    pattern = {"regexp": r"^(\S+): (.+) \[(.+)\]$", "file": 1, "message": 2, "fromPath": 3}
    assert read("a.zz: bad [src/project.zz]\n", *matchers(pattern)).errors[0].file == "src/a.zz"


def test_a_tool_that_heal_knows_is_told_once_and_by_its_own_format() -> None:
    mypy = {"regexp": r"^(.+):(\d+): error: (.+)  \[(.+)\]$", "file": 1, "line": 2, "message": 3, "code": 4}
    report = read("shop.py:3: error: Name is bad  [name-defined]\n", *matchers(mypy, owner="types"))
    assert [(e.tool, e.code) for e in report.errors] == [("mypy", "name-defined")]


# EX-7
def test_a_log_adds_matchers_from_the_tree_that_ci_built_and_ends_them() -> None:
    line = "src/a.zz:{}: X1 bad\n"
    log = (
        line.format(1) + "::add-matcher::.github/house.json\n" + line.format(2)
        + "::remove-matcher owner=house::\n" + line.format(3)
        + "##[add-matcher]/home/runner/work/r/r/.github/house.json\n" + line.format(4)
    )  # fmt: skip
    report = read(log, files={".github/house.json": as_file({"owner": "house", "pattern": [HOUSE]})})
    assert [e.line for e in report.errors if e.tool == "house"] == [2, 4]


# EX-7
def test_a_command_of_the_workflow_counts_since_github_keeps_it_out_of_the_log() -> None:
    files = {".github/house.json": as_file({"owner": "house", "pattern": [HOUSE]})}
    scripts = ('echo "::add-matcher::.github/house.json"\nmake style',)
    assert read("src/a.zz:1: X1 bad\n", files=files, scripts=scripts).errors[0].tool == "house"


# EX-9
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "the repository has no such file"),
        (b"{", "it is no JSON"),
        (b"[]", 'no list under "problemMatcher"'),
        (as_file({"owner": "x", "pattern": []}), "problemMatcher[0]: it has no pattern"),
        (as_file({"owner": "x", "pattern": [{"regexp": "(?=a)", "message": 0}]}), "It has no lookahead"),
    ],
)
def test_a_bad_matcher_is_named_and_the_rest_is_read(content: bytes | None, why: str) -> None:
    matching = Matching(matchers(HOUSE), {".github/house.json": content}.get)
    log = b"::add-matcher::.github/house.json\nsrc/a.zz:1: X1 bad\n"
    report = read_log(log, LogContext(known_files=TREE, formats=(matching.format(),)))
    assert len(report.errors) == 1
    (output,) = matching.not_looked.values()
    assert output.what == "problem matchers of .github/house.json"
    assert why in output.why


def test_matchers_of_actions_outside_of_the_repository_are_none_of_our_business() -> None:
    matching = Matching((), {}.get)
    log = b"##[add-matcher]/home/runner/work/_actions/actions/setup-go/v5/matchers.json\n::add-matcher::../../x.json\n"
    read_log(log, LogContext(known_files=TREE, formats=(matching.format(),)))
    assert not matching.not_looked


REFUSED = [
    ([{"regexp": r"(a)\1", "message": 1}], "It has no backreferences"),
    ([{"regexp": "(a", "message": 1}], "missing )"),
    ([{"regexp": "(a)", "message": 2}], "`message` is group 2, but the expression has only 1"),
    ([{"regexp": "(a)", "file": 1}], "one of the patterns has to name `message`"),
    ([{"regexp": "(a)", "message": 1, "loop": True}], "only the last of several patterns may have `loop`"),
    ([{"regexp": "(a)", "file": 1}, {"regexp": "b", "file": 0, "message": 0}], "`file` is named by two patterns"),
    ([{"regexp": "(a)", "message": 1}, {"regexp": "(b)", "file": 1, "loop": True}], "has to name `message`"),
    ([{"regexp": "((a{30}){30}){2}" * 3, "message": 1}], "bad repetition|too large|invalid repetition"),
]


@pytest.mark.parametrize(("patterns", "why"), REFUSED)
def test_what_makes_no_sense_is_refused_with_the_reason(patterns: list[dict[str, object]], why: str) -> None:
    with pytest.raises(MatcherError, match=why.replace("`", "`").replace(")", r"\)") if why == "missing )" else why):
        matchers(*patterns)


def test_githubs_own_escapes_and_names_of_groups_are_understood() -> None:
    assert expression(r"\u001b\[(?<code>\d+)m\\u").search("\x1b[31m\\u")
    assert matchers(HOUSE | {"$comment": "?"}, label="of VS Code")[0].owner == "house"


def test_two_matchers_of_one_owner_are_refused() -> None:
    with pytest.raises(MatcherError, match="the owner `house` is there twice"):
        read_matchers(as_file({"owner": "house", "pattern": [HOUSE]}, {"owner": "house", "pattern": [HOUSE]}))


def test_an_expression_that_kills_others_takes_no_time() -> None:
    evil = matchers({"regexp": r"^((a+)+)+$", "message": 1}, {"regexp": r"(.*a){12}x", "file": 0})
    begun = time.process_time()
    read("a" * 50_000 + "b\n" + ("a" * 3_000 + "b\n") * 20, *evil)
    assert time.process_time() - begun < 5


@given(st.binary(max_size=300), st.text(max_size=40))
@settings(deadline=None)
def test_no_file_and_no_expression_make_it_raise_anything_else(data: bytes, regexp: str) -> None:
    with pytest.raises(MatcherError):
        read_matchers(data)
    try:
        found = matchers({"regexp": regexp, "message": 0})
    except MatcherError:
        return
    read(f"{regexp}\nabc\n", *found)
