"""No suggested change spans a line that the pull request deletes: GitHub's page refuses to commit such a one."""

from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, assume, given, settings

from handlers.model.plans import SuggestionPlan
from healing.edits.exact import edits_between
from lab.localhub import pull_heads, pulls, pushes, repos, reviews, suggestions
from lab.localhub.diffs import read_hunk
from lab.localhub.hub import Hub
from lab.localhub.reviews import Draft
from lab.localhub.state import Pull, Refused
from tests.handlers.test_delivery import LINES, plan, proposal, real_patch, text

REAL = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ON_THE_PAGE = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def planned(patch: str | None, head: bytes, fixed: bytes) -> tuple[SuggestionPlan, ...]:
    """The suggestions of one fix that makes `fixed` of `head`; none where the fix is carried in another way."""
    files = {"f.py": head}
    made = plan(files, patch, proposal("aaaa", edits_between("f.py", head, fixed), files))
    assert bool(made.reviews) != bool(made.fixup_ids)
    assert made.fixup_ids == () or made.reasons["aaaa"]
    return tuple(comment for review in made.reviews for comment in review.comments)


def on_page(hub: Hub, base: bytes, head: bytes) -> Pull:
    """A pull request that makes `head` of `base`."""
    repo = repos.create_repo(hub, "octo", "shop", {"f.py": base})
    pushes.commit(hub, "octo", repo, "topic", {"f.py": head})
    return pulls.open_pull(hub, "octo", repo, "topic")


def posted(hub: Hub, pull: Pull, comments: tuple[SuggestionPlan, ...]) -> list[int]:
    """The ids of the comments after they were posted in one review, as Heal posts them."""
    drafts = tuple(
        Draft(one.path, one.body, one.end_line, None if one.start_line == one.end_line else one.start_line)
        for one in comments
    )
    reviews.create_review(hub, "octo", pull, "fixes", drafts=drafts)
    return [comment.id for comment in hub.review_comments_of(pull)]


def committed(hub: Hub, pull: Pull, comments: list[int]) -> bytes | None:
    suggestions.commit_suggestion(hub, "octo", comments)
    return hub.bare(hub.repos[pull.repo_id]).read(pull.head_sha, "f.py")


# GH-12
@REAL
@given(base=LINES, head=LINES, fixed=LINES)
def test_every_suggested_range_lies_in_one_hunk_and_holds_no_deleted_line(
    tmp_path: Path, base: list[str], head: list[str], fixed: list[str]
) -> None:
    assume(head and fixed and head != fixed)
    patch = real_patch(tmp_path, text(base), text(head))
    parts = ("\n" + (patch or "")).removesuffix("\n").split("\n@@ ")[1:]
    hunks = [hunk for part in parts if (hunk := read_hunk(f"@@ {part}"))]
    for one in planned(patch, text(head), text(fixed)):
        (hunk,) = [hunk for hunk in hunks if hunk.holds("RIGHT", one.start_line) and hunk.holds("RIGHT", one.end_line)]
        assert not hunk.spans_deleted(one.start_line, one.end_line)


# GH-12
@ON_THE_PAGE
@given(base=LINES, head=LINES, fixed=LINES)
def test_committing_all_suggestions_of_a_fix_on_the_page_gives_exactly_the_proven_bytes(
    tmp_path: Path, base: list[str], head: list[str], fixed: list[str]
) -> None:
    assume(base and head and fixed and base != head != fixed)
    hub = Hub(tmp_path / uuid4().hex)
    pull = on_page(hub, text(base), text(head))
    (file,) = pull_heads.files(hub, pull)
    comments = planned(file.patch, text(head), text(fixed))
    if comments:
        assert committed(hub, pull, posted(hub, pull, comments)) == text(fixed)


BASE = b"a = 1\nold = 2\nb = 3\n"
HEAD = b"a = 1\nb = 3\n"  # `old` was deleted between the two


# GH-12
@pytest.mark.parametrize(
    ("fixed", "ranges"),
    [
        pytest.param(b"A = 1\nB = 3\n", [(1, 1), (2, 2)], id="as many lines as before: one part above, one below"),
        pytest.param(b"", [(1, 1), (2, 2)], id="deleting both: one part each"),
        pytest.param(b"a = 1\nc = 4\nb = 3\n", [(1, 1)], id="a line between: beside one of the two"),
        pytest.param(b"x = 1\ny = 2\nz = 3\n", [], id="three for two: which belongs to which is a guess"),
    ],
)
def test_a_fix_across_a_deleted_line_is_split_where_its_parts_are_clear_and_else_no_suggestion(
    tmp_path: Path, fixed: bytes, ranges: list[tuple[int, int]]
) -> None:
    rest = b"tail\n"
    comments = planned(real_patch(tmp_path, BASE + rest, HEAD + rest), HEAD + rest, fixed + rest)
    assert [(one.start_line, one.end_line) for one in comments] == ranges
    hub = Hub(tmp_path / "hub")
    pull = on_page(hub, BASE + rest, HEAD + rest)
    if comments:
        assert committed(hub, pull, posted(hub, pull, comments)) == fixed + rest


# GH-12
def test_only_the_lines_that_change_count_so_unchanged_ones_may_lie_beside_a_deleted_line(tmp_path: Path) -> None:
    base = b"one\nold\ntwo\nthree\nfour\n"
    head, fixed = b"one\ntwo\nthree\nfour\n", b"1\ntwo\nthree\n4 of\nfour lines\n"
    comments = planned(real_patch(tmp_path, base, head), head, fixed)
    assert [(one.start_line, one.end_line) for one in comments] == [(1, 1), (4, 4)]
    assert "· Part 1 of 2" in comments[0].body


# GH-12
def test_the_page_refuses_what_spans_a_deleted_line_alone_and_in_a_batch(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    pull = on_page(hub, BASE + b"tail\n", HEAD + b"tail\n")
    body = "```suggestion\nx\n```"
    plans = [
        SuggestionPlan(proposal_id="p", path="f.py", start_line=s, end_line=e, body=body) for s, e in ((1, 2), (3, 3))
    ]
    ids = posted(hub, pull, tuple(plans))
    for chosen in (ids[:1], ids):
        with pytest.raises(Refused, match="deleted lines is not supported"):
            committed(hub, pull, chosen)
