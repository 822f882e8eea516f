"""Checks whose set-up steps have a network: a real pip and a real npm, and an index of the operator's own."""

import asyncio
import base64
import hashlib
import io
import json
import re
import shlex
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from bot.repo_config import read_repo_config
from healing.checks.check import Check, CheckResult, Script
from healing.checks.fetching import fetching
from healing.checks.finding import find_checks
from healing.checks.rules import CheckRules
from healing.checks.running import Checker
from healing.failed_jobs import FailedJob
from healing.pipeline.baseline import ADVICE
from healing.sandbox.bubblewrap import Bubblewrap
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import RequestedConnection, SetupNetwork
from healing.view import DictView
from healing.worktrees import Worktrees
from tests.pipeline.bench import Bench, red_job
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["index"]

WORKFLOW = """
on: push
env: {{PIP_CERT: ci/certificate.pem, PIP_INDEX_URL: "https://{where}/simple", NODE_EXTRA_CA_CERTS: ci/certificate.pem}}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: {install}
      - run: {check}
"""


@pytest.fixture
def asked() -> list[RequestedConnection]:
    return []


@pytest.fixture
def network(index: Index, asked: list[RequestedConnection]) -> SetupNetwork:
    return SetupNetwork((NAME,), own_indexes(f"{NAME}:{index.port}=127.0.0.1"), tell=asked.append)


def found(bench: Bench, tree: str) -> Check:
    looked = find_checks((FailedJob("test", ".github/workflows/ci.yml", log=b"x"),), bench.git.view(tree))
    assert len(looked.failing) == 1, looked
    return looked.failing[0]


def files(index: Index, install: str, check: str, **more: str) -> dict[str, str]:
    workflow = WORKFLOW.format(where=f"{NAME}:{index.port}", install=install, check=check)
    return {".github/workflows/ci.yml": workflow, "ci/certificate.pem": index.certificate, **more}


WHEEL = "/heal_demo-1.0-py3-none-any.whl"
TEST = {
    "test_it.py": "import unittest, heal_demo\nclass Test(unittest.TestCase):\n    def test_it(self):\n"
    "        assert heal_demo.VALUE == 42\n"
}
UNITTEST = "python -m unittest -q"  # what the index has is all that a check has beside Python
PIP = "pip install -r requirements.txt"


def checker(bench: Bench, tree: str, network: SetupNetwork | None) -> Checker:
    made = replace(bench.checker(tree), toolchain=bench.toolchain, network=network)
    if not made.sandbox.own_loopback:
        pytest.skip("only bubblewrap gives a set-up step a network")
    return made


async def seen(made: Checker, check: Check, tree: str, sample: int = 0) -> CheckResult:
    await made.worktrees.base(made.run_id, made.git, tree)
    return await made.run(check, tree, sample)


# WT-5
async def test_pip_installs_what_the_check_needs_and_the_check_itself_has_no_network(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    reach = "import socket, unittest\nclass Test(unittest.TestCase):\n    def test_net(self):\n"
    reach += "        with self.assertRaises(OSError): socket.create_connection(('127.0.0.1', 3128), 2)\n"
    more = {"requirements.txt": "heal-demo\n", "test_net.py": reach, **TEST}
    (tree,) = bench.trees(files(index, PIP, UNITTEST, **more))
    result = await seen(checker(bench, tree, network), found(bench, tree), tree)
    assert result.green, result.problem or result.output
    assert "Ran 2 tests" in result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}


# ENV-7
async def test_set_up_that_heal_yml_names_installs_before_the_checks_that_it_names(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    variables = f"PIP_CERT=ci/certificate.pem PIP_INDEX_URL=https://{NAME}:{index.port}/simple"
    config = f"setup: ['{variables} pip install heal-demo']\nchecks: [{UNITTEST}]\n"
    (tree,) = bench.trees({"ci/certificate.pem": index.certificate, **TEST})
    (check,) = read_repo_config(config.encode()).checks()
    result = await seen(checker(bench, tree, network), check, tree)
    assert result.green, result.problem or result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}


# WT-5
async def test_without_a_network_set_up_installs_nothing_and_that_is_reported(bench: Bench, index: Index) -> None:
    (tree,) = bench.trees(files(index, PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST))
    result = await seen(checker(bench, tree, None), found(bench, tree), tree)
    assert result.problem.startswith("its set-up does not work here")


async def test_where_a_network_is_missing_the_key_that_gives_it_is_named(bench: Bench, index: Index) -> None:
    reported = files(index, PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST)
    workflow = reported.pop(".github/workflows/ci.yml")
    outcome = await bench.heal(reported, {}, workflow=workflow, jobs=(red_job("test"),))
    assert outcome.verdict == "could-not-look"
    assert [one.advice for one in outcome.not_looked if "set-up" in one.why] == [ADVICE["no-network"]]


