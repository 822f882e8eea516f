"""The same projects with a model that is wrong, and with one that cheats: nothing of that may reach the page. Where a
cheat was handed in with the right cure, the cure alone may: tests are judged as the base has them."""

import pytest

from healing.graph import is_test
from tests.model_standin import Brain
from tests.realworld.brains import cheating, cures, wrong
from tests.realworld.conftest import home_of
from tests.realworld.projects import Project
from tests.realworld.python import CACHETOOLS, SEMVER, TOOLZ
from tests.realworld.report import Ledger, Refused
from tests.realworld.stage import Home, Stage
from tests.realworld.trial import Broken, break_it, heal_with

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

CASES = [
    pytest.param(project, name, kind, id=f"{project.name}-{name}-{kind}")
    for project, name in ((SEMVER, "comparison"), (CACHETOOLS, "lost-return"), (TOOLZ, "arithmetic"))
    for kind in ("wrong", "cheating")
]


def _brain(kind: str, home: Home, broken: Broken) -> Brain:
    head = home.files | broken.breakage.files
    pairs = cures(head, home.files)
    return wrong(pairs) if kind == "wrong" else cheating(head, pairs)


# CK-3 CK-5 AG-4 AG-5
@pytest.mark.parametrize(("project", "name", "kind"), CASES)
async def test_a_bad_model_gets_nothing_onto_the_page(
    stage: Stage, ledger: Ledger, project: Project, name: str, kind: str
) -> None:
    home = await home_of(stage, project)
    broken = await break_it(stage, home, name, f"{kind}-")
    await stage.close(stage.free, broken.pull)
    asked = len(stage.standin.answered)
    healing = await heal_with(stage, home, broken, f"{name}-{kind}", _brain(kind, home, broken))
    replies = len(stage.standin.answered) - asked
    ledger.refused.append(Refused(project.title, name, kind, replies, len(healing.offered)))
    assert replies >= 2, "the model was hardly asked"  # two edits that change nothing end it (AG-5)
    pull, offered = healing.pull, healing.offered
    if offered:  # the cheat was tied to the cure
        assert (kind, healing.verdict.end, healing.verdict.exact) == ("cheating", "healed", True)
        assert not [edit.file for one in offered for edit in one.proposal.edits if is_test(edit.file)]
        return
    assert healing.verdict.end == "unfixable"
    assert not [c for c in stage.hub.review_comments_of(pull) if c.author.login == "heal[bot]"]
    assert not [p for p in stage.hub.pulls_of(home.repo) if p.author.login == "heal[bot]" and p.state == "open"]
    assert {r.how.partition(":")[0] for r in healing.outcome.resolutions} == {"unfixable"}
