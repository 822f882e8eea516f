"""A red check in whose output nothing can be read has one error all the same, the formatter's where one was called."""

import pytest

from healing.checks.check import CheckResult, command_check
from healing.checks.unreadable import with_an_error


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
