"""Commands that end at their first failure, and the same commands without that."""

import pytest

from healing.checks.check import Script
from healing.checks.stopping import continuing_command, past_collection
from healing.view import DictView

PACKAGE = (
    b'{"scripts": {"test": "mocha --require test/env --bail test/", "unit": "jest", "both": "tsc && jest --bail"}}'
)


# ENV-7
@pytest.mark.parametrize(
    ("run", "option", "command"),
    [
        ("pytest -x tests", "-x", "pytest tests"),
        ("python -m pytest -q -xvs", "-x", "python -m pytest -q -vs"),
        ("uv run pytest --maxfail=2 -q", "--maxfail=2", "uv run pytest -q"),
        ("pytest --maxfail=0", "", ""),
        ("python -m unittest -f", "-f", "python -m unittest"),
        ("npx mocha --bail 'test/**/*.js'", "--bail", "npx mocha 'test/**/*.js'"),
        ("npm test", "--bail", "npx --no-install mocha --require test/env test/"),
        ("npm test -- --grep a", "--bail", "npx --no-install mocha --require test/env test/ --grep a"),
        ("npm run unit", "", ""),
        ("pnpm run both", "", ""),
        ("go test -failfast ./...", "-failfast", "go test ./..."),
        ("tar -x -f a.tar", "", ""),
        ("pytest tests\nmocha -b", "", ""),
        ("pytest 'unclosed", "", ""),
    ],
)
def test_the_option_that_ends_a_command_early_is_found_and_taken_out(run: str, option: str, command: str) -> None:
    found = continuing_command(Script(name="test", run=run), DictView({"package.json": PACKAGE}))
    assert (found.option if found else "", found.command if found else "") == (option, command)


# ENV-3
@pytest.mark.parametrize(
    ("run", "ended", "command"),
    [
        ("pytest -q", True, "pytest -q --continue-on-collection-errors"),
        ("pytest -q", False, ""),
        ("python -m pytest", True, "python -m pytest --continue-on-collection-errors"),
        ("pytest && ruff check .", True, ""),
        ("make test", True, ""),
        ("pytest --continue-on-collection-errors", True, ""),
    ],
)
def test_where_a_file_cannot_be_collected_the_command_for_the_others_is_known(
    run: str, ended: bool, command: str
) -> None:
    output = (
        "!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!\n" if ended else "1 failed in 1s\n"
    )
    assert past_collection(Script(name="test", run=run), output) == command
