"""`uv sync` in the set-up of a fork: what the lock names is fetched by Heal's own commands, by a real uv."""

import hashlib
import re
import shlex
from dataclasses import replace

import pytest

from healing.checks.check import CheckResult, Script
from healing.checks.fetching import fetching
from healing.checks.rules import CheckRules
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import RequestedConnection, SetupNetwork
from healing.view import DictView
from tests.checks.test_setup_network import SNOOP, WHEEL, checker, found, seen
from tests.pipeline.bench import Bench
from tests.sandbox.test_network import NAME, Index, index
from tests.uv import LOCK, PROJECT, needs_uv

__all__ = ["index"]

WORKFLOW = """
on: push
env: {{SSL_CERT_FILE: ci/certificate.pem}}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python snoop.py > said && {install} && python snoop.py >> said
      - run: test "$(sort -u said)" = none && uv run --frozen python -m unittest
"""
TEST = """
import unittest, heal_demo
class Test(unittest.TestCase):
    def test_it(self):
        assert heal_demo.VALUE == 42
"""


async def of_a_fork(bench: Bench, index: Index, install: str, asked: list[RequestedConnection]) -> CheckResult:
    uv = needs_uv(bench.data)
    where, data = f"{NAME}:{index.port}", index.pages[WHEEL][1]
    reported = {
        ".github/workflows/ci.yml": WORKFLOW.format(install=install),
        "ci/certificate.pem": index.certificate,
        "snoop.py": SNOOP,
        "test_it.py": TEST,
        "pyproject.toml": PROJECT,
        "uv.lock": LOCK.format(
            where=where, wheel=WHEEL.strip("/"), hash=hashlib.sha256(data).hexdigest(), size=len(data)
        ),
    }
    (tree,) = bench.trees(reported)
    network = SetupNetwork((NAME,), own_indexes(f"{where}=127.0.0.1"), tell=asked.append)
    made = replace(checker(bench, tree, network), rules=CheckRules(prebuilt_only=True))
    made = replace(made, toolchain=made.toolchain.with_programs((uv,)))
    return await seen(made, found(bench, tree), tree)


# IN-5
async def test_for_a_fork_uv_sync_finds_what_its_lock_names_and_none_of_its_code_runs_while_there_is_a_network(
    bench: Bench, index: Index
) -> None:
    asked: list[RequestedConnection] = []
    result = await of_a_fork(bench, index, "uv sync --frozen", asked)
    assert result.green, result.problem or result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}  # its own settings name another host


def lock(*packages: str) -> DictView:
    text = "version = 1\n" + "".join(f"[[package]]\n{one}\n" for one in packages)
    return DictView(
        {"web/uv.lock": text.encode(), "web/sub/pyproject.toml": b'[build-system]\nrequires = ["flit_core"]'}
    )


def package(name: str, version: str, wheel: str, index: str = "https://pypi.org/simple") -> str:
    wheels = f'wheels = [{{ url = "https://f.example/{wheel}" }}]' if wheel else ""
    return f'name = "{name}"\nversion = "{version}"\nsource = {{ registry = "{index}" }}\n{wheels}'


# IN-5
def test_what_has_a_wheel_for_this_machine_is_fetched_by_name_and_version_from_the_index_that_the_lock_names() -> None:
    view = lock(
        package("a", "1.0", "a-1.0-py3-none-any.whl"),
        package("a", "2.0", "a-2.0-py3-none-any.whl"),
        package("windows-only", "1", "windows_only-1-cp311-cp311-win_amd64.whl"),
        package("to-be-built", "1", ""),
        package("b", "1+cpu", "b-1%2Bcpu-py3-none-any.whl", "https://other.example/simple"),
        package("insecure", "1", "insecure-1-py3-none-any.whl", "http://other.example/simple"),
        package("--evil", "1", "evil-1-py3-none-any.whl"),
        'name = "git"\nversion = "1"\nsource = { git = "https://h/r.git" }',
        'name = "mine"\nversion = "1"\nsource = { editable = "sub" }',
    )
    commands = fetching([Script(name="", run="uv sync --all-extras", cwd="web")], view)
    assert all("--no-config" in one and "--only-binary :all:" in one for one in commands)
    reported = [shlex.split(re.split(r"--default-index ", one)[1]) for one in commands]
    assert reported == [
        ["https://pypi.org/simple", "a==1.0"],
        ["https://pypi.org/simple", "a==2.0"],
        ["https://other.example/simple", "b==1+cpu"],
        ["https://pypi.org/simple", "flit_core"],
    ]


@pytest.mark.parametrize("text", [b"", b"\xff", b"package = 1", b"[[package]]\nsource = 1", b"package = [[1]]"])
def test_a_lock_that_is_none_fetches_nothing(text: bytes) -> None:
    assert fetching([Script(name="", run="uv sync")], DictView({"uv.lock": text})) == ()
