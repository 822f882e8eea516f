"""How fixes are offered, over real diffs: what is suggested gives exactly the bytes that were verified."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from handlers.delivery.diff_hunks import Hunk, hunks_of
from handlers.delivery.fixup_plan import in_order
from handlers.delivery.planning import DeliveryPlan, Ground, plan_delivery
from handlers.delivery.suggestible import NotSuggestible, Replacement, replacements
from handlers.model import ChangedFile, Pull
from handlers.model.plans import SuggestionPlan
from healing.edits.exact import EditError, apply_edits, edits_between, widen
from healing.model import Edit, Outcome, Proposal

PULL = Pull(
    number=5,
    title="t",
    state="open",
    draft=False,
    head_sha="c" * 40,
    head_ref="faster",
    head_repo="ada/calc",
    base_sha="d" * 40,
    base_ref="main",
    author="ada",
)
LINES = st.lists(st.sampled_from(["a", "b", "", "    x", "```", "````py", "```suggestion", "def f():"]), max_size=14)


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def real_patch(folder: Path, old: bytes, new: bytes) -> str | None:
    """What GitHub would list: git's own hunks with three lines of context."""
    (folder / "old").write_bytes(old)
    (folder / "new").write_bytes(new)
    command = ["git", "diff", "--no-index", "--no-color", "-U3", "old", "new"]
    out = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()
    return out[out.index("@@") :] if "@@" in out else None


def proposal(id_: str, edits: tuple[Edit, ...], head: dict[str, bytes], **fields: object) -> Proposal:
    try:
        wide = widen(edits, head.get)
        sides = {"wide": wide.wide, "reverse": wide.reverse}
    except EditError:
        sides = {"wide": edits, "reverse": ()}
    reported: dict[str, object] = {
        "id": id_,
        "source": "agent:generalist",
        "phase": "fast",
        "title": id_,
        "explanation": "",
        "confidence": 50,
        "error_ids": (),
        "edits": edits,
        "evidence": (),
        "base_tree": "0" * 40,
        **sides,
    }
    return Proposal.model_validate({**reported, **fields})


def plan(head: dict[str, bytes], patch: str | None, *proposals: Proposal, fork: bool = False) -> DeliveryPlan:
    changed = (ChangedFile(path="f.py", status="modified", patch=patch),)
    ground = Ground(PULL, changed, head.get, {"run.sh": "100755"}, fork)
    outcome = Outcome(verdict="healed", run_id="run1", proposals=proposals)
    return plan_delivery(outcome, 1, ground, proposals)


def replacement_in(body: str) -> str:
    """The code of the suggestion block, as a Markdown reader takes it out."""
    lines = body.split("\n")
    opened = next(at for at, line in enumerate(lines) if re.fullmatch(r"`{3,}suggestion", line))
    fence = lines[opened].removesuffix("suggestion")
    closed = next(
        at for at in range(opened + 1, len(lines)) if lines[at].startswith(fence) and not lines[at].strip("`")
    )
    return "".join(f"{line}\n" for line in lines[opened + 1 : closed])


def accepted(head: bytes, comments: tuple[SuggestionPlan, ...]) -> bytes:
    """The file after all suggestions were accepted, as GitHub does it."""
    lines = head.decode().splitlines(keepends=True)
    for comment in sorted(comments, key=lambda comment: -comment.start_line):
        lines[comment.start_line - 1 : comment.end_line] = [replacement_in(comment.body)]
    return "".join(lines).encode()


# GH-1
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=LINES, head=LINES, fixed=LINES)
def test_accepting_every_part_gives_the_verified_bytes(
    tmp_path: Path, base: list[str], head: list[str], fixed: list[str]
) -> None:
    old, new = text(head), text(fixed)
    assume(old != new and old and new)
    edits = edits_between("f.py", old, new)
    made = plan({"f.py": old}, real_patch(tmp_path, text(base), old), proposal("aaaa", edits, {"f.py": old}))
    comments = tuple(comment for review in made.reviews for comment in review.comments)
    if not comments:
        assert made.fixup_ids == ("aaaa",)
        assert made.reasons["aaaa"]
        return
    assert made.fixup is None
    assert accepted(old, comments) == apply_edits(edits, {"f.py": old}.get)["f.py"] == new


