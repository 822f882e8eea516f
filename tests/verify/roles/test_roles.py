"""A file's role is told from what the failing command does, and not from a list of names alone."""

import pytest

from healing.verify.roles import Role, Roles
from healing.verify.roles.reached import LAUNCHERS

FILES = {
    "Makefile": b"include ci/common.mk\ntest:\n\tsh ci/run.sh\n",
    "ci/run.sh": b"set -e\npython tools/verify.py --all\ndiff out.txt ci/expected.txt\n",
    "ci/expected.txt": b"sum 5\n",
    "golden.csv": b"1,2\n",
    "stray.txt": b"a\n",
    "tools/verify.py": b"import subprocess\nsubprocess.check_call(['pytest', '-q'])\n",
    "tools/release.py": b"print('release')\n",
    "app.sh": b"echo sum\n",
    "shop/__init__.py": b"",
    "shop/prices.py": b"import yaml\n\nRATES = open('rates.json')\n",
    "shop/templates/mail.txt": b"Hello\n",
    "shop/.ruff.toml": b"",
    "rates.json": b"{}",
    "expected.txt": b"sum 5\n",
    "tests/test_prices.py": b"def test_a(): assert open('golden.csv').read() == '1,2'\n",
    "tests/conftest.py": b"",
    "tests/data/orders.json": b"[]",
    "tests/pytest.ini": b"",
    "README.md": b"# Shop\n",
    "docs/guide.rst": b"Guide\n",
    "api_pb2.py": b"",
    "web/package.json": b'{"scripts": {"test": "node scripts/check.mjs"}}',
    "web/scripts/check.mjs": b"import { spawn } from 'child_process'; // runs jest\n",
    "web/src/cart.js": b"module.exports = {};\n",
}


def roles(command: str = "make test", cwd: str = ".", **new: bytes) -> Roles:
    added = {path.replace("__", "/").replace("_dot_", "."): text for path, text in new.items()}
    return Roles(((cwd, command),), frozenset(FILES), FILES.get, new=added)


# JD-1
@pytest.mark.parametrize(
    ("path", "role", "why"),
    [
        ("Makefile", Role.JUDGE, "the failing command runs it"),
        ("ci/run.sh", Role.JUDGE, "Makefile runs it"),
        ("tools/verify.py", Role.JUDGE, "ci/run.sh runs it"),
        ("tools/release.py", Role.PRODUCT, "it is code"),
        ("app.sh", Role.PRODUCT, "it is code"),
        ("shop/prices.py", Role.PRODUCT, "it is code"),
        ("rates.json", Role.PRODUCT, "shop/prices.py names it"),
        ("shop/templates/mail.txt", Role.PRODUCT, "among the code of shop/"),
        ("shop/.ruff.toml", Role.JUDGE, ""),
        ("stray.txt", Role.PRODUCT, "neither tests nor settings name it"),
        ("ci/expected.txt", Role.JUDGE, "nothing shows that the product reads it"),
        ("golden.csv", Role.DATA, "a test names it"),
        ("tests/test_prices.py", Role.TESTS, ""),
        ("tests/conftest.py", Role.JUDGE, "by its name"),
        ("tests/data/orders.json", Role.DATA, ""),
        ("README.md", Role.DOCS, ""),
        ("docs/guide.rst", Role.DOCS, ""),
        ("api_pb2.py", Role.GENERATED, ""),
        (".github/workflows/ci.yml", Role.JUDGE, "CI"),
    ],
)
def test_a_file_has_the_role_that_the_failing_command_gives_it(path: str, role: Role, why: str) -> None:
    judged = roles().of(path)
    assert (judged.role, why in judged.why) == (role, True), judged


# JD-1
def test_the_role_of_a_script_follows_from_the_command_and_its_folder() -> None:
    assert roles("npm test", "web").of("web/scripts/check.mjs").why == "web/package.json runs it"
    assert roles("npm test", "web").of("web/package.json").role is Role.JUDGE
    assert roles("make test").of("web/scripts/check.mjs").role is Role.PRODUCT


# JD-1
@pytest.mark.parametrize(
    ("command", "path"),
    [(f"{launcher} check", path) for launcher, paths in LAUNCHERS.items() for path in paths],
)
def test_the_file_in_which_a_launcher_looks_up_what_to_run_is_the_judges(command: str, path: str) -> None:
    files = {path: b"check: lint\n", "shop.py": b""}
    called, other = (Roles(((".", command),), frozenset(files), files.get).of(p) for p in (path, "shop.py"))
    assert (called.role, called.why, other.role) == (Role.JUDGE, "the failing command runs it", Role.PRODUCT)


# JD-1
def test_prose_that_the_failing_command_reads_belongs_to_the_tests() -> None:
    assert roles("python -m doctest README.md").of("README.md").role is Role.TESTS


# JD-1
@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("statistics.py", b"def mean(): ...\n", "Python's own module statistics"),
        ("yaml.py", b"def load(): ...\n", "the package yaml, which is imported here"),
        ("shop/prices/__init__.py", b"", "shop/prices.py"),
        ("web/src/cart", b"", "web/src/cart.js"),
        ("web/src/cart.mjs", b"", "web/src/cart.js"),
        ("shop/prices.pyi", b"", "shop/prices.py"),
        ("tools/pytest", b"#!/bin/sh\n", "a program of the name pytest"),
        ("build.rs", b"fn main() {}\n", "by its name"),
        ("shop/usercustomize.py", b"", ""),
    ],
)
def test_a_new_file_that_is_found_in_place_of_another_is_part_of_the_judge(path: str, text: bytes, why: str) -> None:
    judged = Roles(((".", "pytest -q"),), frozenset(FILES), FILES.get, new={path: text}).of(path)
    assert (judged.role, why in judged.why) == (Role.JUDGE, True), judged


# JD-1
def test_a_new_module_of_the_product_is_product_and_so_is_one_that_was_missing() -> None:
    new = {"shop/json.py": b"A = 1\n", "helpers.py": b"A = 1\n", "shop/test_more.py": b"import pytest\n"}
    reported = Roles(((".", "pytest"),), frozenset(FILES), FILES.get, frozenset({"helpers"}), new)
    assert [reported.of(path).role for path in new] == [Role.PRODUCT, Role.PRODUCT, Role.TESTS]


# JD-1
def test_a_hostile_makefile_costs_no_more_than_its_size() -> None:
    files = {"Makefile": b"a/" * 90_000 + b"\n" + b"sh sh sh -x " * 9_000}
    assert Roles(((".", "make"),), frozenset(files), files.get).of("Makefile").role is Role.JUDGE


# JD-1
def test_what_a_script_runs_beside_a_test_runner_is_part_of_the_judge() -> None:
    files = {"package.json": b'{"scripts": {"pretest": "node tools/prepare.js", "test": "node --test"}}'}
    files["tools/prepare.js"] = b"require('fs').mkdirSync('out');\n"
    assert Roles(((".", "npm test"),), frozenset(files), files.get).of("tools/prepare.js").role is Role.JUDGE


# JD-1
def test_a_file_that_a_task_runner_may_load_is_judged_by_what_it_imports() -> None:
    files = {
        "tasks.py": b"def longest(jobs): ...\n",
        "ops/tasks.py": b"from invoke import task\n",
        "app.py": b"import tasks\n",
    }
    made = Roles(((".", "pytest -q"),), frozenset(files), files.get, new={"fabfile.py": b"x = 1\n"})
    assert made.of("tasks.py").role is Role.PRODUCT
    assert made.of("ops/tasks.py").role is Role.JUDGE
    assert made.of("fabfile.py").role is Role.JUDGE
