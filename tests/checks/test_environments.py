"""Environments that set-up steps make: built once, shared by runs, whole or not there. A real pip and a real index."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from healing.checks.check import Script
from healing.checks.installing import inputs
from healing.checks.rules import CheckRules
from healing.checks.running import Checker
from healing.checks.sharing import installs_only_published
from healing.sandbox.company import read_company_settings
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import RequestedConnection, SetupNetwork
from healing.view import DictView
from healing.worktrees import Worktrees
from tests.checks.test_setup_network import PIP, TEST, UNITTEST, WHEEL, asked, checker, found, seen
from tests.pipeline.bench import Bench
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["asked", "index"]

WORKFLOW = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: {install}
      - run: {check}
"""


@pytest.fixture
def network(index: Index, asked: list[RequestedConnection], tmp_path: Path) -> SetupNetwork:
    """As the operator's environment names the index."""
    company = read_company_settings(environment(index, tmp_path), tmp_path)
    own = own_indexes(f"{NAME}:{index.port}=127.0.0.1")
    return SetupNetwork((NAME,), own, company=company, tell=asked.append)


def environment(index: Index, folder: Path) -> dict[str, str]:
    (folder / "authority.pem").write_text(index.certificate)
    where = f"https://{NAME}:{index.port}/simple"
    return {"PIP_INDEX_URL": where, "SSL_CERT_FILE": str(folder / "authority.pem")}


def files(install: str, check: str, **more: str) -> dict[str, str]:
    return {".github/workflows/ci.yml": WORKFLOW.format(install=install, check=check), **more}


@pytest.fixture
def bench(bench: Bench, tmp_path: Path) -> Bench:
    """With a data folder of the test's own."""
    return replace(bench, data=bench.data / tmp_path.name)


@asynccontextmanager
async def another(bench: Bench, tree: str, network: SetupNetwork, run: str, scope: str = "") -> AsyncIterator[Checker]:
    """Another run of Heal on the same data folder, as in another process: its locks are its own."""
    worktrees = Worktrees(bench.data, bench.sandbox.owner)
    made = replace(checker(bench, tree, network), run_id=run, worktrees=worktrees, rules=CheckRules(scope=scope))
    try:
        yield made
    finally:
        worktrees.close()


def kept(bench: Bench) -> set[str]:
    return {one.name for one in (bench.data / "environments").iterdir() if one.is_dir()}