# GH-1
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=LINES, head=LINES)
def test_commentable_lines_are_the_right_side_of_gits_hunks(tmp_path: Path, base: list[str], head: list[str]) -> None:
    patch = real_patch(tmp_path, text(base), text(head))
    hunks = hunks_of(patch, text(head))
    listed = "".join(f"{line[1:]}\n" for line in (patch or "").split("\n") if line[:1] in ("+", " "))
    lines = text(head).decode().splitlines(keepends=True)
    assert "".join("".join(lines[hunk.start - 1 : hunk.end]) for hunk in hunks) == listed


# GH-1
def test_a_patch_of_another_head_carries_nothing() -> None:
    assert hunks_of("@@ -1 +1 @@\n-a\n+b", b"b\n") == ((1, 1, {1}),)
    assert hunks_of("@@ -1 +1 @@\n-a\n+b", b"c\n") == ()
    assert hunks_of(None, b"c\n") == ()


HEAD = b"import os\n\n\ndef area(r):\n    return math.pi * r * r\n"
PATCH = "@@ -1,3 +1,5 @@\n import os\n \n \n+def area(r):\n+    return math.pi * r * r"


def replace(old: str, new: str) -> Edit:
    return Edit(file="f.py", old_string=old, new_string=new)


def place(old: str, new: str, head: bytes = HEAD, patch: str = PATCH) -> Replacement:
    (found,) = replacements((replace(old, new),), {"f.py": hunks_of(patch, head)}, {"f.py": head}.get)
    return found


# GH-1
def test_an_insertion_says_its_neighbour_line_again() -> None:
    assert place("import os\n", "import os\nimport math\n") == ("f.py", 1, 1, "import os\nimport math\n")
    assert place("import os", "import math\nimport os") == ("f.py", 1, 1, "import math\nimport os\n")


# GH-1
def test_a_deletion_is_an_empty_suggestion_after_words() -> None:
    made = plan({"f.py": HEAD}, PATCH, proposal("aaaa", (replace("import os\n", ""),), {"f.py": HEAD}))
    (comment,) = made.reviews[0].comments
    assert (comment.start_line, comment.end_line) == (1, 1)
    assert "Delete these lines:\n\n```suggestion\n```" in comment.body


# GH-1
@pytest.mark.parametrize(
    ("edit", "head", "why"),
    [
        (replace("os", "re"), b"import os\r\n", "CRLF"),
        (replace("x = 1\n", "x = 1"), b"x = 1\n", "newline at the end"),
        (replace("x = 1", "x = 2"), b"x = 1", "last line of a file that has no newline"),
        (replace("x = 1", "x = 2  "), b"x = 1\n", "whitespace"),
        (replace("x = 1", "x = '\x0c'"), b"x = 1\n", "control characters"),
        (replace("x = 1", "# <!-- heal:v1 sticky -->"), b"x = 1\n", "hidden markers"),
        (replace("x = 1\ny", "y"), b"x = 1\ny\n\xff\n", "UTF-8"),
        (Edit(file="f.py", old_string="", new_string="x\n", kind="create"), b"", "creates or deletes"),
        (replace("nowhere", "x"), b"x = 1\n", "not there"),
    ],
)
def test_what_a_page_would_spoil_is_no_suggestion(edit: Edit, head: bytes, why: str) -> None:
    with pytest.raises(NotSuggestible, match=why):
        replacements((edit,), {"f.py": (Hunk(1, 9),)}, {"f.py": head}.get)


# GH-1
def test_one_edit_outside_the_diff_sends_the_whole_fix_to_the_fixup() -> None:
    head = HEAD + b"a\n" * 20 + b"tail = 1\n"
    both = proposal("aaaa", (replace("math.pi", "3"), replace("tail = 1", "tail = 2")), {"f.py": head})
    made = plan({"f.py": head}, PATCH, both)
    assert made.reviews == ()
    assert made.fixup_ids == ("aaaa",)
    assert "not in the pull request's diff" in made.reasons["aaaa"]


