"""A command that installs and checks at once is cut into both halves: only the first has a network."""

from dataclasses import replace
from pathlib import Path

import pytest

from healing.checks.check import Check, Script, command_check
from healing.checks.halves import check_part, install_part, with_prefetch
from healing.checks.providing import install_command_of
from healing.sandbox.company import read_company_settings
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import RequestedConnection, SetupNetwork
from tests.checks.test_setup_network import checker, seen
from tests.pipeline.bench import Bench
from tests.sandbox.test_network import NAME, Index, index
from tests.uv import PROJECT, needs_uv

__all__ = ["index"]


# ENV-2
@pytest.mark.parametrize(
    ("run", "installs", "checks"),
    [
        ("tox -e py -- -x", "tox -e py --notest", "tox --skip-pkg-install -e py -- -x"),
        (
            "uvx --with tox-uv tox run -f ${PY}-a",
            "uvx --with tox-uv tox run -f ${PY}-a --notest",
            "uvx --with tox-uv tox run --skip-pkg-install -f ${PY}-a",
        ),
        ("A=1 python -m tox", "A=1 python -m tox --notest", "A=1 python -m tox --skip-pkg-install"),
        ("nox -s tests", "nox -s tests --install-only", "nox -R -s tests"),
        (
            "uv run --frozen --with x -m pytest -q",
            "uv run --frozen --with x true",
            "uv run --frozen --with x -m pytest -q",
        ),
        ("uvx ruff check .", "uvx ruff --version", "uvx ruff check ."),
        ("hatch run test:all", "hatch env create test", "hatch run test:all"),
        ("pre-commit run -a", "pre-commit install-hooks", "pre-commit run -a"),
        ("go test ./...", "go mod download || true", "go test ./..."),
        ("cargo clippy -- -D warnings", "cargo fetch || true", "cargo clippy -- -D warnings"),
    ],
)
def test_the_installing_half_comes_first_and_the_other_does_not_install_again(
    run: str, installs: str, checks: str
) -> None:
    script = Script(name="x", run=run)
    half = install_part(script)
    assert half is not None
    assert half.run == installs
    assert check_part(script).run == checks


# ENV-2
@pytest.mark.parametrize("run", ["pytest -q", "tox list", "go version", "x=`tox`", "echo 'tox", "", "cargo --version"])
def test_a_command_that_installs_nothing_stays_whole(run: str) -> None:
    assert install_part(Script(name="x", run=run)) is None
    assert with_prefetch(command_check(run)) == command_check(run)


# ENV-2
def test_uv_takes_a_python_that_the_machine_has() -> None:
    check = Check(workflow="w", job="j", step=Script(name="x", run="pytest"), setup=(
        Script(name="p", run="uv python install 3.12\nuv sync"),
    ))  # fmt: skip
    assert with_prefetch(check).setup[0].run == ("uv python find --system 3.12 || uv python install 3.12\nuv sync")


# ENV-2
@pytest.mark.parametrize(
    ("action", "given", "command"),
    [
        ("astral-sh/setup-uv", {"version": "0.5.1"}, "command -v uv || pip install uv==0.5.1"),
        ("astral-sh/setup-uv", {"version": "0.5"}, "command -v uv || pip install 'uv==0.5.*'"),
        ("astral-sh/setup-uv", {"version": "$(rm -r /)"}, "command -v uv || pip install uv"),
        ("oven-sh/setup-bun", {"bun-version": "1.1.0"}, 'command -v bun || npm install --global "bun@1.1.0"'),
        ("actions/setup-python", {"python-version": "3.x; rm"}, ""),
        ("acme/unknown", {"version": "1"}, ""),
    ],
)
def test_a_set_up_action_is_the_package_that_it_brings(action: str, given: dict[str, str], command: str) -> None:
    assert install_command_of(action, given).removeprefix('cd "$HOME"\n') == command


# ENV-2, WT-5
async def test_what_uv_run_needs_is_fetched_before_and_the_check_itself_has_no_network(
    bench: Bench, index: Index, tmp_path: Path
) -> None:
    uv = needs_uv(bench.data)
    where = f"{NAME}:{index.port}"
    test = (
        "import unittest, heal_demo\nclass T(unittest.TestCase):\n    def test_it(self): assert heal_demo.VALUE == 42\n"
    )
    project = PROJECT.replace("https://hostile.example/simple", f"https://{where}/simple")
    (tree,) = bench.trees({"pyproject.toml": project, "test_it.py": test})
    asked: list[RequestedConnection] = []
    (tmp_path / "authority.pem").write_text(index.certificate)
    company = read_company_settings({"SSL_CERT_FILE": str(tmp_path / "authority.pem")}, tmp_path)
    network = SetupNetwork((NAME,), own_indexes(f"{where}=127.0.0.1"), company=company, tell=asked.append)
    made = checker(bench, tree, network)
    made = replace(made, toolchain=made.toolchain.with_programs((uv,)))
    result = await seen(made, command_check("uv run python -m unittest -q"), tree)
    assert result.green, result.problem or result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}
