"""What was read and is kept for the next error: each line once, as it is by then, within a limit."""

import asyncio
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from healing.repair.agents.read_log import ROOM, ReadLog
from healing.repair.agents.task import Excerpt

TEN = "".join(f"line {n}\n" for n in range(1, 11))
Parts = list[tuple[str, int, str]]


def kept(
    log: ReadLog,
    files: dict[str, str],
    first: Iterable[str] = (),
    without: Iterable[str] = (),
    answered: bool = False,
) -> tuple[Parts, tuple[str, ...]]:
    async def read(file: str) -> bytes | None:
        return files[file].encode() if file in files else None

    parts, left = asyncio.run(log.kept(read, set(first), set(without), answered))
    return [(one.file, one.first_line, one.text) for one in parts], left


# AG-12
def test_parts_that_were_read_are_given_once_and_joined_where_they_nearly_meet() -> None:
    log = ReadLog()
    log.read("a.py", 1, 2)
    log.read("a.py", 2, 3)
    log.read("a.py", 5, 5)
    assert kept(log, {"a.py": TEN}) == ([("a.py", 1, "line 1\nline 2\nline 3\nline 4\nline 5")], ())


# AG-12
def test_what_the_first_message_shows_is_not_repeated_until_it_changes() -> None:
    log = ReadLog()
    log.show([Excerpt(file="a.py", first_line=1, text="line 1\nline 2\nline 3\nline 4\nline 5\nline 6")])
    log.read("a.py", 1, 8)
    assert kept(log, {"a.py": TEN}) == ([("a.py", 7, "line 7\nline 8")], ())
    now = TEN.replace("line 2\n", "two\nand a half\n")
    log.changed("a.py", TEN.encode(), now.encode())
    assert kept(log, {"a.py": now})[0] == [("a.py", 2, "two\nand a half"), ("a.py", 8, "line 7\nline 8")]


# AG-12
def test_files_of_open_errors_come_first_then_what_was_read_last_and_nothing_of_those_that_are_done_with() -> None:
    log = ReadLog()
    for file in ("done.py", "open.py", "old.py", "new.py"):
        log.read(file, 1, 1)
    files = {file: f"{file}\n" for file in ("done.py", "open.py", "old.py", "new.py")}
    parts, _ = kept(log, files, {"open.py"}, {"done.py"})
    assert [file for file, *_ in parts] == ["open.py", "new.py", "old.py"]


# AG-12
def test_what_has_no_room_is_named_with_its_lines() -> None:
    log = ReadLog()
    log.read("long.py", 1, 3)
    log.read("short.py", 1, 1)
    files = {"long.py": "a\n" + "b" * 300 + "\n" + "c\n", "short.py": "x\n"}
    big = "\n".join("d" * 300 for _ in range(ROOM // 300 + 1))
    files["big.py"] = big
    log.read("big.py", 2, ROOM // 300 + 1)
    log.read("big.py", 1, 1)
    parts, left = kept(log, files)
    assert left == (f"big.py:1-{ROOM // 300 + 1}",)
    assert [file for file, *_ in parts] == ["short.py", "long.py"]


# AG-12
def test_a_file_that_is_gone_or_was_made_anew_is_forgotten() -> None:
    log = ReadLog()
    log.read("a.py", 1, 3)
    log.changed("a.py", TEN.encode(), None)
    assert kept(log, {}) == ([], ())
    assert kept(log, {"a.py": TEN}) == ([], ())


# AG-12
def test_what_answers_show_this_once_is_kept_for_later() -> None:
    log = ReadLog()
    log.read("a.py", 1, 1)
    log.accepted()
    log.read("a.py", 9, 9)
    assert kept(log, {"a.py": TEN}, answered=True) == ([("a.py", 1, "line 1")], ())
    assert [first for _, first, _ in kept(log, {"a.py": TEN})[0]] == [1, 9]


# AG-12
@given(
    st.lists(st.integers(0, 60), unique=True, max_size=30),
    st.sets(st.integers(1, 30)),
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 3), st.lists(st.integers(100, 160), max_size=3)), max_size=4),
)
def test_lines_that_stay_are_followed_wherever_changes_move_them(
    start: list[int], read: set[int], changes: list[tuple[int, int, list[int]]]
) -> None:
    rows, log, fresh = [f"row {n}" for n in start], ReadLog(), 0
    wanted = {rows[line - 1] for line in read if line <= len(rows)}
    for line in read:
        log.read("a.py", line, line) if line <= len(rows) else None
    for at, gone, _new in changes:
        before = "".join(f"{row}\n" for row in rows)
        new = [f"new {(fresh := fresh + 1)}" for _ in _new]
        rows[at : at + gone] = new
        log.changed("a.py", before.encode(), "".join(f"{row}\n" for row in rows).encode())
    text = "".join(f"{row}\n" for row in rows)
    parts, left = kept(log, {"a.py": text})
    assert not left
    shown = {row: first + n for _, first, part in parts for n, row in enumerate(part.split("\n")) if row}
    assert wanted & set(rows) <= set(shown)
    assert all(rows[line - 1] == row for row, line in shown.items()), "with the numbers that they have now"
