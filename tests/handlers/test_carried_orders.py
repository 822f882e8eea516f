"""What stands on a new head can be accepted in every order there, as what was offered at first could."""

import asyncio
from itertools import permutations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.model import STANDING
from healing.edits.commuting import commute
from healing.edits.exact import edits_between
from healing.model import Proposal
from tests.handlers.world import MemoryWorld
from tests.queue.test_orders import FILE, LINES, allowed, applied, rewritten


@st.composite
def moved(draw: st.DrawFn) -> tuple[bytes, list[bytes], bytes]:
    """A file, what fixes make of it, and what somebody else makes of it meanwhile: a few lines more or less."""
    text, wishes = draw(rewritten())
    lines = text.splitlines(keepends=True)
    start = draw(st.integers(0, len(lines)))
    end = draw(st.integers(start, min(len(lines), start + 1)))
    new = [f"{line}\n".encode() for line in draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=3))]
    return text, wishes, b"".join([*lines[:start], *new, *lines[end:]])


async def standing_after(text: bytes, wishes: list[bytes], new: bytes) -> tuple[Proposal, ...]:
    """Fixes that could be applied in every order are offered; the head moves; those that still stand then."""
    world = MemoryWorld({FILE: b"old\n"}, {FILE: text})
    fixes: list[Proposal] = []
    for wish in wishes:
        fix = world.proposal(*edits_between(FILE, text, wish)) if wish and wish != text else None
        if fix and commute(fix, fixes, {FILE: text}.get):
            fixes.append(fix)
    world.will_heal(*fixes)
    await world.ci_fails()
    await world.pushed({FILE: new})
    stored = await world.store.proposals(5)
    # Of the others the lines can't say whether they are there already: those nobody can apply.
    return tuple(one.proposal for one in stored if one.status in STANDING and one.reference == world.head)


# CK-3 IN-3
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(moved())
def test_what_is_carried_to_a_new_head_applies_in_every_order_there(case: tuple[bytes, list[bytes], bytes]) -> None:
    text, wishes, new = case
    standing = asyncio.run(standing_after(text, wishes, new))
    if not standing:
        return
    orders = [order for order in permutations(standing) if allowed(order)]
    assert orders
    assert len({applied(order, new, wide) for order in orders for wide in (False, True)}) == 1
