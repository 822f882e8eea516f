"""What real git says about a diff, and where lines go."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.localhub import diffs, repos
from lab.localhub.bare import Bare
from lab.localhub.hub import Hub
from lab.localhub.state import Repo

Lines = list[str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Hub, Repo]:
    hub = Hub(tmp_path_factory.mktemp("hub"), lambda: datetime(2026, 1, 1, tzinfo=UTC))
    return hub, repos.create_repo(hub, "octo", "demo", {"a": "a\n"})


def commit(place: tuple[Hub, Repo], files: repos.FileTree, parents: list[str] | None = None) -> str:
    return repos.commit_object(*place, parents or [], files, "x", place[0].person("octo"))


def text(lines: Lines) -> str:
    return "".join(f"{line}\n" for line in lines)


LINES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES, LINES, st.data())
def test_lines_that_were_followed_have_the_same_content(
    place: tuple[Hub, Repo], old: Lines, new: Lines, data: st.DataObject
) -> None:
    start = data.draw(st.integers(1, len(old)))
    end = data.draw(st.integers(start, len(old)))
    first, second = commit(place, {"f": text(old)}), commit(place, {"f": text(new)})
    moved = diffs.follow(place[0].bare(place[1]), first, second, "f", start, end)
    if moved:
        assert new[moved[1] - 1 : moved[2]] == old[start - 1 : end]
    if old == new:
        assert moved == ("f", start, end)


def test_renames_deletions_binaries_and_odd_names_are_distinguished(place: tuple[Hub, Repo]) -> None:
    body = text([str(n) for n in range(20)])
    first = commit(place, {"old.py": body, "gone": "x\n", "pic": b"\0\1", "sp ace\té.txt": "1\n"})
    files: repos.FileTree = {
        "old.py": None,
        "new.py": body.replace("\n7\n", "\nseven\n"),
        "gone": None,
        "pic": b"\0\2",
        "sp ace\té.txt": "2\n",
        "@@ -1 +1 @@": "diff --git a/x b/x\n",
    }
    second = commit(place, files, [first])
    found = {file.path: file for file in diffs.diff(place[0].bare(place[1]), first, second)}
    assert {path: (file.status, file.previous) for path, file in found.items()} == {
        "new.py": ("renamed", "old.py"),
        "gone": ("removed", None),
        "pic": ("modified", None),
        "sp ace\té.txt": ("modified", None),
        "@@ -1 +1 @@": ("added", None),
    }
    assert found["pic"].patch is None
    assert (found["new.py"].additions, found["new.py"].deletions) == (1, 1)
    assert diffs.follow(place[0].bare(place[1]), first, second, "old.py", 1, 3) == ("new.py", 1, 3)


def test_right_takes_added_and_context_lines_and_left_only_deleted_ones(place: tuple[Hub, Repo]) -> None:
    old = [str(n) for n in range(1, 21)]
    new = [*old[:9], "ten", "more", *old[10:]]
    first, second = commit(place, {"f": text(old)}), commit(place, {"f": text(new)})
    (file,) = diffs.diff(place[0].bare(place[1]), first, second)
    right = [n for n in range(1, 30) if file.hunk_of("RIGHT", n)]
    left = [n for n in range(1, 30) if file.hunk_of("LEFT", n)]
    assert (right, left) == (list(range(7, 15)), [10])


def test_both_ways_to_merge_agree(place: tuple[Hub, Repo], tmp_path: Path) -> None:
    bare = Bare(place[1].path)
    base = commit(place, {"f": text(list("abcdefgh")), "g": "1\n"})
    ours = commit(place, {"f": text(list("Abcdefgh"))}, [base])
    theirs = commit(place, {"f": text(list("abcdefgH")), "g": None, "h": "2\n"}, [base])
    conflict = commit(place, {"f": text(list("Xbcdefgh"))}, [base])
    assert bare.merge_tree(ours, theirs) == bare.merge_tree_by_index(ours, theirs) is not None
    assert bare.merge_tree(ours, conflict) is bare.merge_tree_by_index(ours, conflict) is None
