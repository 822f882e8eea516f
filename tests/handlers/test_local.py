"""A person gets a fix into a checkout: the lines that are shown are really run (GH-8)."""

import html
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from handlers.comments.local import MAX_LENGTH, apply_line, fetch_line
from handlers.comments.patch import patch_of
from handlers.comments.sticky import patch
from handlers.comments.suggestion import suggestion
from healing.edits.exact import apply_edits
from healing.model import Edit
from tests.handlers.texts import FIX

SHELL = shutil.which("sh")
ENV = {"PATH": os.defpath, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
HOSTILE = {
    "quotes": ("x = 'a'\n", "x = '$(touch owned)'\n"),
    "backticks": ("```\na\n", "```\n`touch owned`\n"),
    "no newline at the end": ("a\nb", "a\nc"),
    "tabs": ("\tif x:\n", "\t\tif x:\n"),
    "emoji": ("s = '🙂'\n", "s = '🙃'\n"),
    "right to left": ("s = 'שלום'\n", "s = 'שלום עולם'\n"),
    "first line": ("a\nb\n", "new\na\nb\n"),
    "last line": ("a\nb\n", "a\nb\nnew\n"),
    "deletion": ("a\nb\nc\n", "a\nc\n"),
}


def checkout(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "topic")
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "head")
    return folder


def git(folder: Path, *args: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.com")
    return subprocess.run(["git", *who, *args], cwd=folder, env=ENV, check=True, capture_output=True, text=True).stdout


def run(folder: Path, line: str) -> None:
    """As a person pastes it."""
    who = {f"GIT_{role}_{key}": "n@example.com" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    subprocess.run([SHELL or "sh", "-c", line], cwd=folder, env=ENV | who, check=True, capture_output=True)


def shown_line(comment: str) -> str:
    """The line in a comment, as the page shows it."""
    found = re.search(r"^printf .*$", comment, re.MULTILINE)
    assert found, comment
    return html.unescape(found.group(0))


# GH-8
@pytest.mark.parametrize("name", HOSTILE)
def test_the_line_under_a_suggestion_applies_exactly_the_fix(tmp_path: Path, name: str) -> None:
    old, new = HOSTILE[name]
    edit = Edit(file="f.txt", old_string=old, new_string=new)
    fix = FIX.model_copy(update={"edits": (edit,)})
    text = patch_of(fix.edits, {"f.txt": old.encode()}.get)
    line = shown_line(suggestion(fix, 1, 1, new, {}, text))
    assert "\n" not in line
    place = checkout(tmp_path / "clone", {"f.txt": old})
    run(place, line)
    assert (place / "f.txt").read_bytes() == apply_edits(fix.edits, {"f.txt": old.encode()}.get)["f.txt"]
    assert git(place, "status", "--porcelain").split() == ["M", "f.txt"]


# GH-8
def test_the_line_of_a_forks_patch_applies_it_too(tmp_path: Path) -> None:
    edits = (
        Edit(file="a.py", old_string="x = 1\n", new_string="x = 2\n"),
        Edit(file="new.sh", old_string="", new_string="true\n", kind="create", mode="100755"),
        Edit(file="gone.txt", old_string="bye\n", new_string="", kind="delete"),
    )
    files = {"a.py": "x = 1\n", "gone.txt": "bye\n"}
    text = patch_of(edits, {name: data.encode() for name, data in files.items()}.get)
    assert text is not None
    place = checkout(tmp_path / "clone", files)
    run(place, shown_line(patch("abcd", text)))
    assert sorted(path.name for path in place.iterdir() if path.name != ".git") == ["a.py", "new.sh"]
    assert os.access(place / "new.sh", os.X_OK)


def test_a_patch_too_long_for_a_line_is_only_shown() -> None:
    noise = "".join(f"+{os.urandom(30).hex()}\n" for _ in range(200))
    assert apply_line(noise) is None
    assert "printf" not in patch("abcd", noise)
    assert len(apply_line("+a\n" * 3000) or "") < MAX_LENGTH


# GH-8 GH-5
def test_the_line_in_a_fixup_pull_request_brings_all_its_commits(tmp_path: Path) -> None:
    origin = checkout(tmp_path / "origin", {"a.py": "x = 1\n"})
    git(tmp_path, "clone", "-q", str(origin), "mine")
    git(origin, "checkout", "-q", "-b", "heal/r1/1")
    for text in ("x = 2\n", "x = 3\n"):
        (origin / "a.py").write_text(text)
        git(origin, "commit", "-q", "-a", "-m", f"fix {text}")
    mine = tmp_path / "mine"
    (mine / "own.txt").write_text("mine\n")
    git(mine, "add", "-A")
    git(mine, "commit", "-q", "-m", "my own")
    run(mine, fetch_line("heal/r1/1"))
    assert (mine / "a.py").read_text() == "x = 3\n"
    assert len(git(mine, "log", "--format=%s", "HEAD~3..").splitlines()) == 3
