"""The repo's own tools, run for real on small repos."""

from pathlib import Path

import pytest

from healing.model import Category, CIError
from healing.repair.tools import commit_message
from healing.repair.tools.black import Black
from healing.repair.tools.ruff import RuffCheck, RuffFormat
from healing.repair.tools.runner import Runner
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.repair.tools.running import run

PYTHON: tuple[Runner, ...] = (RuffCheck(), RuffFormat(), Black())
NO_CONFIG = ToolConfig(DictView({}))
RUFF_CONFIG = b'[tool.ruff.lint]\nselect = ["F", "E", "I"]\n'


def error(tool: str, code: str | None = None, category: Category = Category.LINT, file: str = "a.py") -> CIError:
    return CIError(id=f"{tool}{code}{file}", tool=tool, code=code, category=category, file=file, message="m")


# AF-1
def test_ruff_fixes_only_the_rule_that_ci_named(root: Path) -> None:
    files = {"pyproject.toml": RUFF_CONFIG.decode(), "a.py": "import sys\nimport os\n\nprint(sys.path)\n"}
    after = run(root, files, RuffCheck().calls(("a.py",), (error("ruff", "F401"),), NO_CONFIG))
    assert after["a.py"] == "import sys\n\nprint(sys.path)\n"


# AF-1
def test_imports_that_a_fix_of_ruff_leaves_unused_are_removed_where_the_settings_ask_for_it(root: Path) -> None:
    before = "from typing import Optional\n\n\ndef f(a: Optional[int]) -> int:\n    return a or 1\n"
    reported = (error("ruff", "UP045"),)
    for rules, first_line in ("['F', 'UP']", "def f(a: int | None) -> int:"), ("['UP']", "from typing import Optional"):
        config = ToolConfig(DictView({"ruff.toml": f"target-version = 'py311'\nlint.select = {rules}\n".encode()}))
        files = {"ruff.toml": config.view.read("ruff.toml").decode(), "a.py": before}
        after = run(root, files, RuffCheck().calls(("a.py",), reported, config))
        assert after["a.py"].strip().splitlines()[0] == first_line


def test_a_command_that_names_its_own_rules_is_followed_by_no_fix_of_other_rules() -> None:
    config = ToolConfig(DictView({}), ("ruff check --select UP .",))
    assert len(RuffCheck().calls(("a.py",), (error("ruff", "UP045"),), config)) == 1


def test_ruff_never_takes_an_unsafe_fix_even_where_the_repo_allows_it(root: Path) -> None:
    config = "[tool.ruff]\nunsafe-fixes = true\n[tool.ruff.lint]\nselect = ['F']\n"
    source = "def f():\n    x = 1\n    return 2\n"
    after = run(
        root,
        {"pyproject.toml": config, "a.py": source},
        RuffCheck().calls(("a.py",), (error("ruff", "F841"),), NO_CONFIG),
    )
    assert after["a.py"] == source


# AF-1
@pytest.mark.parametrize("runner", [RuffCheck(), RuffFormat()], ids=lambda r: r.name)
def test_ruff_leaves_files_that_the_repo_excludes_although_they_are_named(root: Path, runner: Runner) -> None:
    source = "import os\nx  =  1\n"
    files = {"ruff.toml": 'extend-exclude = ["gen"]\n', "gen/a.py": source}
    assert run(root, files, runner.calls(("gen/a.py",), (error("ruff", "F401"),), NO_CONFIG))["gen/a.py"] == source


def test_ruff_without_known_codes_follows_the_repos_own_rules(root: Path) -> None:
    files = {"ruff.toml": 'lint.select = ["I"]\n', "a.py": "import sys\nimport os\n"}
    after = run(root, files, RuffCheck().calls(("a.py",), (error("ruff", "not a code; rm -rf"),), NO_CONFIG))
    assert after["a.py"] == "import os\nimport sys\n"


def test_ruff_format_formats_only_the_files_it_is_given(root: Path) -> None:
    files = {"a.py": "x  =  1\n", "b.py": "x  =  1\n"}
    assert run(root, files, RuffFormat().calls(("a.py",), (), NO_CONFIG)) == {"a.py": "x = 1\n", "b.py": "x  =  1\n"}


