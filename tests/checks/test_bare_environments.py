"""Where set-up makes an environment, it is made of a bare Python, as CI's is: nothing of Heal's own is in it."""

import sys
from dataclasses import replace

import pytest

from healing.checks.check import Check, Script
from healing.sandbox.network import RequestedConnection, SetupNetwork
from tests.checks.test_setup_network import PIP, asked, checker, files, found, network, seen
from tests.pipeline.bench import Bench
from tests.sandbox.test_network import Index, index

__all__ = ["asked", "index", "network"]

# All that the tools bring which Heal runs itself, and some of what Heal imports.
OWN = "pytest pluggy iniconfig mypy mypy_extensions black click pathspec ruff httpx pydantic anthropic healing bot"
SHOWN = f"python -c \"import importlib.util as u; print([n for n in '{OWN} pip'.split() if u.find_spec(n)])\""
INSTALLED = {"requirements.txt": "heal-demo\n"}


def prepared(bench: Bench, index: Index, run: str, **more: str) -> tuple[str, Check]:
    """A tree, and a check in it whose set-up installs one package."""
    (tree,) = bench.trees(files(index, PIP, "make", **INSTALLED, **more))
    check = found(bench, tree)
    return tree, check.model_copy(update={"step": check.step.model_copy(update={"run": run})})


# ENV-5
async def test_what_set_up_installs_and_pip_is_all_that_can_be_imported(
    bench: Bench, index: Index, network: SetupNetwork
) -> None:
    tree, check = prepared(bench, index, f"{SHOWN}\npython -c 'import heal_demo'\npip --version")
    result = await seen(checker(bench, tree, network), check, tree)
    assert result.green, result.problem or result.output
    assert "['pip']" in result.output


# ENV-5
async def test_set_up_that_forgets_pytest_ends_as_in_ci(bench: Bench, index: Index, network: SetupNetwork) -> None:
    test = {"test_it.py": "def test_it(): pass\n"}
    tree, check = prepared(bench, index, "pytest -q", **test)
    result = await seen(checker(bench, tree, network), check, tree)
    assert (result.exit_code, result.problem) == (127, "pytest is not installed by the set-up steps")
    assert result.advice == ".github/heal.yml: setup: [pip install pytest]"
    tree, check = prepared(bench, index, "python -m pytest -q", **test)
    result = await seen(checker(bench, tree, network), check, tree)
    assert result.exit_code == 1
    assert "No module named pytest" in result.output


# ENV-5
@pytest.mark.parametrize("name", ["click", "pluggy"])
async def test_a_broken_package_of_the_repository_is_not_replaced_by_one_of_heals(
    bench: Bench, index: Index, network: SetupNetwork, name: str
) -> None:
    """Its own sources are not where Python looks: with Heal's copy in their place the check would be green."""
    project = {f"src/{name}/__init__.py": "VALUE = 1\n"}
    tree, check = prepared(bench, index, f"python -c 'import {name}'", **project)
    result = await seen(checker(bench, tree, network), check, tree)
    assert result.exit_code == 1
    assert f"No module named '{name}'" in result.output


# ENV-5
async def test_a_tool_that_heal_runs_itself_is_found_though_nothing_of_it_can_be_imported(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    tree, check = prepared(bench, index, f"ruff --version\nblack --version\n{SHOWN}")
    made = checker(bench, tree, network)
    assert not (await seen(made, check, tree)).green
    result = await seen(made, check.model_copy(update={"by_heal": True, "servers": ()}), tree, sample=1)
    assert result.green, result.problem or result.output
    assert f"ruff {made.toolchain.versions['ruff']}" in result.output
    assert "['pip']" in result.output


# ENV-5
async def test_what_set_up_installs_comes_before_a_tool_of_heals(
    bench: Bench, index: Index, network: SetupNetwork
) -> None:
    tree, check = prepared(bench, index, "ruff --version")
    other = (
        'printf "#!/bin/sh\\necho ruff of the set-up\\n" > "$VIRTUAL_ENV/bin/ruff" && chmod +x "$VIRTUAL_ENV/bin/ruff"'
    )
    check = check.model_copy(update={"setup": (*check.setup, Script(name="own", run=other)), "by_heal": True})
    result = await seen(checker(bench, tree, network), check, tree)
    assert "ruff of the set-up" in result.output, result.problem


# ENV-5
async def test_checks_that_nothing_is_installed_for_do_not_have_the_tools_of_heal_either(
    bench: Bench, index: Index, network: SetupNetwork
) -> None:
    (tree,) = bench.trees({"a.py": "A = 1\n"})
    made = checker(bench, tree, network)
    generated = (Script(name="generate", run="touch made.txt"),)
    check = Check(workflow="", job="", step=Script(name="x", run="test -e made.txt && ruff check ."), setup=generated)
    result = await seen(made, check, tree)
    assert (result.exit_code, result.green) == (127, False)
    operators = made.toolchain.with_programs((made.toolchain.bin,))
    result = await seen(replace(made, toolchain=operators), check, tree, sample=1)
    assert result.green, result.problem or result.output


# ENV-5
async def test_the_bare_environment_is_kept_once_beside_the_other_and_takes_other_programs_too(bench: Bench) -> None:
    bare = bench.toolchain.bare
    assert bare is not None
    assert bare.bin != bench.toolchain.bin
    assert bare.bin.parent.parent == bench.toolchain.bin.parent.parent
    size = sum(file.stat().st_size for file in bare.bin.parent.rglob("*") if file.is_file())
    assert size < 60 << 20
    both = replace(bench.toolchain).with_programs((bench.data,))
    assert both.bare is not None
    assert str(bench.data) in both.bare.env["PATH"].split(":")
    assert str(sys.prefix) not in both.bare.env["PATH"]
