"""Patches that real git applies."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from handlers.comments import reasons
from handlers.comments.clean import shown
from handlers.comments.patch import patch_of
from handlers.delivery.patches import head_patch
from healing.edits.exact import edits_between
from healing.model import Edit
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "\n", " c\n", "é\n"]), max_size=12).map("".join)


def applied(folder: Path, files: dict[str, bytes], patch: str) -> dict[str, bytes]:
    """What `git apply` makes of the files."""
    for old in folder.iterdir():
        old.unlink()
    for path, data in files.items():
        (folder / path).write_bytes(data)
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(command, cwd=folder, input=patch.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + patch
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# GH-8
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=TEXT, new=TEXT, no_newline=st.booleans())
def test_git_applies_the_patch_and_gets_the_fix(tmp_path: Path, old: str, new: str, no_newline: bool) -> None:
    before, after = old.encode(), new.encode() + (b"end" if no_newline else b"")
    assume(before and after and before != after)
    patch = patch_of(edits_between("f.txt", before, after), {"f.txt": before}.get)
    assert patch is not None
    assert applied(tmp_path, {"f.txt": before}, patch) == {"f.txt": after}


# GH-8
def test_new_and_deleted_files_are_in_the_patch(tmp_path: Path) -> None:
    edits = (
        Edit(file="new.txt", old_string="", new_string="x\n", kind="create"),
        Edit(file="old.txt", old_string="y\n", new_string="", kind="delete"),
    )
    patch = patch_of(edits, {"old.txt": b"y\n"}.get)
    assert patch is not None
    assert applied(tmp_path, {"old.txt": b"y\n"}, patch) == {"new.txt": b"x\n"}


AWKWARD = {
    "CRLF": (b"a\r\nold\r\nb\r\n", b"a\r\nnew\r\nb\r\n"),
    "mixed line ends": (b"a\r\nold\nb\r\n", b"a\r\nnew\nb\r\n"),
    "line ends alone": (b"a\r\nb\r\n", b"a\nb\n"),
    "no UTF-8": (b"\xff\nold\n", b"\xff\nnew\n"),
    "zero bytes": (b"\0old", b"\0new"),
    "CRLF and no final newline": (b"a\r\nold", b"a\r\nnew"),
    "joined emoji": ("s = '👨\u200d👩\u200d👧 ❤\ufe0f'\n".encode(), "s = '👨\u200d👩 ❤\ufe0f'\n".encode()),
    "turned around": ("s = 'a\u202eb'\n".encode(), b"s = 'ab'\n"),
    "byte order mark": ("\ufeffx = 1\n".encode(), "\ufeffx = 2\n".encode()),
    "long": (b"".join(b"%d\r\n" % n for n in range(900)), b"".join(b"%d\r\n" % (n * n) for n in range(900))),
    "made": (None, b"a\r\n"),
    "made empty": (None, b""),
    "deleted": (b"a\r\n", None),
}


# GH-8, GH-1
@pytest.mark.parametrize("name", AWKWARD)
def test_what_a_page_would_spoil_goes_in_gits_form_for_binary_files(tmp_path: Path, name: str) -> None:
    old, new = AWKWARD[name]
    before = {} if old is None else {"f g.txt": old}
    patch = patch_of(edits_between("f g.txt", old, new), before.get)
    assert patch is not None
    assert shown(patch) == patch
    assert applied(tmp_path, before, patch) == ({} if new is None else {"f g.txt": new})


# GH-8
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=st.binary(min_size=1, max_size=300), new=st.binary(min_size=1, max_size=300))
def test_git_applies_the_patch_of_any_bytes(tmp_path: Path, old: bytes, new: bytes) -> None:
    assume(old != new)
    # What edits can say is text; what they leave alone may be any bytes.
    edit = Edit(file="f", old_string="mark-old\n", new_string="mark-new\n")
    before = old + b"mark-old\n" + new
    assume(before.count(b"mark-old\n") == 1)
    patch = patch_of((edit,), {"f": before}.get)
    assert patch is not None
    assert applied(tmp_path, {"f": before}, patch) == {"f": old + b"mark-new\n" + new}


# GH-8
def test_a_patch_of_other_bytes_is_not_applied(tmp_path: Path) -> None:
    patch = patch_of(edits_between("f", b"a\r\n", b"b\r\n"), {"f": b"a\r\n"}.get)
    assert patch is not None
    with pytest.raises(AssertionError, match="does not match"):
        applied(tmp_path, {"f": b"changed\r\n"}, patch)


@pytest.mark.parametrize("name", ["a\u202eb", "a\nb", 'a"b', "a\\b", "a\rb"])
def test_a_name_that_a_page_would_spoil_has_no_patch(name: str) -> None:
    edit = Edit(file=name, old_string="", new_string="x\n", kind="create")
    assert patch_of((edit,), dict[str, bytes]().get) is None


# GH-8
async def test_a_fix_without_a_patch_says_why_it_has_none() -> None:
    world = MemoryWorld(BASE, HEAD)
    odd = Edit(file="a\\b", old_string="", new_string="x\n", kind="create")
    stale = Edit(file="calc.py", old_string="gone\n", new_string="x\n")
    fixes = [fix_of(world).model_copy(update={"edits": (edit,)}) for edit in (odd, stale)]
    whys = [(await head_patch(world.github, fix, world.head)).why for fix in fixes]
    assert whys == [reasons.NO_PATCH, reasons.NOT_FITTING]
