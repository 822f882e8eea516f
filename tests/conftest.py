"""What holds for all tests: nothing in them depends on how fast the machine is, nor on how they were started.

And what many folders use: probing for a sandbox and making the base environment are slow, so a process has one bench.
"""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import toolchains
from tests.npm import needs_npm

if TYPE_CHECKING:
    from tests.pipeline.bench import Bench

# What a background job, `nohup` or a service manager ignores or blocks, the programs that tests start would, too.
COMMON = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
for number, usual in COMMON.items():
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
signal.pthread_sigmask(signal.SIG_UNBLOCK, COMMON)

# Hypothesis gives each example 200 ms and refuses slow generators: on a busy machine both fail at random.
settings.register_profile("heal", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("heal")


# Collecting loads hundreds of thousands of objects that stay. To look through them for garbage again and again, while
# they come and later beside what tests make, would take a tenth of all the tests' time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        toolchains.begin_run()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        toolchains.end_run()


@pytest.fixture(scope="session")
def bench() -> Iterator["Bench"]:
    from tests.pipeline.bench import open_bench  # loads the engine, which most tests do without

    with open_bench() as made:
        yield made


@pytest.fixture(scope="session")
def packages() -> Path:
    """npm's packages."""
    return needs_npm()


@pytest.fixture(scope="session")
def node_bench(packages: Path) -> Iterator["Bench"]:
    """A bench whose sandbox can read npm's packages."""
    from tests.pipeline.bench import open_bench

    with open_bench(packages / ".bin") as made:
        yield made
