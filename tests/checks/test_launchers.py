"""Commands that make an environment to run others in it are opened into these others."""

import pytest

from healing.checks.launchers import Launchers
from healing.view import DictView

FILES = {
    "tox.ini": "[testenv]\ncommands =\n  coverage run -m pytest -q\n  coverage report\n[testenv:lint]\n"
    "commands = pre-commit run --all-files\n",
    "noxfile.py": """\
import nox
@nox.session(python=["3.11", "3.12"])
def tests(session):
    session.install("-e", ".")
    session.run("pytest", "-q", *session.posargs)
@nox.session(name="types")
def mypy_session(session):
    session.run("mypy", "src")
""",
    "pyproject.toml": """\
[tool.hatch.envs.default.scripts]
test = "pytest {args:tests}"
all = ["lint", "test"]
lint = "ruff check ."
[tool.pdm.scripts]
check = {cmd = "mypy src"}
""",
    ".pre-commit-config.yaml": """\
exclude: ^vendor/
repos:
- repo: https://github.com/astral-sh/ruff-pre-commit
  rev: v0.6.0
  hooks: [{id: ruff, args: [--fix, --select=F]}]
- repo: https://github.com/pre-commit/mirrors-mypy
  rev: v1.0
  hooks: [{id: mypy, pass_filenames: false}]
- repo: https://github.com/pre-commit/pre-commit-hooks
  rev: v4.0
  hooks: [{id: trailing-whitespace}]
- repo: local
  hooks: [{id: own, entry: python lint.py, language: system, types: [python], files: ^src/}]
- repo: https://github.com/acme/hooks
  rev: v1
  hooks: [{id: secret-sauce}]
""",
}
VIEW = DictView({name: text.encode() for name, text in FILES.items()})


def opened(line: str, *installed: str, **variables: str) -> list[str] | None:
    found = Launchers(VIEW, installed.__contains__).opened(line, variables)
    return None if found is None else [one.lacks or one.command for one in found]


# ENV-2, ENV-7
@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("uv run pytest -q", ["pytest -q"]),
        ("uv run --frozen --group test --with dist/*.whl -m pytest", ["python -m pytest"]),
        ("uv --quiet run -- mypy src", ["mypy src"]),
        ("uvx ruff@0.6.0 check .", ["ruff check ."]),
        ("uv tool run --from ruff ruff check .", ["ruff check ."]),
        ("pipx run black --check .", ["black --check ."]),
        ("poetry run pytest tests/unit", ["pytest tests/unit"]),
        ("A=1 poetry run pytest", ["pytest"]),
        ("pdm run check --strict", ["mypy src --strict"]),
        ("hatch run test", ["pytest tests"]),
        ("hatch run default:test -k one", ["pytest -k one"]),
        ("hatch run all", ["ruff check .", "pytest tests"]),
        ("hatch test", ["pytest tests"]),
        ("nox", ["pytest -q", "mypy src"]),
        ("nox -s tests-3.11", ["pytest -q"]),
        ("python -m nox --session types", ["mypy src"]),
        ("tox -e py312", ["python -m pytest -q"]),
        ("uvx --with tox-uv tox run -e $NAME", ["python -m pytest -q"]),
        ("coverage run --source=src -m pytest", ["python -m pytest"]),
        ("coverage report --fail-under=100", []),
        ("make install test", ["make test"]),
        ("make deps", []),
    ],
)
def test_what_is_left_is_what_looks_at_the_code(line: str, left: list[str]) -> None:
    assert opened(line, NAME="py311") == left


# ENV-1
@pytest.mark.parametrize(
    "line",
    [
        "pytest -q",
        "tox list",
        "tox -e nowhere",
        "uv sync",
        "uv pip install x",
        "make test",
        "nox -t fast",
        "tox -c x.ini",
        "uv run pytest && echo done",
        "uv run `cat x`",
        "uv run 'unfinished",
        "poetry install",
        "hatch build",
        "",
    ],
)
def test_what_can_not_be_said_stays_as_it_is(line: str) -> None:
    assert opened(line) is None


# ENV-1
def test_a_program_that_the_environment_has_is_not_opened() -> None:
    assert opened("tox -e py", "tox") is None
    assert opened("uv run tox -e py", "tox") == ["tox -e py"]


# ENV-2
def test_hooks_are_the_tools_that_they_are_made_of_and_change_no_file() -> None:
    ruff = "git ls-files -z -- '*.py' '*.pyi' | grep -zvP '^vendor/' | xargs -0 -r ruff check --no-fix --force-exclude"
    own = "git ls-files -z -- '*.py' '*.pyi' | grep -zP '^src/' | grep -zvP '^vendor/' | xargs -0 -r python lint.py"
    expected = [
        f"{ruff} --select=F",
        "mypy --ignore-missing-imports --scripts-are-modules",
        own,
        "the hook secret-sauce is known to pre-commit alone",
    ]
    assert opened("tox -e lint") == expected
    assert opened("pre-commit run mypy --all-files") == expected[1:2]
    assert opened("pre-commit autoupdate") is None


# ENV-2
@pytest.mark.parametrize(
    "config", [b"", b"repos: 3", b"repos: [", b"- a", b"repos:\n- hooks: [{id: [x]}, 3]\n", b"\xff"]
)
def test_a_strange_configuration_gives_no_traceback(config: bytes) -> None:
    launchers = Launchers(DictView({".pre-commit-config.yaml": config}), lambda _: False)
    assert not [one for one in launchers.opened("pre-commit run", {}) or () if one.command]