# WT-2
@pytest.mark.parametrize("layered", [True, False], ids=["layers", "copies"])
async def test_what_is_installed_is_installed_once_for_all_trees_with_the_same_manifests(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection], layered: bool
) -> None:
    first = files(index, PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST)
    other = {**first, "test_it.py": TEST["test_it.py"].replace("42", "43")}
    changed = {**other, "requirements.txt": "heal-demo==1.0\n"}
    trees = bench.trees(first, other, changed)
    made, check = checker(bench, trees[0], network), found(bench, trees[0])
    if layered and not made.sandbox.layered:
        pytest.skip("no overlay can be mounted here")
    assert isinstance(made.sandbox, Bubblewrap)
    worktrees = Worktrees(bench.data / ("layers" if layered else "copies"), made.sandbox.owner)
    made = replace(made, sandbox=replace(made.sandbox, layered=layered), worktrees=worktrees)
    await made.worktrees.base(made.run_id, made.git, trees[0])
    before, after = await asyncio.gather(made.run(check, trees[0]), made.run(check, trees[1]))
    assert (before.green, after.green, after.problem) == (True, False, "")
    once = len(asked)
    assert (await made.run(check, trees[0], sample=1)).green
    assert len(asked) == once
    again = await made.run(check, trees[2])
    assert (again.green, again.problem) == (False, "")
    assert len(asked) > once
    worktrees.close()


async def test_a_check_can_not_change_what_the_next_one_gets(bench: Bench, index: Index, network: SetupNetwork) -> None:
    (tree,) = bench.trees(files(index, PIP, "make test", **{"requirements.txt": "heal-demo\n"}))
    made, check = checker(bench, tree, network), found(bench, tree)
    for run in ("rm -rf $HOME/.heal && mkdir -p $HOME/.heal && touch spoilt", "test ! -e spoilt", "pip show heal-demo"):
        step = check.step.model_copy(update={"run": run})
        result = await seen(made, check.model_copy(update={"step": step}), tree)
        assert result.green, result.output


# WT-5
async def test_a_host_that_is_not_named_is_not_reached_and_the_check_could_not_look(
    bench: Bench, index: Index, asked: list[RequestedConnection]
) -> None:
    network = SetupNetwork(("other.example.com",), tell=asked.append)
    (tree,) = bench.trees(files(index, PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST))
    result = await seen(checker(bench, tree, network), found(bench, tree), tree)
    assert result.problem.startswith("its set-up does not work here")
    assert {one.host for one in asked} == {NAME}
    assert all("not among the hosts" in one.refused for one in asked)


def package() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        manifest = b'{"name": "heal-left", "version": "1.0.0", "main": "index.js"}'
        for name, data in (("package.json", manifest), ("index.js", b"module.exports = 42\n")):
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return packed.getvalue()


@pytest.fixture
def registry(index: Index) -> Index:
    """The index, with a package for npm on it."""
    index.pages["/heal-left/-/heal-left-1.0.0.tgz"] = (b"application/octet-stream", package())
    return index


def of_npm(registry: Index) -> dict[str, str]:
    """A project that needs the package, with its lock file."""
    url = f"https://{NAME}:{registry.port}/heal-left/-/heal-left-1.0.0.tgz"
    served = registry.pages["/heal-left/-/heal-left-1.0.0.tgz"][1]  # packed again, it would hold another second
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(served).digest()).decode()
    top = {"name": "x", "version": "1.0.0", "dependencies": {"heal-left": "1.0.0"}}
    lock = {"name": "x", "version": "1.0.0", "lockfileVersion": 3, "requires": True}
    left = {"version": "1.0.0", "resolved": url, "integrity": integrity}
    packages = {"packages": {"": top, "node_modules/heal-left": left}}
    more = {"package.json": json.dumps(top), "package-lock.json": json.dumps({**lock, **packages})}
    more[".npmrc"] = f"registry=https://{NAME}:{registry.port}/\naudit=false\nfund=false\nupdate-notifier=false\n"
    more["test.js"] = "if (require('heal-left') !== 42) process.exit(1)\n"
    return more


@pytest.mark.skipif(not Path("/usr/bin/npm").exists(), reason="npm is not installed for all users")
async def test_npm_ci_installs_what_the_check_needs(
    bench: Bench, registry: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    reported = of_npm(registry)
    (tree,) = bench.trees(files(registry, "npm ci", "make test", **reported, Makefile="test:\n\tnode test.js\n"))
    result = await seen(checker(bench, tree, network), found(bench, tree), tree)
    assert result.green, result.problem or result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}


