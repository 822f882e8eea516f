"""Kinds of fixes that people turn down get quieter, then silent (GH-9)."""

# ruff: noqa: E501  (pages have long lines)

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from handlers import router
from handlers.delivery.muting import kinds_of, lower_bound, visibility
from handlers.events import PullClosed
from handlers.model import StoredProposal, Tally
from healing.model import Category, RootCause
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, HEAD, STICKY, far_fix_of, fix_of
from tests.handlers.world import ERROR, MemoryWorld

KIND = "agent:generalist ruff F821"


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


def people_decided(world: MemoryWorld, yes: int, no: int, ignored: int = 0, kind: str = KIND) -> None:
    """On other pull requests, at other times."""
    statuses = ["applied"] * yes + ["rejected", "rolled-back"] * (no // 2) + ["rejected"] * (no % 2)
    for number, status in enumerate([*statuses, *["outdated"] * ignored], 100):
        one = fix_of(world, id=f"old{number}")
        known = {"run_id": "old", "attempt": 1, "number": number, "status": status}
        world.store.proposals_[number, one.id] = StoredProposal.model_validate({"proposal": one, **known})
        world.store.kinds[number, one.id] = (kind,)


@pytest.mark.parametrize(
    ("yes", "no", "wanted"),
    [
        (0, 9, "loud"),  # too few to say
        (4, 6, "quiet"),
        (5, 5, "loud"),
        (0, 10, "silent"),
        (1, 9, "quiet"),
        (1, 14, "silent"),
        (60, 40, "quiet"),
        (62, 38, "loud"),
        (1000, 0, "loud"),
    ],
)
def test_the_bound_decides_not_the_share(yes: int, no: int, wanted: str) -> None:
    assert visibility(Tally(kind="k", accepted=yes, rejected=no)) == wanted


def test_the_bound_is_wilsons() -> None:
    assert lower_bound(0, 0) == 0.0
    assert lower_bound(6, 10) == pytest.approx(0.3127, abs=1e-4)
    assert lower_bound(10, 10) == pytest.approx(0.7225, abs=1e-4)


@given(of=st.integers(1, 5000), hits=st.integers(0, 5000))
def test_the_bound_lies_below_the_share_and_grows_with_it(of: int, hits: int) -> None:
    hits = min(hits, of)
    assert 0.0 <= lower_bound(hits, of) <= hits / of
    assert lower_bound(hits, of) <= lower_bound(min(hits + 1, of), of)
    assert lower_bound(hits, of) <= lower_bound(10 * hits, 10 * of) + 1e-12


def test_a_kind_names_who_made_the_fix_and_for_which_rules(world: MemoryWorld) -> None:
    other = ERROR.model_copy(update={"id": "E2", "tool": "pyright", "code": "reportUndefined"})
    both = fix_of(world, error_ids=("E1", "E2"))
    assert kinds_of(both, (ERROR, other)) == (KIND, "agent:generalist pyright reportUndefined")
    assert kinds_of(fix_of(world, error_ids=()), (ERROR,)) == ("agent:generalist",)
    long = ERROR.model_copy(update={"code": "x" * 1000})
    assert [len(kind) for kind in kinds_of(fix_of(world), (long,))] == [200]


# GH-9
async def test_a_kind_that_is_mostly_turned_down_is_told_on_the_check_run_alone(world: MemoryWorld) -> None:
    people_decided(world, yes=4, no=6)
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    assert world.status(fix) == "muted"
    assert (world.publisher.reviews, world.publisher.fixups, world.publisher.stickies) == ({}, {}, {})
    check = world.check
    assert check.title == snapshot("No fix offered for 1 error")
    assert check.summary.split("**Cost:**")[0] == snapshot("""\
**No fix offered for 1 error.** Heal has tested fixes, but similar fixes are usually rejected in this repository.

<details><summary>1 fix not offered, because similar fixes are usually rejected in this repository</summary>

`/heal apply <id>` commits it anyway, and counts in favour of similar fixes.

| Fix | Change | Why not offered |
|---|---|---|
| `a2a4c471` | Import math | 6 of 10 fixes made by an AI model (agent “generalist”) for ruff F821 were rejected in this repository |

</details>

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `math` | `calc.py:2` | fix `a2a4c471` |

""")
    assert [identifier for *_, identifier in check.actions] == ["retry"]
    assert "committed" in await world.says(f"/heal apply {fix.id}", comment_id=1)
    assert world.status(fix) == "applied"


# GH-9
async def test_a_kind_that_nearly_everybody_turns_down_is_not_offered_at_all(world: MemoryWorld) -> None:
    people_decided(world, yes=0, no=12, ignored=30)
    fix, other = fix_of(world), far_fix_of(world, source="fixer:other")
    world.will_heal(fix, other)
    await world.ci_fails()
    assert (world.status(fix), world.status(other)) == ("muted", "offered")
    summary = world.check.summary
    assert f"| `{fix.id[:8]}` |" not in summary, "no row of its own"
    assert [line for line in summary.splitlines() if "Not offered" in line] == snapshot(
        [
            (
                "**Not offered:** 1 tested fix, because 12 of 12 fixes made by an AI model (agent “generalist”) for "
                "ruff F821 were rejected in this repository. `/heal list` shows it, `/heal apply <id>` commits it anyway."
            )
        ]
    )
    assert fix.id[:8] not in world.publisher.stickies[STICKY]
    assert "**not offered**" in await world.says("/heal list", comment_id=1)


# GH-9
async def test_what_nobody_decided_on_mutes_nothing(world: MemoryWorld) -> None:
    people_decided(world, yes=0, no=3, ignored=500)
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    assert world.status(fix) == "offered"


# GH-9
async def test_a_fix_for_two_rules_is_as_loud_as_the_one_that_people_take(world: MemoryWorld) -> None:
    people_decided(world, yes=0, no=12)
    second = ERROR.model_copy(update={"id": "E2", "code": "F401"})
    fix = fix_of(world, error_ids=("E1", "E2"))
    world.will_heal(fix, errors=(ERROR, second))
    await world.ci_fails()
    assert world.status(fix) == "offered"


# GH-9
async def test_a_muted_fix_is_neither_carried_along_nor_applied_with_all(world: MemoryWorld) -> None:
    people_decided(world, yes=0, no=12)
    fix, other = fix_of(world), far_fix_of(world, source="fixer:other")
    world.will_heal(fix, other)
    await world.ci_fails()
    assert fix.id[:8] not in await world.says("/heal apply all", comment_id=1)
    await world.pushed({**world.files, "other.txt": b"1\n"})
    assert (world.status(fix), world.status(other)) == ("muted", "applied")


# GH-9
async def test_the_reason_of_a_rejection_reaches_later_agents(world: MemoryWorld) -> None:
    fix = fix_of(world)
    cause = RootCause(fingerprint="f1", shape="s", category=Category.LINT, message="m", error_ids=("E1",))
    world.will_heal(fix, causes=(cause,))
    await world.ci_fails()
    await world.says(f"/heal reject {fix.id} we import from our own maths", comment_id=1)
    (lesson,) = world.store.lessons
    assert (lesson.cause, lesson.specialist, lesson.edits) == ("f1", "agent:generalist", fix.edits)
    assert lesson.message == "It was proven, and a person here turned it down: we import from our own maths"


# GH-5 GH-9
@pytest.mark.parametrize(("login", "wanted"), [("ada", "rejected"), ("heal-app[bot]", "offered")])
async def test_a_fixup_that_a_person_closes_is_a_no(world: MemoryWorld, login: str, wanted: str) -> None:
    fix = far_fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    (fixup,) = await world.store.fixups()
    by = ADA.model_copy(update={"login": login})
    await router.handle(PullClosed(installation_id=3, repo=REPO, sender=by, number=fixup.number, merged=False), world)
    assert world.status(fix) == wanted
    assert bool(await world.store.fixups()) is (wanted == "offered")