# AF-1
def test_black_formats_only_the_files_it_is_given_and_obeys_the_repos_excludes(root: Path) -> None:
    config = "[tool.black]\nline-length = 20\nextend-exclude = 'gen/'\n"
    ugly = "x = f(aaaaaaaa, bbbbbbb)\n"
    files = {"pyproject.toml": config, "pkg/a.py": ugly, "pkg/b.py": ugly, "gen/a.py": ugly}
    after = run(root, files, Black().calls(("gen/a.py", "pkg/a.py"), (), NO_CONFIG))
    assert after["pkg/a.py"] == "x = f(\n    aaaaaaaa,\n    bbbbbbb,\n)\n"
    assert (after["pkg/b.py"], after["gen/a.py"]) == (ugly, ugly)


@pytest.mark.parametrize("runner", PYTHON, ids=lambda r: r.name)
def test_a_file_name_that_looks_like_an_option_is_still_a_file(root: Path, runner: Runner) -> None:
    files = {"--config.py": "x = 1\n"}
    assert run(root, files, runner.calls(("--config.py",), (), NO_CONFIG)) == files


@pytest.mark.parametrize("runner", PYTHON, ids=lambda r: r.name)
def test_without_a_python_file_there_is_nothing_to_run(runner: Runner) -> None:
    assert runner.calls(("README.md",), (), NO_CONFIG) == ()


USED: list[tuple[Runner, dict[str, bytes], tuple[str, ...], bool]] = [
    (RuffCheck(), {"pyproject.toml": b"[tool.ruff]\nline-length = 99\n"}, (), True),
    (RuffCheck(), {"ruff.toml": b""}, (), True),
    (RuffCheck(), {".pre-commit-config.yaml": b"repos:\n- hooks:\n  - id: ruff-check\n"}, (), True),
    (RuffCheck(), {}, ("python -m pip install ruff && ruff check .",), True),
    (RuffCheck(), {}, ("uv run ruff check src",), True),
    (RuffCheck(), {}, ("ruff format --check .",), False),
    (RuffCheck(), {"pyproject.toml": b"[tool.black]\n"}, ("pytest",), False),
    (RuffCheck(), {"pyproject.toml": b"[tool.ruff\nbroken = \xff"}, ("./my-ruff-thing",), False),
    (RuffFormat(), {"pyproject.toml": b"[tool.ruff]\nline-length = 99\n"}, ("ruff check .",), False),
    (RuffFormat(), {"pyproject.toml": b"[tool.ruff.format]\nquote-style = 'single'\n"}, (), True),
    (RuffFormat(), {".pre-commit-config.yaml": b"    -   id: ruff-format\n"}, (), True),
    (RuffFormat(), {}, ("ruff check .; ruff format --check .",), True),
    (Black(), {"pyproject.toml": b"[tool.black]\n"}, (), True),
    (Black(), {}, ("python -m black --check .",), True),
    (Black(), {}, ("pip install 'black>=24'",), False),
    (Black(), {}, ("pip install black ruff\nruff check .",), False),
    (Black(), {"pyproject.toml": b"[tool.ruff]\n"}, ("ruff check .",), False),
]


# AF-1
@pytest.mark.parametrize(("runner", "files", "commands", "used"), USED)
def test_a_tool_is_used_where_the_repo_or_its_ci_says_so(
    runner: Runner, files: dict[str, bytes], commands: tuple[str, ...], used: bool
) -> None:
    assert runner.used(ToolConfig(DictView(files), commands)) is used


def test_each_runner_wants_what_its_own_tool_said() -> None:
    errors = (error("ruff", "F401"), error("ruff", None, Category.FORMAT), error("black"), error("mypy"))
    assert [runner.wants(errors) for runner in PYTHON] == [errors[:1], errors[1:2], errors[2:3]]


# AF-2
def test_the_commit_names_the_tools_that_changed_something() -> None:
    assert commit_message(["ruff", "black", "ruff"]) == "chore: autofix [black, ruff]"
