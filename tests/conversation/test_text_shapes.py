"""Whatever text a fix has, taking it from GitHub's page gives exactly the bytes that were verified (GH-1)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest

from bot.contexts import RepoContext
from handlers.delivery import offering
from handlers.events import Repo
from handlers.model import Run
from healing.edits.exact import apply_edits, edits_between, widen
from healing.model import Category, CIError, Evidence, Outcome, Proposal, content_id
from lab.localhub import pulls, pushes, suggestions
from tests.conversation.page import Page
from tests.world import OpenWorld, World


class Shape(NamedTuple):
    """A file on the base branch, on the pull request's head, and as the fix makes it; and by which rung it goes."""

    base: str
    head: str
    fixed: str
    how: str = "suggestion"


LINES = "".join(f"line {number}\n" for number in range(1, 9))
LONGER = LINES.replace("line", "a line")
SHAPES = {
    "several_edits": Shape(LINES, LONGER, LONGER.replace("line 2", "2").replace("line 7", "7")),
    "deletion": Shape("a\nc\n", "a\nb\nc\n", "a\nc\n"),
    "deletion_of_the_first_line": Shape("b\n", "a\nb\n", "b\n"),
    "insertion_at_the_first_line": Shape("a\n", "b\nc\n", "new\nb\nc\n"),
    "insertion_at_the_last_line": Shape("a\n", "b\nc\n", "b\nc\nnew\n"),
    "an_empty_line": Shape("a\n", "b\nc\n", "b\n\nc\n"),
    "backticks": Shape("a\n", "b\n", "```py\n````suggestion\nb\n```\n~~~\n"),
    "crlf": Shape("a\r\n", "b\r\n", "c\r\n", "fixup"),
    "mixed_line_ends": Shape("a\n", "b\r\nc\n", "b\r\nd\n", "fixup"),
    "no_final_newline": Shape("a", "b", "c", "fixup"),
    "a_newline_at_the_end_is_added": Shape("a", "b", "b\n", "fixup"),
    "no_final_newline_far_away": Shape("a\nb\nc\nd", "A\nb\nc\nd", "AA\nb\nc\nd"),
    "tabs": Shape("\ta\n", "\tb\n\t\tc\n", "\t\tb\n\tc\n"),
    "trailing_blanks": Shape("a\n", "b\n", "c  \n", "fixup"),
    "emoji": Shape("a\n", "s = '🙂'\n", "s = '🙃👩‍🚀'\n"),
    "right_to_left": Shape("a\n", "s = 'שלום'\n", "s = 'שלום עולם'\nt = 'مرحبا'\n"),
    "combining_letters": Shape("a\n", "s = 'e\u0301'\n", "s = 'n\u0303e\u0301'\n"),
    "a_form_feed": Shape("a\n", "b\n", "\x0cb\n", "fixup"),
    "unicode_line_separators": Shape("a\n", "b\n", "'\u2028\u2029\x85'\n", "fixup"),
    "html_and_mentions": Shape("a\n", "b\n", "<b>@ada #1 &amp; <!-- x --></b>\n"),
    "a_fence_that_looks_like_ours": Shape("a\n", "b\n", "```suggestion\nb\n```\n"),
    "our_own_mark": Shape("a\n", "b\n", "<!-- heal:v1 sticky -->\n", "fixup"),
    "a_dollar_and_quotes": Shape("a\n", "b\n", "echo \"$(id)\" '`x`' \\\n"),
    "a_very_long_line": Shape("a\n", "b\n", "x" * 19_000 + "\n"),
    "too_long_for_a_comment": Shape("a\n", "b\n", "x" * 70_000 + "\n", "fixup"),
}
ERROR = CIError(id="E1", tool="ruff", code="F821", category=Category.LINT, file="a", line=1, message="Undefined name")
EVIDENCE = Evidence(
    command="ruff check .",
    before_tree="a" * 40,
    after_tree="b" * 40,
    before_exit=1,
    after_exit=0,
    before_output="no",
    after_output="yes",
)


def fix(name: str, path: str, head: bytes, fixed: bytes | None, **fields: object) -> Proposal:
    edits = edits_between(path, head, fixed)
    wide = widen(edits, {path: head}.get)
    reported: dict[str, object] = {
        "id": content_id(name),
        "source": "agent:generalist",
        "phase": "fast",
        "title": name,
        "explanation": "Because.",
        "confidence": 90,
        "error_ids": ("E1",),
        "edits": edits,
        "wide": wide.wide,
        "reverse": wide.reverse,
        "evidence": (EVIDENCE,),
        "base_tree": "0" * 40,
    }
    return Proposal.model_validate(reported | fields)


@asynccontextmanager
async def opened(w: World) -> AsyncIterator[RepoContext]:
    repo = Repo(id=w.repo.id, full_name=w.repo.full_name)
    async with w.machine.contexts.open(w.installation.id, repo, "shapes") as made:
        yield made


async def offered(w: World, pr: Page, *proposals: Proposal) -> dict[str, str]:
    """Title of each fix → how Heal offered it on the page."""
    outcome = Outcome(verdict="healed", run_id="run1", errors=(ERROR,), proposals=proposals)
    run = Run(
        repo_id=w.repo.id,
        full_name=w.repo.full_name,
        installation_id=w.installation.id,
        sha=pr.head,
        attempt=1,
        number=pr.number,
        state="done",
        run_id="run1",
    )
    async with opened(w) as made:
        pull = await made.github.pull(pr.number)
        assert pull is not None
        await offering.store_fixes(made, run, pr.number, outcome, proposals)
        await offering.offer(made, run, pull, outcome, proposals)
    return {item.proposal.title: item.delivery for item in await pr.stored()}


