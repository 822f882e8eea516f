"""What is usually typed in a repository that names no command that judges it."""

import json

import pytest

from healing.checks.usual import usual_commands
from healing.view import DictView

PYPROJECT = """
[project]
dependencies = []
[dependency-groups]
tests = ["pytest"]
[tool.ruff]
line-length = 100
[tool.mypy]
files = "src"
"""


def package(**scripts: str) -> str:
    return json.dumps({"name": "x", "scripts": scripts})


# CLI-3
@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ({}, []),
        ({"README.md": "run pytest"}, []),
        ({"go.mod": "module x\n", "x.go": ""}, ["go test ./...", "go vet ./..."]),
        ({"sub/go.mod": "module x\n"}, []),
        ({"Cargo.toml": "[package]\n"}, ["cargo test"]),
        ({"Cargo.toml": "[package]\n", "rustfmt.toml": ""}, ["cargo test", "cargo fmt --check"]),
        ({"package.json": package(test="ava", lint="xo", build="x")}, ["npm test", "npm run lint"]),
        ({"package.json": package(test="ava"), "pnpm-lock.yaml": ""}, ["pnpm test"]),
        ({"package.json": package(test='echo "Error: no test specified" && exit 1')}, []),
        ({"package.json": '{"scripts": ["test"]}'}, []),
        ({"package.json": "[" * 100_000}, []),
        ({"pyproject.toml": PYPROJECT}, ["pytest", "ruff check .", "mypy"]),
        ({"pyproject.toml": PYPROJECT, ".pre-commit-config.yaml": ""}, ["pytest"]),
        ({"pyproject.toml": PYPROJECT, "tox.ini": "[tox]\n"}, ["tox"]),
        ({"pyproject.toml": PYPROJECT, "noxfile.py": ""}, ["nox"]),
        ({"pyproject.toml": "tool = 3"}, []),
        ({"pyproject.toml": "[tool.tox\n", "tests/test_a.py": ""}, ["python -m unittest"]),
        ({"tests/test_a.py": "class Test(unittest.TestCase):\n    def test_it(self): ..."}, ["python -m unittest"]),
        ({"tests/test_a.py": "def test_it():\n    assert True\n"}, ["pytest"]),
        ({"setup.py": "", "test_a.py": "import pytest\n"}, ["pytest"]),
        ({"setup.cfg": "[flake8]\n", "tests/conftest.py": ""}, ["pytest", "flake8"]),
        ({"requirements-dev.txt": "pytest>=8\n"}, ["pytest"]),
        ({"Makefile": "X := 1\ntest: all\n\tx\nlint:\n\ty\ntest-all: z\n"}, ["make test", "make lint"]),
        ({"Makefile": "test:\n\tgo test\n", "go.mod": "module x\n"}, ["go test ./...", "go vet ./..."]),
    ],
)
def test_the_files_of_a_repository_say_what_is_usual_there(files: dict[str, str], commands: list[str]) -> None:
    view = DictView({name: text.encode() for name, text in files.items()})
    assert [one.command for one in usual_commands(view)] == commands
    assert all(one.file in files or one.file == "conftest.py" for one in usual_commands(view))
