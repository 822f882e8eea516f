"""`/heal explain` tells how an error, a fix, a report or a cluster came about."""

import pytest
from inline_snapshot import snapshot

from handlers.comments.explaining import explained
from healing.model import Category, Cluster, Outcome, Resolution, RootCause, Unfixable
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import ERROR, MemoryWorld

BOTH = ("E1", "E2abcdef")
CAUSE = RootCause(fingerprint="f1", shape="s", category=Category.LINT, message="undefined name", error_ids=BOTH)
CLUSTER = Cluster(id="c1c1c1c1", causes=(CAUSE,), error_ids=BOTH, zone=("calc.py",), phase="fast")
LOST = ERROR.model_copy(update={"id": "E2abcdef", "message": "no cure @ada", "excerpt": "the log", "log_line": 7})
REPORT = Unfixable(id="U1234567", error_ids=("E2abcdef",), reason="no-key", tried="all", why="no model", advice="a key")


@pytest.fixture
async def world() -> MemoryWorld:
    made = MemoryWorld(BASE, HEAD)
    fix = fix_of(made)
    ends = (
        Resolution(error_id="E1", how=f"fix:{fix.id}", proposal_id=fix.id),
        Resolution(error_id="E2abcdef", how="unfixable:U1234567"),
    )
    made.will_heal(
        fix,
        verdict="partly",
        errors=(ERROR, LOST),
        causes=(CAUSE,),
        clusters=(CLUSTER,),
        unfixables=(REPORT,),
        resolutions=ends,
    )
    await made.ci_fails()
    return made


# SC-1 CK-7
async def test_an_error_is_explained_with_its_cause_and_its_end(world: MemoryWorld) -> None:
    text = await world.says("/heal explain E1", comment_id=1)
    assert "It has the same root cause as 1 other error." in text
    assert "It is in group `c1c1c1c1`." in text
    assert f"`{fix_of(world).id[:8]}` fixes it." in text
    text = await world.says("/heal explain E2ab", comment_id=2)
    assert "in its log (line 7)" in text
    assert "the log" in text
    assert "@ada" not in text


# SC-1
async def test_a_fix_is_explained_with_its_source_and_its_proof(world: MemoryWorld) -> None:
    fix = fix_of(world)
    text = await world.says(f"/heal explain {fix.id[:8]}", comment_id=1)
    assert "Made by an AI model" in text
    assert "Proof: " in text
    assert "**open**" in text
    comment = world.hub.review_comments_[0].id
    assert await world.says("/heal explain", comment_id=2, in_reply_to=comment) == text


# SC-1 AG-4
async def test_reports_and_clusters_are_explained(world: MemoryWorld) -> None:
    text = await world.says("/heal explain U1234567", comment_id=1)
    assert "No fix: no model." in text
    assert "*What you can do:* a key." in text
    text = await world.says("/heal explain c1c1c1c1", comment_id=2)
    assert "Group `c1c1c1c1`: 2 errors with one root cause: undefined name." in text
    assert f"Tested fixes: `{fix_of(world).id[:8]}`." in text


# SC-1
def test_a_group_names_each_of_its_root_causes() -> None:
    causes = (CAUSE, CAUSE.model_copy(update={"message": "unused import", "error_ids": ("E3",)}))
    group = CLUSTER.model_copy(update={"causes": causes, "error_ids": (*BOTH, "E3")})
    assert explained("c1c1c1c1", Outcome(verdict="not-healed", run_id="run1", clusters=(group,)), None) == snapshot("""\
Group `c1c1c1c1`: 3 errors that Heal handles together. Their root causes:
- undefined name (2 errors)
- unused import (1 error)

Files that may need a change: `calc.py`

No tested fix.\
""")


# SC-2
async def test_what_is_no_id_is_answered_with_what_to_say(world: MemoryWorld) -> None:
    assert "Explain what? Use `/heal explain <id>`." in await world.says("/heal explain", comment_id=1)
    assert "No fix or error has the id `everything`" in await world.says("/heal explain everything", comment_id=2)
    assert "No fix or error has the id" in await world.says("/heal explain abc123", comment_id=3)