async def take_all(w: World, pr: Page) -> None:
    """Somebody commits all suggestions at once, and merges the fixup pull request; Heal hears of it."""
    if pr.standing():
        suggestions.commit_suggestion(w.hub, "maya", [offer.comment.id for offer in pr.standing()])
    for pull in w.hub.pulls_of(w.repo)[1:]:
        pulls.set_draft(w.hub, w.hub.person("maya"), pull, False)
        pulls.merge_pull(w.hub, "maya", pull)
    await w.heal()
    assert set((await pr.fixes()).values()) == {"applied"}


def look_at_it(pr: Page) -> None:
    assert pr.comments()
    assert len(pr.reviews()) <= 1
    assert pr.offers() or not pr.reviews()


# GH-1
async def test_every_shape_of_text_comes_back_exactly_by_its_rung(world: OpenWorld) -> None:
    async with world({name: shape.base for name, shape in SHAPES.items()}) as w:
        pr = await w.pull({name: shape.head for name, shape in SHAPES.items()})
        fixes = [fix(name, name, shape.head.encode(), shape.fixed.encode()) for name, shape in SHAPES.items()]
        assert await offered(w, pr, *fixes) == {name: shape.how for name, shape in SHAPES.items()}
        await take_all(w, pr)
        bare = w.hub.bare(w.repo)
        for name, shape in SHAPES.items():
            assert bare.read(pr.head, name) == shape.fixed.encode(), name
        look_at_it(pr)


# GH-1
async def test_renamed_files_new_files_and_modes(world: OpenWorld) -> None:
    old = "".join(f"value_{number} = {number}\n" for number in range(20))
    moved = old.replace("value_3 = 3", "value_3 = 33")
    async with world({"old.py": old, "pure.py": old.upper(), "run.sh": "false\n"}) as w:
        gone = {"old.py": None, "pure.py": None}
        pr = await w.pull(gone | {"new.py": moved, "named.py": old.upper(), "run.sh": "true\n"})
        fixes = (
            fix("renamed and changed", "new.py", moved.encode(), moved.replace("33", "34").encode()),
            fix("purely renamed", "named.py", old.upper().encode(), old.upper().replace("= 5", "= 6").encode()),
            fix("a file is gone", "run.sh", b"true\n", None),
        )
        assert await offered(w, pr, *fixes) == {
            "renamed and changed": "suggestion",
            "purely renamed": "fixup",
            "a file is gone": "fixup",
        }
        await take_all(w, pr)
        bare = w.hub.bare(w.repo)
        assert b"value_3 = 34\n" in (bare.read(pr.head, "new.py") or b"")
        assert b"VALUE_5 = 6\n" in (bare.read(pr.head, "named.py") or b"")
        assert bare.read(pr.head, "run.sh") is None
        look_at_it(pr)


def push_many(w: World, pr: Page, names: list[str]) -> None:
    """Noor pushes a commit with all these files, each with one line."""
    bare = w.hub.bare(w.repo)
    files = "".join(f"M 100644 :1 {name}\n" for name in names)
    who = "committer n <n@example.com> 1 +0000"
    made = f"blob\nmark :1\ndata 4\none\n\ncommit refs/heads/many\n{who}\ndata 0\nfrom {pr.head}\n{files}"
    bare.git("fast-import", "--quiet", stdin=made.encode())
    sha = bare.sha("refs/heads/many") or ""
    pushes.move_branch(w.hub, w.repo, pr.pull.head_ref, sha, w.hub.person("noor"))


# GH-1
@pytest.mark.slow
async def test_a_diff_of_three_thousand_files_carries_what_github_lists_and_the_rest_goes_another_way(
    world: OpenWorld,
) -> None:
    names = [f"many/f{number:04}.txt" for number in range(3_050)]
    async with world() as w:
        pr = await w.pull({"first.txt": "one\n"})
        push_many(w, pr, names)
        first, last = (fix(name, name, b"one\n", b"two\n") for name in (names[0], names[-1]))
        assert await offered(w, pr, first, last) == {names[0]: "suggestion", names[-1]: "fixup"}
        await take_all(w, pr)
        assert (pr.read(names[0]), pr.read(names[-1]), pr.read(names[1])) == ("two\n", "two\n", "one\n")
        look_at_it(pr)


# GH-1 GH-2
async def test_texts_without_end_are_cut_before_github_refuses_them(world: OpenWorld) -> None:
    flood = EVIDENCE.model_copy(update={"before_output": "🙂 ``` @ada\n" * 500, "after_output": "x" * 5_000})
    reported = {"explanation": "why " * 2_000, "evidence": (flood,) * 9}
    files = {f"f{number:03}": "a\n" for number in range(50)}
    async with world() as w:
        pr = await w.pull(files)
        fixes = [fix(name, name, b"a\n", b"b\n", title=name * 100, **reported) for name in files]
        ways = await offered(w, pr, *fixes)
        assert sorted(ways.values()) == ["fixup"] * 20 + ["suggestion"] * 30
        assert max(map(len, pr.everything())) < 65_536
        assert len(w.hub.pulls_of(w.repo)[1].body or "") < 65_536
        await take_all(w, pr)
        assert {pr.read(name) for name in files} == {"b\n"}
        look_at_it(pr)


# GH-1 SC-6
def test_each_shape_can_be_taken_back_exactly() -> None:
    for name, shape in SHAPES.items():
        made = fix(name, name, shape.head.encode(), shape.fixed.encode())
        there = apply_edits(made.wide, {name: shape.head.encode()}.get)
        assert there[name] == shape.fixed.encode(), name
        assert apply_edits(made.reverse, there.get)[name] == shape.head.encode(), name
