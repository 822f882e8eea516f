"""One stage for the whole suite, and its report at the end."""

import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.realworld import report
from tests.realworld.fetching import NotHereError
from tests.realworld.projects import Project
from tests.realworld.stage import Home, Stage, stage

LEDGER = report.Ledger()


@pytest_asyncio.fixture(scope="session", loop_scope="session", name="stage")
async def shared_stage() -> AsyncIterator[Stage]:
    async with stage() as made:
        yield made


async def home_of(stage: Stage, project: Project) -> Home:
    """The project on the stage. Where it can't be fetched: skipped on a developer's machine, failed in CI."""
    try:
        return await stage.home(project)
    except NotHereError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{project.title} could not be fetched: {error}")


@pytest.fixture
def ledger() -> report.Ledger:
    return LEDGER


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LEDGER.rows or LEDGER.refused:
        terminalreporter.write_line(LEDGER.written())