SNOOP = """
import socket
try:
    socket.create_connection(("127.0.0.1", 3128), 2)
    print("a network")
except OSError:
    print("none")
"""


async def of_a_fork(bench: Bench, network: SetupNetwork, reported: dict[str, str]) -> CheckResult:
    (tree,) = bench.trees(reported)
    made = replace(checker(bench, tree, network), rules=CheckRules(prebuilt_only=True))
    return await seen(made, found(bench, tree), tree)


# IN-5
async def test_for_a_fork_wheels_are_fetched_and_none_of_its_code_runs_while_there_is_a_network(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    more = {"snoop.py": SNOOP, **TEST}
    more["requirements.txt"] = "heal-demo==1.0 \\\n  --hash=sha256:" + hashlib.sha256(index.pages[WHEEL][1]).hexdigest()
    install = f"python snoop.py > said && {PIP} && python snoop.py >> said"
    result = await of_a_fork(
        bench, network, files(index, install, 'test "$(sort -u said)" = none && python -m unittest -q', **more)
    )
    assert result.green, result.problem or result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}


NPM_SNOOP = """
const socket = require("net").connect(3128, "127.0.0.1")
socket.on("connect", () => { console.log("a network"); process.exit(0) })
socket.on("error", () => { console.log("none"); process.exit(0) })
"""


# IN-5
@pytest.mark.skipif(not Path("/usr/bin/npm").exists(), reason="npm is not installed for all users")
async def test_for_a_fork_npm_fetches_packages_and_none_of_its_scripts_runs_while_there_is_a_network(
    bench: Bench, registry: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    reported = of_npm(registry)
    scripts = {"preinstall": "node snoop.js >> said", "postinstall": "node snoop.js >> said"}
    reported["package.json"] = json.dumps({**json.loads(reported["package.json"]), "scripts": scripts})
    reported |= {"snoop.js": NPM_SNOOP, "Makefile": 'test:\n\ttest "$$(sort -u said)" = none\n\tnode test.js\n'}
    result = await of_a_fork(bench, network, files(registry, "npm ci", "make test", **reported))
    assert result.green, result.problem or result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}


# IN-5
async def test_for_a_fork_what_would_have_to_be_built_is_not_and_the_check_could_not_look(
    bench: Bench, index: Index, network: SetupNetwork
) -> None:
    index.pages["/simple/built/"] = (b"text/html", b'<a href="/built-1.0.tar.gz">built-1.0.tar.gz</a>')
    result = await of_a_fork(bench, network, files(index, "pip install built", UNITTEST, **TEST))
    assert result.problem.startswith("its set-up does not work here: for a fork only wheels and packages are fetched")


# IN-5
@pytest.mark.parametrize(
    ("run", "fetched"),
    [
        ("pip install -r r.txt", ["a>=1", "b==2; python_version < '4'"]),
        ("pip install x git+https://h/r.git ./local https://h/w.whl", ["x"]),
        ("python -m pip install 'own[dev] @ https://h/x.whl' y", ["y"]),
        ("pip install -e '.[dev]'", ["flit_core", "c", "d>2"]),
        ("pip install -e sub", ["setuptools>=40.8.0", "wheel"]),
        ("pip install $PACKAGES", []),
        ("make deps", []),
    ],
)
def test_only_names_with_versions_are_fetched(run: str, fetched: list[str]) -> None:
    project = '[build-system]\nrequires = ["flit_core"]\n[project]\ndependencies = ["c", "e @ https://h/e.whl"]\n'
    view = DictView(
        {
            "r.txt": b"# no\na>=1 --hash=sha256:00\n-e git+https://h/r.git\n../up\n-r nested.txt\n-r r.txt\n",
            "nested.txt": b'b == 2 ; python_version < "4"  # yes\n--index-url http://insecure\n',
            "pyproject.toml": project.encode() + b'[project.optional-dependencies]\ndev = ["d>2"]\n',
            "sub/setup.py": b"",
        }
    )
    commands = fetching([Script(name="", run=run)], view)
    lists = (re.search(r'printf "%s\\n" (.{0,999}) > "\$HOME/\.heal/wanted"', text) for text in commands)
    reported = [word for found in lists if found for word in shlex.split(found[1])]
    assert [one.replace('"', "'").replace(" ", "") for one in reported] == [one.replace(" ", "") for one in fetched]
    assert not any("insecure" in text or "git+" in text for text in commands)


# IN-5
def test_npm_runs_no_scripts_and_no_git_of_a_stranger_s_choice() -> None:
    (command,) = fetching([Script(name="", run="npm ci", env={"NODE_OPTIONS": "--require ./evil.js"})], DictView({}))
    assert "npm_config_git=/bin/false npm ci --ignore-scripts" in command
    assert "evil" not in command
