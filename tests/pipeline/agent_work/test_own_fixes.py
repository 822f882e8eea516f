"""An agent goes on from the fixes of its own that were accepted: in its worktree, and in what it is judged on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from healing.model import Proposal
from healing.pipeline.agent_work.agent_space import AgentSpace, AgentVerifier
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.territory import Territory
from healing.verify.verdict import Verdict
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench, candidate

CALC = "def one():\n    a = eins()\n    b = zwei()\n    return a, b\n\n\ndef two():\n    return drei()\n"
FILES = {"calc.py": CALC, "other.py": "def four():\n    return vier()\n"}
ONE, NEXT = ("calc.py", "eins()", "1"), ("calc.py", "    a = 1\n    b = zwei()\n", "    a = 1\n    b = 2\n")


class Author:
    """An agent at work in a worktree of its own."""

    def __init__(self, verifier: Verifier, space: AgentSpace, who: str) -> None:
        self.verifier, self.space = verifier, space
        self.door = AgentVerifier(verifier, space, who, Territory())

    async def tried(self, name: str, *edits: tuple[str, str, str]) -> Verdict:
        """The word on edits for the error about that name."""
        return await self.door.submit(candidate(self.verifier, *edits, of=lambda e: f"`{name}`" in e.message))

    async def fixed(self, name: str, *edits: tuple[str, str, str]) -> Proposal:
        """The same, where it is accepted; the author goes on from it."""
        verdict = await self.tried(name, *edits)
        assert verdict.proposal is not None, verdict.message
        assert verdict.merged
        assert await self.space.take(verdict.proposal)
        return verdict.proposal


@asynccontextmanager
async def author(verifier: Verifier, who: str = "agent-1") -> AsyncIterator[Author]:
    checker = verifier.checker
    async with (
        checker.worktrees.worktree(checker.run_id, who, checker.git, verifier.integration, layered=True) as worktree,
        verifier.branch.working(who),
    ):
        yield Author(verifier, AgentSpace(verifier, worktree, verifier.errors), who)


# AG-12, WT-5
async def test_the_worktree_holds_own_accepted_fixes_and_goes_back_at_the_end(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "ruff check .", shared=True)
    async with author(verifier) as me, author(verifier, "agent-2") as other:
        await other.fixed("vier", ("other.py", "vier()", "4"))
        await me.fixed("eins", ONE)
        assert b"a = 1" in (await me.space.read("calc.py") or b"")
        assert b"vier" in (await me.space.read("other.py") or b""), "others' fixes come in by chance: they stay out"
        errors = tuple(i for i, e in verifier.errors.items() if "`eins`" in e.message)
        assert "`eins`" not in await me.space.run_check(errors)
        await me.space.restart()
        assert await me.space.tree() == verifier.trees.head


# AG-12, MQ-2
async def test_a_fix_of_the_next_line_is_made_on_the_one_before_and_is_no_conflict(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "ruff check .", shared=True)
    async with author(verifier) as me:
        first = await me.fixed("eins", ONE)
        second = await me.fixed("zwei", NEXT)
        third = await me.fixed("drei", ("calc.py", "drei()", "3"))
    assert second.needs == (first.id,)
    assert third.needs in ((), (first.id, second.id))
    assert [p.id for p in verifier.accepted] == [first.id, second.id, third.id]


# MQ-2
async def test_a_conflict_with_others_on_top_of_own_fixes_can_still_be_solved(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "ruff check .", shared=True)
    async with author(verifier) as me, author(verifier, "agent-2") as other:
        await me.fixed("eins", ONE)
        await other.fixed("drei", ("calc.py", "    return drei()\n", "    return 3\n"))
        verdict = await me.tried("zwei", ("calc.py", "b = zwei()", "b = 2"), ("calc.py", "return drei()", "return 33"))
        assert verdict.conflict == "again", verdict.message
        assert "return 3\n" in verdict.message
        await me.space.renew()
        await me.fixed("zwei", ("calc.py", "b = zwei()", "b = 2"))
        await me.space.restart()
        assert b"return 3\n" in (await me.space.read("calc.py") or b""), "what it was renewed to is its base now"


# MQ-2, CK-5
async def test_a_fix_made_on_an_own_one_that_was_taken_out_does_not_bring_it_back(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "ruff check .", shared=True)
    async with author(verifier) as me, author(verifier, "agent-2") as other:
        await me.fixed("eins", ONE)
        kept = await other.fixed("vier", ("other.py", "vier()", "4"))
        await verifier.branch.again([kept])
        verdict = await me.tried("zwei", NEXT)
    assert not verdict.accepted
    assert [p.id for p in verifier.accepted] == [kept.id]
    assert b"eins()" in (verifier.git.view(verifier.integration).read("calc.py") or b"")


# AG-12
async def test_only_its_author_can_withdraw_a_fix_and_only_while_at_work(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "ruff check .", shared=True)
    async with author(verifier) as me, author(verifier, "agent-2") as other:
        mine, theirs = await me.fixed("eins", ONE), await other.fixed("vier", ("other.py", "vier()", "4"))
        for stranger in (theirs.id, "", "nonsense"):
            assert "only the author" in (await me.door.withdraw(stranger, "why")).message
        me.door.over = True
        assert "is over" in (await me.door.withdraw(mine.id, "why")).message
        me.door.over = False
        assert [p.id for p in verifier.accepted] == [mine.id, theirs.id]
        assert (await me.door.withdraw(mine.id, "why")).done
        assert "only the author" in (await me.door.withdraw(mine.id, "why")).message, "not twice"
        assert [p.id for p in verifier.accepted] == [theirs.id]
        again = await other.fixed("eins", ONE)
        assert again.id in [p.id for p in verifier.accepted], "who comes later may hand the same in"


# AG-12, MQ-2
async def test_a_withdrawn_fix_leaves_the_scratch_copy_also_where_that_was_renewed_with_it(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "ruff check .", shared=True)
    async with author(verifier) as me, author(verifier, "agent-2") as other:
        scratch = Scratch(me.space)
        first = (await me.tried("eins", ONE)).proposal
        assert first
        await other.fixed("vier", ("other.py", "vier()", "4"))
        await scratch.renew([first])  # as after a conflict
        later = (await me.tried("drei", ("calc.py", "drei()", "3"))).proposal
        assert later
        await scratch.take(later, ())
        assert (await me.door.withdraw(first.id, "why")).done
        await scratch.give_back([later], first.id)
        assert await scratch.read("calc.py") == CALC.replace("drei()", "3").encode()
        assert await scratch.read("other.py") == b"def four():\n    return 4\n"
        assert await me.space.tree() == verifier.integration
