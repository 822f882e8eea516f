"""Real projects, broken in one way at a time: what Heal offers heals, or it offers nothing."""

import pytest

from tests.realworld.catalogue import cases
from tests.realworld.conftest import home_of
from tests.realworld.projects import Project
from tests.realworld.report import Ledger, Row
from tests.realworld.stage import Stage
from tests.realworld.trial import break_it, heal, heal_with, run_of

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

CASES = [pytest.param(project, name, id=f"{project.name}-{name}") for project, name in cases()]


# CK-3 CK-5 AF-5 LM-7
@pytest.mark.parametrize(("project", "name"), CASES)
async def test_nothing_wrong_is_offered(stage: Stage, ledger: Ledger, project: Project, name: str) -> None:
    home = await home_of(stage, project)
    broken = await break_it(stage, home, name)
    free = await heal(stage, stage.free, home, broken, broken.pull)
    await stage.close(stage.free, broken.pull)
    last, oracle = free, ""
    if free.verdict.end in ("unfixable", "partly"):
        last = await heal_with(stage, home, broken, f"{name}-oracle")
        oracle = last.verdict.end
    row = Row(
        project=project.title,
        name=name,
        category=broken.breakage.category,
        what=broken.breakage.what,
        red=broken.red,
        errors=len(free.outcome.errors),
        free=free.verdict.end,
        oracle=oracle,
        exact=last.verdict.exact,
        sources=last.sources,
        delivery=tuple(dict.fromkeys(one.delivery for one in last.offered)),
        seconds=round(free.seconds, 1),
        why="" if last.verdict.end == "healed" else last.verdict.why or run_of(last),
    )
    ledger.rows.append(row)
    assert row.end != "wrong", f"{broken.breakage.what}: {free.verdict} {last.verdict}"
