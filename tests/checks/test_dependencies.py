"""Whether a change asks for other dependencies than its base: then a person's one environment can't judge both."""

import pytest

from healing.checks.dependencies import changed_dependencies
from healing.view import DictView


# ENV-3
@pytest.mark.parametrize(
    ("path", "before", "after", "said"),
    [
        ("requirements-dev.txt", "black==23.1\n", "black==25.1\n", True),
        ("uv.lock", "a", "b", True),
        ("web/package-lock.json", "{}", "{ }", True),
        ("package.json", '{"devDependencies": {"a": "1"}}', '{"devDependencies": {"a": "2"}}', True),
        ("package.json", '{"scripts": {"a": "1"}}', '{"scripts": {"a": "2"}}', False),
        ("pyproject.toml", '[project]\ndependencies = ["a<2"]\n', '[project]\ndependencies = ["a<3"]\n', True),
        ("pyproject.toml", "[tool.ruff]\nline-length = 80\n", "[tool.ruff]\nline-length = 90\n", False),
        ("setup.cfg", "[options]\ninstall_requires = a\n", "[options]\ninstall_requires = b\n", True),
        ("setup.cfg", "[flake8]\nignore = E1\n", "[flake8]\nignore = E2\n", False),
        ("src/requirements.py", "a = 1\n", "a = 2\n", False),
        ("pyproject.toml", "not toml [", "nor this [", False),
    ],
)
def test_a_change_of_dependencies_is_told_from_one_of_settings(path: str, before: str, after: str, said: bool) -> None:
    views = [DictView({path: text.encode()}) for text in (before, after)]
    assert changed_dependencies(*views) == (path if said else "")


# ENV-3
def test_a_new_lock_file_counts_as_a_change() -> None:
    assert changed_dependencies(DictView({}), DictView({"poetry.lock": b"a"})) == "poetry.lock"