# ENV-2
async def test_another_run_on_other_sources_takes_the_environment_that_is_there(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    first = files(PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST)
    trees = bench.trees(first, {**first, "test_it.py": TEST["test_it.py"].replace("42", "43")})
    greens = []
    for run, tree in zip(("one", "two"), trees, strict=True):
        async with another(bench, tree, network, run) as made:
            result = await seen(made, found(bench, tree), tree)
            assert result.problem == ""
            greens.append((result.green, len(asked)))
    assert [green for green, _ in greens] == [True, False]
    assert 0 < greens[0][1] == greens[1][1]


# ENV-2
async def test_a_requirement_that_changed_between_base_and_head_gives_two_environments(
    bench: Bench, index: Index, network: SetupNetwork
) -> None:
    base = files(PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST)
    trees = bench.trees(base, {**base, "requirements.txt": ""})
    async with another(bench, trees[0], network, "one") as made:
        results = [await seen(made, found(bench, tree), tree) for tree in trees]
    assert [(one.green, one.problem) for one in results] == [(True, ""), (False, "")]
    assert "No module named 'heal_demo'" in results[1].output
    assert len(kept(bench)) == 2


# ENV-2
async def test_two_runs_that_need_one_environment_at_once_make_it_once(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    (tree,) = bench.trees(files(PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST))
    check = found(bench, tree)
    async with another(bench, tree, network, "one") as first, another(bench, tree, network, "two") as second:
        results = await asyncio.gather(seen(first, check, tree), seen(second, check, tree))
    assert [one.green for one in results] == [True, True]
    assert index.heard.count(WHEEL) == 1
    assert len(kept(bench)) == 1


BUILDER = """
import asyncio, os, sys
from dataclasses import replace
from pathlib import Path
from healing.checks.running import Checker
from healing.git import Git
from healing.sandbox.company import read_company_settings
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import SetupNetwork
from healing.sandbox.probe import probe
from healing.steps import MemorySteps
from healing.environment.toolchain import base_environment
from healing.worktrees import Worktrees
from tests.checks.test_setup_network import found
from tests.pipeline.bench import Bench

async def main(data, store, tree, name, port):
    sandbox = (await probe(Path(data).parent, "bubblewrap")).sandbox
    worktrees = Worktrees(Path(data), sandbox.owner)
    toolchain = await base_environment(Path(data).parent, sandbox.owner)
    git = Git.open(Path(store))
    bench = Bench(Path(data), sandbox, toolchain, worktrees, git)
    company = read_company_settings(os.environ, Path(data))
    network = SetupNetwork((name,), own_indexes(f"{name}:{port}=127.0.0.1"), company=company)
    made = Checker("killed", git, worktrees, sandbox, toolchain, MemorySteps(), network=network)
    await worktrees.base("killed", git, tree)
    await made.run(found(bench, tree), tree)

asyncio.run(main(*sys.argv[1:]))
"""


# ENV-2
async def test_a_process_that_is_killed_while_it_builds_leaves_nothing_that_is_used(
    bench: Bench, index: Index, network: SetupNetwork, tmp_path: Path
) -> None:
    (tree,) = bench.trees(files(PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST))
    checker(bench, tree, network)
    environ = {**os.environ, **environment(index, tmp_path)}
    index.held = asyncio.Event()
    reported = (str(bench.data), str(bench.git.path), tree, network.allowed[0], str(index.port))
    top = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", BUILDER, *reported, cwd=top, env=environ)
    async with asyncio.timeout(120):
        while WHEEL not in index.heard:
            assert process.returncode is None
            await asyncio.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    index.held.set()
    assert kept(bench) == set()
    async with another(bench, tree, network, "after") as made:
        result = await asyncio.wait_for(seen(made, found(bench, tree), tree), 120)
        assert result.green, result.problem or result.output
        assert made.worktrees.sweep()
    assert len(kept(bench)) == 1


def own_project(source: str) -> dict[str, str]:
    more = {"mine.py": source, "requirements.txt": "heal-demo\n", **TEST}
    return files("python -m pip install -r requirements.txt", UNITTEST, **more)


# ENV-2
async def test_what_a_pull_requests_own_code_made_is_for_that_pull_request_alone(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    trees = bench.trees(own_project("A = 1\n"), own_project("A = 2\n"))
    counts = []
    for run, tree, scope in (("a", 0, "pull request 1"), ("b", 1, "pull request 1"), ("c", 0, "pull request 2")):
        async with another(bench, trees[tree], network, run, scope) as made:
            result = await seen(made, found(bench, trees[tree]), trees[tree])
            assert result.green, result.problem or result.output
            counts.append((len(kept(bench)), len(asked)))
    assert [environments for environments, _ in counts] == [1, 1, 2]
    assert counts[0][1] == counts[1][1] < counts[2][1]


# ENV-2
@pytest.mark.parametrize(
    ("run", "shared"),
    [
        ("pip install -r requirements.txt", True),
        ("pip install -q --upgrade 'a>=1' b[x]==2", True),
        ("npm ci --ignore-scripts", True),
        ("python -m pip install -r requirements.txt", False),
        ("pip install -e .", False),
        ("pip install .", False),
        ("pip install -r local.txt", False),
        ("pip install -r gone.txt", False),
        ("pip install --find-links vendor a", False),
        ("pip install git+https://h.example/r.git", False),
        ("npm ci", False),
        ("uv sync", False),
        ("make deps", False),
    ],
)
def test_only_what_runs_no_code_of_the_repository_is_shared_by_all_of_it(run: str, shared: bool) -> None:
    view = DictView(
        {
            "requirements.txt": b"a==1 --hash=sha256:0\n" + b"-r more.txt\n-r requirements.txt\n" * 99,
            "more.txt": b"# b\nb\n",
            "local.txt": b"./c\n",
        }
    )
    assert installs_only_published([Script(name="", run=run)], view) is shared
    if shared:
        assert not installs_only_published([Script(name="", run=run, env={"PIP_CONFIG_FILE": "ci/pip.conf"})], view)
        assert installs_only_published([Script(name="", run=run, env={"PYTHON_VERSION": "3.12"})], view)


# ENV-2
async def test_an_environment_is_made_again_after_a_day(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    (tree,) = bench.trees(files(PIP, UNITTEST, **{"requirements.txt": "heal-demo\n"}, **TEST))
    counts = []
    for run in ("one", "two"):
        async with another(bench, tree, network, run) as made:
            assert (await seen(made, found(bench, tree), tree)).green
        counts.append(len(asked))
        (key,) = kept(bench)
        output = bench.data / "environments" / key / "environment.json"
        output.write_text(json.dumps({**json.loads(output.read_text()), "made": time.time() - 90_000}))
    assert counts[0] < counts[1]


# ENV-2
async def test_what_set_up_wrote_never_hides_a_file_of_another_tree(tmp_path: Path) -> None:
    worktrees = Worktrees(tmp_path)
    for place, text in (("files/build/made.txt", "x"), ("files/lock.json", "new")):
        path = tmp_path / "made" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = DictView({"lock.json": b"old", "src/a.py": b"1"})
    environments = worktrees.environments
    environments.keep("key", tmp_path / "made", before)
    with ExitStack() as held:
        folder = await environments.hold("key", held)
        assert folder is not None
        assert environments.fits(folder, before)
        assert environments.fits(
            folder, DictView({"lock.json": b"old", "src/a.py": b"2", "src/b.py": b"", "new/c": b""})
        )
        assert not environments.fits(folder, DictView({"lock.json": b"newer"}))
        assert not environments.fits(folder, DictView({"build/tracked.py": b""}))
        assert not environments.fits(folder, DictView({"build/made.txt": b"x"}))
        later = datetime.now(UTC) + timedelta(days=9)
        assert worktrees.clean(timedelta(days=7), 1 << 40, later) == ()  # it is in use
    assert worktrees.clean(timedelta(days=7), 1 << 40, later) == ("key",)
    assert not (tmp_path / "environments" / "key").exists()
    worktrees.close()


# WT-2
@pytest.mark.parametrize(
    ("run", "same"),
    [
        ("pip install -r names.txt", True),
        ("pip install -r editable.txt", True),
        ("pip install -r copy.txt", False),
        ("pip install -r nested.txt", False),
        ("pip install 'a>=1'", True),
        ("pip install .", False),
        ("uv sync", True),
        ("uv sync --no-editable", False),
    ],
)
def test_a_copy_of_the_repository_is_never_taken_for_another_tree(run: str, same: bool) -> None:
    lists = {
        "names.txt": b"a==1\nb @ https://h.example/b.zip\n",
        "editable.txt": b"-e .\n",
        "copy.txt": b"a\n" + b"-r copy.txt\n-r nested.txt\n" * 99 + b"./c  # x\n",
    }
    view = DictView({**lists, "nested.txt": b"-r copy.txt\n", "c/setup.py": b""})
    assert (inputs([Script(name="", run=run)], view) is not None) is same
