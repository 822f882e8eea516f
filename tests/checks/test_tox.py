"""What tox would run is read from its files as tox 4 reads them."""

import pytest

from healing.checks.check import WORKSPACE
from healing.checks.tox import ToxEnvironment, environments
from healing.view import DictView

INI = """\
[tox]
env_list = py3{9-12}-{unit,web}, lint, docs
[testenv]
deps = pytest
set_env =
    A = 1
    web: B = two
commands =
    unit: pytest {posargs:tests}
    web: {envpython} -m pytest \\
        tests/web {posargs}
    !web: mypy {[shared]where}
[shared]
where = src
[testenv:lint{,-all}]
skip_install = true
change_dir = {toxinidir}/src
set_env =
commands =
    - ruff check .
    python {env_site_packages_dir}/lint.py
[testenv:docs]
commands = sphinx-build -d {envtmpdir}/trees docs {env:OUT:build}
"""


def run(words: str, files: dict[str, str] | None = None, **variables: str) -> tuple[ToxEnvironment, ...]:
    view = DictView({name: text.encode() for name, text in (files or {"tox.ini": INI}).items()})
    return environments(view, words.split(), variables)


# ENV-2
def test_an_environment_has_the_commands_and_variables_of_its_factors() -> None:
    (unit, web) = run("run -e py311-unit,py310-web -- -k one")
    assert unit == ToxEnvironment("py311-unit", ("pytest -k one", "mypy src"), env={"A": "1"})
    assert web == ToxEnvironment("py310-web", ("python -m pytest tests/web -k one",), env={"A": "1", "B": "two"})


# ENV-2
def test_of_environments_that_differ_in_their_python_alone_there_is_one() -> None:
    assert [one.name.partition("-")[2] for one in run("")] == ["unit", "web", "", ""]
    assert [one.name for one in run("")][2:] == ["lint", "docs"]


# ENV-2
def test_what_only_tox_could_say_is_left_out_and_the_rest_is_kept() -> None:
    (lint,) = run("-elint")
    assert (lint.commands, lint.cwd, lint.whole) == (("ruff check .",), "src", False)
    (docs,) = run("", TOXENV="docs", OUT="out")
    assert docs.commands == ("sphinx-build -d ${TMPDIR:-/tmp}/tox-docs/trees docs out",)
    assert [one.name for one in run("-f lint")] == ["lint", "lint-all"]
    assert run("-e nowhere") == ()


TOML = """\
[tool.tox]
env_list = ["3.11", "lint"]
[tool.tox.env_run_base]
set_env = {A = "1"}
commands = [["pytest", {replace = "posargs", default = ["tests"], extend = true}]]
[tool.tox.env.lint]
commands = [["ruff", "check", "{tox_root}/src"], ["x", {replace = "ref", of = ["a"]}]]
"""


# ENV-2
def test_tables_of_toml_are_read_too() -> None:
    (tests, lint) = run("", {"pyproject.toml": TOML})
    assert tests == ToxEnvironment("3.11", ("pytest tests",), env={"A": "1"})
    assert (lint.commands, lint.whole) == ((f"ruff check {WORKSPACE}/src",), False)
    legacy = "[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\ncommands = pytest -q\n'''\n"
    assert [one.commands for one in run("-e py", {"pyproject.toml": legacy})] == [("pytest -q",)]
    assert [one.commands for one in run("", {"setup.cfg": "[tox:tox]\nenvlist = py\n[testenv]\ncommands = nose2"})] == [
        ("nose2",)
    ]


# ENV-2
@pytest.mark.parametrize(
    "text",
    [
        "",
        "[testenv",
        "[testenv]\ncommands = {[testenv]commands}",
        "[testenv]\ncommands = {" * 50,
        "[tox]\nenv_list = {" + "1,2}{" * 40 + "3}",
        "\x00",
        "[tox]\nenvlist = py{1-999999999}\n[testenv]\ncommands = x",
    ],
)
def test_a_file_that_says_nothing_gives_nothing_and_no_traceback(text: str) -> None:
    assert all(one.commands in ((), ("x",)) for one in run("", {"tox.ini": text}))
    assert run("-e py", {"pyproject.toml": "[tool]\ntox = 3\n"}) == ()