# GH-1
def test_of_two_fixes_for_one_line_the_surer_is_suggested() -> None:
    files = {"f.py": HEAD}
    weak = proposal("aaaa", (replace("math.pi", "3"),), files, confidence=40)
    sure = proposal("bbbb", (replace("math.pi", "3.14"),), files, confidence=90, phase="slow")
    made = plan(files, PATCH, weak, sure)
    assert [comment.proposal_id for review in made.reviews for comment in review.comments] == ["bbbb"]
    assert made.fixup_ids == ("aaaa",)


# GH-1
def test_a_review_is_full_at_thirty_comments_and_the_rest_goes_into_the_fixup() -> None:
    head = {"f.py": b"".join(b"v%d = 1\n" % n for n in range(35))}
    patch = "@@ -0,0 +1,35 @@\n" + "".join(f"+v{n} = 1\n" for n in range(35))
    fixes = [
        proposal(f"id{n:02}", (replace(f"v{n} = 1\n", f"v{n} = 2\n"),), head, confidence=60 - n) for n in range(35)
    ]
    made = plan(head, patch, *fixes)
    assert [comment.proposal_id for comment in made.reviews[0].comments] == [f"id{n:02}" for n in range(30)]
    assert made.fixup_ids == tuple(f"id{n:02}" for n in range(30, 35))


# GH-1
def test_each_phase_has_its_own_review() -> None:
    files = {"f.py": HEAD}
    free = proposal("aaaa", (replace("import os", "import re"),), files, phase="free")
    slow = proposal("bbbb", (replace("math.pi", "3"),), files, phase="slow")
    made = plan(files, PATCH, slow, free)
    assert [review.marker for review in made.reviews] == [
        "<!-- heal:v1 review run=run1 attempt=1 phase=free -->",
        "<!-- heal:v1 review run=run1 attempt=1 phase=slow -->",
    ]


# GH-1
def test_fixes_that_need_each_other_go_into_the_fixup_in_order() -> None:
    files = {"f.py": HEAD}
    second = proposal("aaaa", (replace("math.pi", "3"),), files, needs=("bbbb",))
    first = proposal("bbbb", (replace("import os", "import math"),), files)
    made = plan(files, PATCH, second, first)
    assert made.fixup_ids == ("bbbb", "aaaa")
    assert made.fixup is not None
    assert [commit[0] for commit in made.fixup.commits] == ["fix: bbbb", "fix: aaaa"]


def test_a_circle_of_needs_ends() -> None:
    files = {"f.py": HEAD}
    one = proposal("aaaa", (replace("math.pi", "3"),), files, needs=("bbbb",))
    two = proposal("bbbb", (replace("import os", "import re"),), files, needs=("aaaa",))
    assert {found.id for found in in_order((one, two))} == {"aaaa", "bbbb"}


# GH-1
def test_a_file_keeps_its_mode_in_the_fixup() -> None:
    files = {"run.sh": b"#!/bin/sh\nfalse\n"}
    edit = Edit(file="run.sh", old_string="false", new_string="true")
    made = plan(files, PATCH, proposal("aaaa", (edit,), files))
    assert made.fixup is not None
    assert [change.mode for change in made.fixup.commits[0][2]] == ["100755"]


# IN-5
def test_a_fork_gets_suggestions_and_patches_and_never_a_branch() -> None:
    files = {"f.py": HEAD}
    near = proposal("aaaa", (replace("math.pi", "3"),), files)
    new = proposal("bbbb", (Edit(file="new.py", old_string="", new_string="x\n", kind="create"),), files)
    made = plan(files, PATCH, near, new, fork=True)
    assert made.fixup is None
    assert made.patches == ("bbbb",)
    assert [comment.proposal_id for comment in made.reviews[0].comments] == ["aaaa"]


# GH-1
def test_what_no_longer_fits_the_head_is_left_out_with_the_reason() -> None:
    gone = proposal("aaaa", (replace("nowhere", "x"),), {"f.py": HEAD})
    made = plan({"f.py": HEAD}, PATCH, gone)
    assert made.fixup is None
    assert "not there" in made.left_out["aaaa"]
