"""What a run offers can be accepted in every order. Fixes are applied by text, so every mixture counts."""

import asyncio
from collections.abc import Iterator
from functools import partial
from itertools import islice, permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.edits.commuting import commute
from healing.edits.exact import apply_edits, edits_between, widen
from healing.git import Git
from healing.git.objects import Objects
from healing.model import Proposal
from healing.pipeline.ci.chain import Chain
from healing.steps import MemorySteps
from healing.verify.queue.integration import AlreadyFixed, Conflicting, Integration

FILE = "a.txt"
LINES = ("a", "b", "ab", "aba", "", "c")  # few and alike, so that they are often there more than once
texts = st.lists(st.sampled_from(LINES), min_size=4, max_size=10).map(lambda lines: "\n".join(lines).encode() + b"\n")


@st.composite
def rewritten(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A file, and what up to four fixes make of it, each a few lines."""
    text = draw(texts)
    lines = text.splitlines(keepends=True)
    found = []
    for _ in range(draw(st.integers(2, 4))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(len(lines), start + 2)))
        new = draw(st.lists(st.sampled_from(LINES), max_size=2))
        found.append(b"".join([*lines[:start], *(f"{line}\n".encode() for line in new), *lines[end:]]))
    return text, found


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Git]:
    with Git.open(tmp_path_factory.mktemp("orders") / "store.git") as store:
        yield store


def made(name: str, old: bytes, new: bytes, base: str, needs: tuple[str, ...] = ()) -> Proposal:
    edits = edits_between(FILE, old, new)
    both = widen(edits, {FILE: old}.get)
    return Proposal(
        id=name, source="agent:test", phase="slow", title=name, explanation=name, confidence=50, error_ids=(name,),
        edits=edits, wide=both.wide, reverse=both.reverse, evidence=(), base_tree=base, needs=needs,
    )  # fmt: skip


async def offered(git: Git, text: bytes, wishes: list[bytes]) -> Integration:
    """What the run's merge queue takes of these fixes, each put where the queue says that it belongs."""
    with Objects(git.path) as objects:
        head = git.write_tree(objects.add_tree({}), {FILE: text})
    branch = Integration(git, head, MemorySteps())
    for number, new in enumerate(wishes):
        if not new or new == text:
            continue
        fix = made(f"p{number}", text, new, head)
        needs = branch.prerequisites(fix)
        base = branch.tree_with_only(needs)
        placed = base and git.merge(head, git.write_tree(head, {FILE: new}), base).tree
        if base is None or placed is None or not git.view(placed).read(FILE):
            continue
        before, after = git.view(base).read(FILE), git.view(placed).read(FILE)
        if before and before != after:
            fix = made(f"p{number}", before, after or b"", base, needs)
        try:
            await branch.merge(fix.id, fix)
        except (AlreadyFixed, Conflicting):
            await branch.leave(fix.id)
    return branch


async def taken_again(branch: Integration) -> list[str]:
    """Ids of the accepted fixes that the queue takes when they are handed in once more."""
    taken = []
    for one in list(branch.accepted):
        try:
            await branch.merge("again", one)
        except AlreadyFixed:
            continue
        taken.append(one.id)
    return taken


def applied(order: tuple[Proposal, ...], text: bytes, wide: bool) -> bytes:
    now = {FILE: text}
    for one in order:
        now[FILE] = apply_edits(one.wide if wide else one.edits, now.get)[FILE] or b""
    return now[FILE]


def allowed(order: tuple[Proposal, ...]) -> bool:
    """Whether what each needs comes before it."""
    return all(set(one.needs) <= {other.id for other in order[:at]} for at, one in enumerate(order))


# CK-3 CK-7 MQ-1
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(rewritten())
def test_what_a_run_offers_applies_in_every_order_to_the_same_bytes(git: Git, case: tuple[bytes, list[bytes]]) -> None:
    text, wishes = case
    branch = asyncio.run(offered(git, text, wishes))
    orders = [order for order in permutations(branch.accepted) if allowed(order)]
    assert orders
    whole = git.view(branch.tree).read(FILE)
    assert {applied(order, text, wide) for order in orders for wide in (False, True)} == {whole}
    assert asyncio.run(taken_again(branch)) == []


# CK-2 CK-3
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(rewritten(), st.data())
def test_what_ci_alone_proves_applies_in_every_order_beside_what_the_sandbox_proved(
    git: Git, case: tuple[bytes, list[bytes]], data: st.DataObject
) -> None:
    text, wishes = case
    proven = data.draw(st.integers(0, len(wishes)))
    branch = asyncio.run(offered(git, text, wishes[:proven]))
    chain = Chain(git, branch.head, tuple(branch.accepted))
    for number, new in enumerate(wishes[proven:]):
        if new and new != text:
            wished = git.write_tree(branch.head, {FILE: new})
            chain.add(wished, partial(between, git, f"c{number}"))
    together = (*branch.accepted, *chain.fixes)
    orders = [order for order in permutations(together) if allowed(order)]
    assert orders
    assert len({applied(order, text, wide) for order in orders for wide in (False, True)}) == 1


def between(git: Git, name: str, base: str, tree: str) -> Proposal:
    """The fix that makes one tree of another."""
    return made(name, git.view(base).read(FILE) or b"", git.view(tree).read(FILE) or b"", base)


# CK-3
@settings(max_examples=400, deadline=None)
@given(rewritten())
def test_fixes_that_are_said_to_commute_do_so_whichever_of_them_are_accepted(case: tuple[bytes, list[bytes]]) -> None:
    text, wishes = case
    fixes = tuple(made(f"p{n}", text, new, "") for n, new in enumerate(wishes) if new and new != text)
    if not fixes or not commute(fixes[0], fixes[1:], {FILE: text}.get):
        return
    for size in range(1, len(fixes) + 1):
        results: dict[frozenset[str], set[bytes]] = {}
        for order in islice(permutations(fixes, size), 50):
            chosen = frozenset(one.id for one in order)
            results.setdefault(chosen, set()).update(applied(order, text, wide) for wide in (False, True))
        assert all(len(found) == 1 for found in results.values())


# CK-3
@pytest.mark.parametrize(
    ("text", "one", "other", "together"),
    [
        (b"a\nb\nc\nd\n", b"A\nb\nc\nd\n", b"a\nb\nc\nD\n", True),
        (b"a\nb\nc\nd\n", b"A\nb\nc\nd\n", b"A\nb\nc\nD\n", False),  # both make one change
        (b"a\nb\nc\nd\n", b"d\nb\nc\nd\n", b"a\nb\nc\nD\n", False),  # one writes what the other replaces
        (b"a\nb\nc\nd\n", b"x\na\nb\nc\nd\n", b"y\na\nb\nc\nd\n", False),  # both insert at one place
        (b"x\na\nx\nb\n", b"x\nA\nx\nb\n", b"y\na\nx\nb\n", False),  # one needs the other's line to be unique
    ],
)
def test_two_fixes_commute_only_where_neither_changes_what_the_other_is_found_by(
    text: bytes, one: bytes, other: bytes, together: bool
) -> None:
    fixes = (made("p1", text, one, ""), made("p2", text, other, ""))
    assert commute(fixes[0], fixes[1:], {FILE: text}.get) is together
    assert commute(fixes[1], fixes[:1], {FILE: text}.get) is together


# CK-3
def test_two_fixes_that_together_write_what_a_third_replaces_do_not_commute_with_it() -> None:
    text = b"m\nn\nend\nx\ny\n"
    first, second = made("p1", text, b"x\nn\nend\nx\ny\n", ""), made("p2", text, b"m\ny\nend\nx\ny\n", "")
    third = made("p3", text, b"m\nn\nend\nz\nz\n", "")
    assert commute(third, (first,), {FILE: text}.get)
    assert commute(third, (second,), {FILE: text}.get)
    assert not commute(third, (first, second), {FILE: text}.get)
