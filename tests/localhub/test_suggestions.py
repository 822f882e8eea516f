"""The "Commit suggestion" button."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.localhub import pulls, pushes, reviews, suggestions
from lab.localhub.reviews import Draft
from lab.localhub.state import Refused, ReviewComment
from lab.localhub.suggestions import commit_suggestion, suggested_lines
from tests.localhub.conftest import AFTER, World


def suggest(world: World, text: str, line: int, start: int | None = None) -> ReviewComment:
    body = f"Try\n\n```suggestion\n{text}```\n"
    return reviews.create_comment(world.hub, "heal[bot]", world.pull, Draft("code.py", body, line, start))


def code(world: World) -> str:
    return (world.hub.bare(world.repo).read("feature", "code.py") or b"").decode()


async def test_it_replaces_exactly_its_lines_in_one_signed_commit_with_the_suggester_as_co_author(world: World) -> None:
    made = suggest(world, "line10 = 10\nmore = 1\n", 10)
    before = world.pull.head_sha
    new = commit_suggestion(world.hub, "ada", [made.id])
    assert code(world) == AFTER.replace("line10 = ten\n", "line10 = 10\nmore = 1\n")
    info = world.hub.bare(world.repo).info(new)
    bot = world.app.bot
    assert info.message == f"Update code.py\n\nCo-authored-by: heal[bot] <{bot.id}+heal[bot]@users.noreply.github.com>"
    assert (info.author_name, info.committer_name, info.parents) == ("ada", "GitHub", (before,))
    assert (world.pull.head_sha, made.line) == (new, None)
    assert world.hub.threads[made.thread_id].resolved
    await world.hub.settled()
    assert world.ear.events[-4:] == ["push", "pull_request", "check_suite", "pull_request_review_thread"]


async def test_accepting_one_leaves_the_others_standing_and_in_place(world: World) -> None:
    first = suggest(world, "line10 = 10\nmore = 1\n", 10)
    second, third = suggest(world, "", 31), suggest(world, "line28 = 0\nline29 = 0\n", 29, 28)
    commit_suggestion(world.hub, "ada", [first.id])
    assert (second.line, third.start_line, third.line) == (32, 29, 30)
    commit_suggestion(world.hub, "ada", [third.id, second.id])
    expected = AFTER.replace("line10 = ten\n", "line10 = 10\nmore = 1\n").replace("extra = 1\n", "")
    assert code(world) == expected.replace("line28 = 28\nline29 = 29\n", "line28 = 0\nline29 = 0\n")
    assert world.hub.bare(world.repo).info(world.pull.head_sha).message.startswith("Apply suggestions from code review")


async def test_what_cannot_be_applied_says_why_and_changes_nothing(world: World) -> None:
    hub, head = world.hub, world.pull.head_sha
    same, overlap = suggest(world, "line10 = ten\n", 10), suggest(world, "", 11, 10)
    plain = reviews.create_comment(hub, "ada", world.pull, Draft("code.py", "just talk", 10))
    left = Draft("code.py", "```suggestion\nx\n```", 10, side="LEFT")
    deleted = reviews.create_comment(hub, "ada", world.pull, left)
    for ids, words in [
        ([same.id], "no changes were made"),
        ([same.id, overlap.id], "one suggestion per line"),
        ([plain.id], "no suggestion"),
        ([deleted.id], "deleted lines"),
    ]:
        with pytest.raises(Refused, match=words):
            commit_suggestion(hub, "ada", ids)
    with pytest.raises(Refused, match="permission"):
        commit_suggestion(hub, "mallory", [overlap.id])
    assert world.pull.head_sha == head
    commit_suggestion(hub, "ada", [overlap.id])
    with pytest.raises(Refused, match="applied or marked resolved"):
        commit_suggestion(hub, "ada", [overlap.id])
    with pytest.raises(Refused, match="Outdated"):
        commit_suggestion(hub, "ada", [same.id])
    pulls.close_pull(hub, "ada", world.pull)
    with pytest.raises(Refused, match="closed"):
        commit_suggestion(hub, "ada", [same.id])


# GH-12
@pytest.mark.parametrize(
    ("start", "end", "refused"), [(10, 11, False), (9, 10, True), (8, 9, False), (29, 30, True), (30, 31, False)]
)
async def test_a_suggestion_across_a_deleted_line_can_be_posted_and_not_committed_alone_or_in_a_batch(
    world: World, start: int, end: int, refused: bool
) -> None:
    head = world.pull.head_sha
    made, other = suggest(world, "x = 1\n", end, start), suggest(world, "line40 = 0\n", 33)
    if refused:
        for ids in ([made.id], [other.id, made.id]):
            with pytest.raises(Refused, match=r"^Applying suggestions on deleted lines is not supported\.$"):
                commit_suggestion(world.hub, "ada", ids)
        assert world.pull.head_sha == head
    else:
        commit_suggestion(world.hub, "ada", [other.id, made.id])


# GH-12
async def test_a_later_push_that_deletes_a_line_beside_the_range_leaves_the_suggestion_committable(
    world: World,
) -> None:
    made = suggest(world, "x = 1\n", 11, 10)
    pushes.commit(world.hub, "ada", world.repo, "feature", {"code.py": AFTER.replace("line8 = 8\n", "")}, "Go on")
    assert (made.start_line, made.line) == (9, 10)
    commit_suggestion(world.hub, "ada", [made.id])


async def test_a_file_without_final_newline_and_one_with_crlf_keep_their_other_lines(world: World) -> None:
    hub = world.hub
    pushes.commit(hub, "ada", world.repo, "feature", {"crlf.py": "a\r\nb\r\nc\r\n", "bare.py": "a\nb\nc"})
    for path, expected in [("crlf.py", b"a\r\nB\nc\r\n"), ("bare.py", b"a\nB\nc")]:
        body = "```suggestion\nB\n```"
        made = reviews.create_comment(hub, "heal[bot]", world.pull, Draft(path, body, 2))
        commit_suggestion(hub, "ada", [made.id])
        assert hub.bare(world.repo).read("feature", path) == expected


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("no block", None),
        ("```python\nx\n```", None),
        ("```suggestion\n```", ()),
        ("```suggestion\n\n```", ("",)),
        ("text\n````suggestion\n```\nx\n```\n````\nmore", ("```", "x", "```")),
        ("```suggestion\r\nx\r\n```", ("x",)),
        ("~~~suggestion\nx\n~~~", ("x",)),
        ("```suggestion\nnever closed", ("never closed",)),
    ],
)
def test_the_block_is_what_stands_between_the_fences(body: str, lines: tuple[str, ...] | None) -> None:
    assert suggested_lines(body) == lines


LINE = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(LINE, min_size=1, max_size=8), st.data())
def test_a_replacement_touches_no_other_line(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    new = data.draw(st.lists(LINE, max_size=4))
    before = "".join(f"{line}\n" for line in lines).encode()
    expected = "".join(f"{line}\n" for line in [*lines[: start - 1], *new, *lines[end:]]).encode()
    wanted = suggestions.Replacement(None, start, end, tuple(new))  # type: ignore[arg-type]
    if expected == before:
        with pytest.raises(Refused):
            suggestions.replaced(before, [wanted])
    else:
        assert suggestions.replaced(before, [wanted]) == expected
