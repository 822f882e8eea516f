"""What a call of make runs, read from the Makefile; make itself says whether that is true."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.checks.check import command_check
from healing.checks.makefiles import make_recipe
from healing.checks.narrow import narrow
from healing.checks.separating import separate
from healing.model import Category, CIError

MAKEFILE = """\
.PHONY: lint types test check
DIRS := $(SRC) more
SRC := src tests  # what is checked
RUFF ?= ruff
lint: ## Lint
\t@$(RUFF) check $(SRC)
\truff format --check .
types:
\tmypy src
test: requirements.txt
\tpytest -q $(ARGS)
unit:
\t@pytest -q
check: lint types
ci: check
\t$(MAKE) test
built: build/x
\tpytest
build/x:
\tcc x.c
tolerant:
\t-ruff check .
first:
\techo $@
shelled:
\tpytest $(shell ls)
docs:
	sphinx-build docs out
listed:
	mypy $(DIRS)
compiled:
	$(CC) x.c
needs: $(SRC)
	mypy .
twice:
	mypy a
twice:
	mypy b
ifdef CI
slow:
\tpytest --slow
endif
"""


def read(path: str, makefile: str = MAKEFILE) -> bytes | None:
    return {"Makefile": makefile.encode(), "requirements.txt": b""}.get(path)


# CK-2
@pytest.mark.parametrize(
    ("call", "commands"),
    [
        ("make lint", ["ruff check src tests", "ruff format --check ."]),
        ("make -s -j2 check", ["ruff check src tests", "ruff format --check .", "mypy src"]),
        ("make ci", ["ruff check src tests", "ruff format --check .", "mypy src", "make test"]),
        ("make types lint types", ["mypy src", "ruff check src tests", "ruff format --check ."]),
        ("make test", ["pytest -q ${ARGS}"]),
        *((call, None) for call in ("make", "make nope", "make -C sub lint", "make lint SRC=x", "ls", "make built")),
        *((f"make {goal}", None) for goal in ("docs", "listed", "compiled", "needs", "twice")),
        *((call, None) for call in ("make tolerant", "make first", "make shelled", "make slow", "make build/x")),
    ],
)
def test_a_goal_stands_for_the_commands_of_its_recipe(call: str, commands: list[str] | None) -> None:
    assert make_recipe(call.split(), ".", read, {}) == commands


# CK-2
@pytest.mark.parametrize(
    "line", ["include x.mk", "export A=1", "$(A): b", "SHELL := zsh", ".ONESHELL:", "define X", "MAKEFLAGS += -k"]
)
def test_a_makefile_that_says_how_recipes_run_is_left_to_make(line: str) -> None:
    assert make_recipe(["make", "lint"], ".", lambda path: read(path, f"{line}\n{MAKEFILE}"), {}) is None


# CK-2
def test_a_variable_of_the_environment_counts_where_make_would_take_it() -> None:
    assert make_recipe(["make", "lint"], ".", read, {"RUFF": "ruff-x", "SRC": "y"}) == [
        "ruff-x check src tests",
        "ruff format --check .",
    ]


WORD = st.sampled_from(["echo a", "echo $(A)", "@echo ${B} b", "echo $$HOME", "-echo d", "echo $@"])
RULE = st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from("xyz"), max_size=2), st.lists(WORD, max_size=2))
SETS = st.lists(
    st.sampled_from(
        ["A = 1", "A := 2", "B ?= 3", "A += 4", "B = $(A)", "A := $(B)", "B += $(A)", "x: y", ".PHONY: x y z"]
    ),
    max_size=4,
)


# CK-2
@given(sets=SETS, rules=st.lists(RULE, min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_what_is_read_is_what_make_would_run(
    tmp_path_factory: pytest.TempPathFactory, sets: list[str], rules: list[tuple[str, list[str], list[str]]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("make")
    text = "\n".join([*(line for line in sets if line != "x: y"), ""])
    for name, needs, recipe in rules:
        text += "\n".join([f"{name}: {' '.join(needs)}", *(f"\t{line}" for line in recipe), ""])
    (folder / "Makefile").write_text(f"{text}\n".replace("\n\n", "\n"))
    goal = rules[0][0]
    commands = make_recipe(
        ["make", goal], ".", lambda path: (folder / path).read_bytes() if path == "Makefile" else None, {}
    )
    if commands is None:
        return
    dry = subprocess.run(
        ["make", "-n", "--no-print-directory", goal], cwd=folder, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin"}, timeout=20,
    )  # fmt: skip
    shown = [line for line in dry.stdout.splitlines() if not line.startswith("make")]
    if dry.returncode == 0 and "Circular" not in dry.stderr:
        unset = [re.sub(r"\$\{[AB]\}", "", line) for line in commands]
        assert [" ".join(shlex.split(line)) for line in unset] == [" ".join(shlex.split(line)) for line in shown]


# CK-2
def test_the_commands_of_a_recipe_are_checks_of_their_own() -> None:
    parts = separate(command_check("make check", typed=True), read)
    assert [part.step.run for part in parts] == ["ruff check src tests", "ruff format --check .", "mypy src"]


# CK-3
def test_a_recipe_that_only_runs_the_tests_is_narrowed_to_those_that_fail() -> None:
    error = CIError(id="E1", tool="pytest", category=Category.TEST, message="m", test="test_a.py::test_b")
    narrowed = narrow(command_check("make unit"), [error], read=read)
    assert narrowed is not None
    assert narrowed.step.run == "pytest -q test_a.py::test_b"
