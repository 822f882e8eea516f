"""Which tools a clone's own checks call."""

import pytest

from bot.laptop.used_tools import used_tools
from healing.checks.check import command_check

KNOWN = ("python", "pytest", "ruff", "black", "mypy", "uv", "poetry", "pre-commit", "npm", "eslint", "tsc")


# ENV-7
@pytest.mark.parametrize(
    ("command", "used"),
    [
        ("pytest -q", ["pytest"]),
        ("uv run mypy . && FOO=1 pytest -q", ["uv", "mypy", "pytest"]),
        ("python -m pre_commit run", ["python", "pre-commit"]),
        ("npx eslint src; cd web && tsc", ["eslint", "tsc"]),
        ("poetry run --quiet black .", ["poetry", "black"]),
        ("cat list | ruff check -", ["ruff"]),
        ("npm run lint", ["npm"]),
        ("echo ruff && ls pytest tests/mypy", []),
        ("x" * 100_000 + " a=b" * 50_000, []),
    ],
)
def test_what_stands_where_a_command_does_is_used(command: str, used: list[str]) -> None:
    assert list(used_tools([command_check(command)], KNOWN)) == used


# ENV-7
def test_each_tool_is_named_with_the_first_check_that_calls_it() -> None:
    checks = [command_check("ruff check ."), command_check("ruff format --check ."), command_check("mypy")]
    assert used_tools(checks, KNOWN) == {"ruff": "ruff check .", "mypy": "mypy"}
