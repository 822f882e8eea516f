"""A red check in whose output nothing can be read has one error all the same, the formatter's where one was called."""

import pytest

from healing.checks.check import CheckResult, command_check
from healing.checks.unreadable import with_an_error
from healing.model import Category, CIError
from tests.pipeline.bench import Bench


def silent(command: str, exit_code: int = 1) -> tuple[tuple[str, str], ...]:
    check = command_check(command)
    result = CheckResult(check_key=check.key, tree="t", exit_code=exit_code)
    return tuple((error.tool, error.category) for error in with_an_error(check, result).errors)


# AF-1
@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ('test -z "$(gofmt -l .)"', "gofmt"),
        ("test -z `gofmt -s -l a.go b.go`", "gofmt"),
        ('if [ -n "$(/usr/bin/goimports -local example.com -l .)" ]; then exit 1; fi', "goimports"),
        ('x=$(./node_modules/.bin/prettier --list-different src); test -z "$x"', "prettier"),
        ('test -z "$(rustfmt --check -l src/lib.rs)"', "rustfmt"),
    ],
)
def test_a_silent_check_that_takes_a_formatters_list_is_that_formatters_error(command: str, tool: str) -> None:
    assert silent(command) == ((tool, "format"),)


# EX-9
@pytest.mark.parametrize(
    "command",
    ["false", "gofmt -l .", 'test -z "$(goimports -local example.com .)"', 'test "$(gofmt --version)" = 1', "$(gofmt)"],
)
def test_any_other_silent_check_has_an_error_that_nothing_could_read(command: str) -> None:
    assert silent(command) == (("unread", "config"),)


# EX-9
def test_a_green_check_has_none() -> None:
    assert silent("true", 0) == ()


DIFF = """\
diff --git a/docs/api.md b/docs/api.md
index 1111111..2222222 100644
--- a/docs/api.md
+++ b/docs/api.md
@@ -1 +1,2 @@
+- error: what failed
make: *** [Makefile:4: check] Error 1
"""


# AF-1
@pytest.mark.parametrize(
    ("tools", "found"),
    [(["log", "make"], [("git", "docs/api.md")]), (["log", "ruff"], [("log", None), ("ruff", None)])],
)
def test_the_files_of_a_diff_at_the_end_are_the_errors_where_no_tool_says_more(
    tools: list[str], found: list[tuple[str, str | None]]
) -> None:
    check = command_check("make check")
    errors = tuple(CIError(id=tool, tool=tool, category=Category.RUNTIME, message="m") for tool in tools)
    result = CheckResult(check_key=check.key, tree="t", exit_code=2, output=DIFF, errors=errors)
    assert [(error.tool, error.file) for error in with_an_error(check, result).errors] == found


def test_a_path_out_of_the_repository_in_a_diff_is_no_file_of_an_error() -> None:
    check = command_check("make check")
    for path in ("../../etc/passwd", "/etc/passwd", "a/../../b"):
        output = f"diff --git a/{path} b/{path}\n"
        result = CheckResult(check_key=check.key, tree="t", exit_code=1, output=output)
        assert [error.file for error in with_an_error(check, result).errors] == [None]


# AF-1
async def test_a_generated_file_that_is_out_of_date_is_written_anew(bench: Bench) -> None:
    make = "check:\n\tsed 's/^/- /' names.txt > docs.md\n\tgit diff --exit-code\n"
    base = {"Makefile": make, "names.txt": "one\n", "docs.md": "- one\n"}
    outcome = await bench.heal(base, {"names.txt": "one\ntwo\n"}, "make check", on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    (edit,) = (edit for proposal in outcome.proposals for edit in proposal.edits)
    assert (edit.file, edit.new_string) == ("docs.md", "- one\n- two\n")
