"""Real projects, broken in one way at a time: what Heal offers heals, or it offers nothing."""

import pytest

from tests.realworld.case import play
from tests.realworld.catalogue import cases
from tests.realworld.conftest import home_of
from tests.realworld.projects import Project
from tests.realworld.report import Ledger
from tests.realworld.stage import Stage

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

CASES = [pytest.param(project, name, id=f"{project.name}-{name}") for project, name in cases()]


# CK-3 CK-5 AF-5 LM-7
@pytest.mark.parametrize(("project", "name"), CASES)
async def test_nothing_wrong_is_offered(stage: Stage, ledger: Ledger, project: Project, name: str) -> None:
    await home_of(stage, project)
    row = await play(stage, project, name)
    ledger.rows.append(row)
    assert row.end != "wrong", f"{row.what}: {row.why}"
