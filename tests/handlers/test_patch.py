"""Patches that real git applies."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from handlers.patch import patch_of
from healing.edits import edits_between
from healing.model import Edit

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


@pytest.mark.parametrize("data", [b"\xff\n", b"a\r\n"])
def test_what_a_page_would_spoil_has_no_patch(data: bytes) -> None:
    edit = Edit(file="f.txt", old_string="", new_string="x\n", kind="create")
    other = edits_between("g.txt", data + b"old\n", data + b"new\n")
    assert patch_of((edit, *other), {"g.txt": data + b"old\n"}.get) is None
