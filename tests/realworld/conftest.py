"""One stage for the whole suite, and its report at the end."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.realworld import report
from tests.realworld.stage import Stage, stage

ROWS: list[report.Row] = []


@pytest_asyncio.fixture(scope="session", loop_scope="session", name="stage")
async def shared_stage() -> AsyncIterator[Stage]:
    async with stage() as made:
        yield made


@pytest.fixture
def rows() -> list[report.Row]:
    return ROWS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if ROWS:
        terminalreporter.write_line(report.written(ROWS))
