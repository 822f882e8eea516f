"""Lines that sound like errors: which of them are reported, with which message and place."""

import pytest

from healing.logs.reading import read_log
from healing.model import CIError

NOISE = "checking for stdio.h... yes\nchecking for math.h... yes\n"


def errors_of(output: str) -> tuple[CIError, ...]:
    return read_log((NOISE + output).encode()).errors


# EX-11
@pytest.mark.parametrize(
    ("output", "message"),
    [
        (
            "SystemCheckError: System check identified some issues:\n\nERRORS:\n"
            "shop.A.p: (fields.E300) Field defines a relation with model 'B', which is not installed.\n",
            "ERRORS: shop.A.p: (fields.E300) Field defines a relation with model 'B', which is not installed.",
        ),
        (
            "ERROR: In procedure car:\nIn procedure car: Wrong type (expecting pair): 3\n3\n",
            "ERROR: In procedure car: In procedure car: Wrong type (expecting pair): 3",
        ),
        (
            "Linting\nErrors:\n1. pkg.main is dist/index.js but the file does not exist.\nSuggestions:\n1. Add it.\n",
            "Errors: 1. pkg.main is dist/index.js but the file does not exist.",
        ),
    ],
)
def test_a_heading_is_reported_with_the_message_on_the_next_line(output: str, message: str) -> None:
    assert message in [error.message for error in errors_of(output)]


# EX-11
def test_what_is_indented_under_an_error_is_in_its_excerpt() -> None:
    (error, *_) = errors_of(
        'Unhandled SIMPLE-ERROR in thread #<SB-THREAD:THREAD "main thread" RUNNING\n'
        "                                    {1001348003}>:\n"
        "  total is 3, wanted 4\n\n"
        "unhandled condition in --disable-debugger mode, quitting\n"
    )
    assert error.excerpt.endswith("\n  total is 3, wanted 4")


# EX-11
@pytest.mark.parametrize(
    "end",
    [
        "Failed at tests/cart.ml:8",
        "ERROR: tests/cart.ml:8:\n\ttest sum: failed",
        'Fatal error: exception Assert_failure("tests/cart.ml", 8, 68)',
    ],
)
def test_the_place_at_the_end_of_an_error_is_its_place(end: str) -> None:
    (error,) = errors_of(f"Scanning 3 parts\n{end}\n")
    assert (error.file, error.line) == ("tests/cart.ml", 8)


# EX-11
def test_a_host_and_its_port_are_no_place() -> None:
    (error,) = errors_of("Failed to connect to db.example.com:5432\n")
    assert (error.file, error.line) == (None, None)


# EX-11
@pytest.mark.parametrize(
    "line",
    [
        "==== sub-1.1 subtracts FAILED",
        "Hunk #1 FAILED at 1.",
        "1 out of 1 hunk FAILED -- saving rejects to file f.rej",
        "rake aborted!",
        "Command failed with status (1): [test -f nothere.lock...]",
        "---------------- RESULT: FAILED (minimum: 90.0%, actual: 0.0%) -----------------",
        "ASSERT:total of cart expected:<42> but was:<41>",
        "api.yml: Validation Error: 'version' is a required property",
        "        connect ECONNREFUSED 127.0.0.1:8080",
    ],
)
def test_a_line_that_names_a_failure_in_the_words_of_many_tools_is_reported(line: str) -> None:
    assert line.strip() in [error.message for error in errors_of(f"{line}\n")]


# EX-11
def test_source_below_an_error_is_only_part_of_it() -> None:
    errors = errors_of("lib/till.rb: rule failed to run\n  def initialize(expected=UNDEFINED)\nexit code: 1\n")
    assert [error.excerpt for error in errors if "initialize" in error.excerpt] == [
        "lib/till.rb: rule failed to run\n  def initialize(expected=UNDEFINED)"
    ]
