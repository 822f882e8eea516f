"""The bench, watched; and the same with JavaScript's test runners."""

import asyncio
from dataclasses import replace

import pytest

from healing.sandbox.probe import Choice, probe
from tests.npm import needs_npm
from tests.pipeline.bench import Bench
from tests.testruns.watching import Watched


@pytest.fixture
def watched(bench: Bench) -> Watched:
    return Watched(bench)


@pytest.fixture
def with_npm(bench: Bench) -> Watched:
    modules = needs_npm(runners=True)
    return Watched(replace(bench, toolchain=bench.toolchain.with_programs((modules / ".bin",))), modules)


@pytest.fixture(params=["bubblewrap", "landlock"])
def on_each(request: pytest.FixtureRequest, bench: Bench) -> Watched:
    """A bench on one back end and on the other."""
    name: Choice = request.param
    looked = asyncio.run(probe(bench.data, name))
    if looked.sandbox is None:
        pytest.skip(f"{name} does not work on this machine: {looked.tried}")
    return Watched(replace(bench, sandbox=looked.sandbox))
