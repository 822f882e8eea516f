"""What appears of a person's environment where nothing can be mounted."""

import shutil
from pathlib import Path

import pytest

from healing.sandbox.beside import installed_in, link_into_home, linked, with_import_paths
from healing.sandbox.bubblewrap import Bubblewrap, find_bwrap
from healing.sandbox.job import Job
from healing.sandbox.view import View


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with an environment, and packages two folders below; and a worktree of it without them."""
    clone, worktree = tmp_path / "clone", tmp_path / "worktree"
    for name in (".venv", "node_modules/a/node_modules", "packages/ui/node_modules"):
        (clone / name).mkdir(parents=True)
    (clone / ".venv" / "pyvenv.cfg").touch()
    (clone / "package.json").touch()
    (worktree / "packages" / "ui").mkdir(parents=True)
    return clone


# ENV-1
def test_what_is_installed_in_the_clone_is_linked_for_as_long_as_a_job_runs(clone: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "worktree"
    assert [str(path.relative_to(clone)) for path in installed_in(View(clone, tmp_path))] == [
        ".venv", "node_modules", "packages/ui/node_modules"
    ]  # fmt: skip
    with linked(View(clone, tmp_path), worktree):
        for name in (".venv", "node_modules", "packages/ui/node_modules"):
            assert (worktree / name).readlink() == clone / name
    assert [path.name for path in worktree.rglob("*")] == ["packages", "ui"]


def test_a_worktrees_own_folder_is_left_as_it_is(clone: Path, tmp_path: Path) -> None:
    own = tmp_path / "worktree" / "node_modules"
    own.mkdir()
    with linked(View(clone, tmp_path), own.parent):
        assert not own.is_symlink()
        (own.parent / ".venv").unlink()
        (own.parent / ".venv").mkdir()  # by a command
    assert own.is_dir()
    assert (own.parent / ".venv").is_dir()


# WT-5
def test_a_repositorys_link_leads_no_link_of_heals_out_of_the_worktree(clone: Path, tmp_path: Path) -> None:
    outside, worktree = tmp_path / "outside", tmp_path / "worktree"
    outside.mkdir()
    (worktree / "packages" / "ui").rmdir()
    (worktree / "packages" / "ui").symlink_to(outside)
    with linked(View(clone, tmp_path), worktree):
        assert not list(outside.iterdir())
        (worktree / ".venv").unlink()
        (outside / "kept").symlink_to(clone / ".venv")
    assert (outside / "kept").is_symlink()


# OP-9
def test_a_link_of_the_clone_to_what_is_not_shown_is_nothing_installed(clone: Path, tmp_path: Path) -> None:
    private, store, worktree = tmp_path / "home" / ".ssh", tmp_path / "store", tmp_path / "worktree"
    for folder in (private, store, clone / ".git"):
        folder.mkdir(parents=True)
    view = View(clone, tmp_path / "home", readable=(store,))
    shutil.rmtree(clone / "node_modules")
    for target, usable in ((private, False), (clone / ".git", False), (clone, False), (store, True)):
        (clone / "node_modules").symlink_to(target)
        with linked(view, worktree) as targets:
            assert (clone / "node_modules" in targets) is usable, target
            assert (worktree / "node_modules").is_symlink() is usable
        (clone / "node_modules").unlink()


# OP-9
def test_a_folder_that_the_repository_has_itself_is_not_shown_from_the_clone(clone: Path, tmp_path: Path) -> None:
    """A repository may call any folder of the clone a virtual environment, by a file of its own."""
    (clone / "private").mkdir()
    (clone / "private" / "pyvenv.cfg").touch()
    (tmp_path / "worktree" / "private").mkdir()
    with linked(View(clone, tmp_path), tmp_path / "worktree") as targets:
        assert clone / "private" not in targets
        assert clone / ".venv" in targets


# ENV-1
def test_a_jobs_home_has_links_to_what_is_shown_of_the_persons(tmp_path: Path) -> None:
    person, home = tmp_path / "person", tmp_path / "home"
    (person / ".pyenv" / "versions" / "3.12").mkdir(parents=True)
    home.mkdir()
    readable = (person / ".pyenv" / "versions" / "3.12", person / ".pyenv", Path("/opt/tool"), person / "go/pkg/mod")
    view = View(tmp_path / "clone", person, readable, files={person / ".gitconfig": b"[user]\n"})
    link_into_home(view, home)
    assert (home / ".pyenv").readlink() == person / ".pyenv"
    assert (home / "go" / "pkg" / "mod").readlink() == person / "go" / "pkg" / "mod"
    assert (home / ".gitconfig").read_bytes() == b"[user]\n"
    assert sorted(path.name for path in home.iterdir()) == [".gitconfig", ".pyenv", "go"]


# ENV-1
def test_editable_packages_are_imported_from_the_worktree_and_caches_are_the_jobs_own(tmp_path: Path) -> None:
    view = View(tmp_path / "clone", tmp_path, writable=(tmp_path / "cache",), editable=("src", "."))
    job = Job(("true",), tmp_path, env={"GOCACHE": str(tmp_path / "cache"), "PYTHONPATH": "/x", "A": "b"})
    assert with_import_paths(view, job).env == {"PYTHONPATH": f"{tmp_path}/src:{tmp_path}:/x", "A": "b"}
    assert with_import_paths(View(tmp_path, tmp_path), job).env == job.env


# ENV-3
@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("ModuleNotFoundError: No module named 'built'", "built.py"),
        ("Error: ENOENT: no such file or directory, open 'dist/index.js'", "dist"),
        ("ModuleNotFoundError: No module named 'shop'", ""),
        ("AssertionError: built 3, expected 4", ""),
        ("cannot open src/made.h", "src/made.h"),
    ],
)
def test_a_file_of_the_clone_that_a_command_misses_is_named(tmp_path: Path, output: str, named: str) -> None:
    for path in ("built.py", "dist/index.js", "src/made.h", "src/shop.py", ".cache/x"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    assert View(tmp_path, tmp_path).left_out(output, ("src/shop.py",)) == named


# ENV-1
async def test_where_no_overlay_can_be_mounted_bubblewrap_mounts_what_is_installed(clone: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "worktree"
    (clone / "built").touch()
    sandbox = Bubblewrap(await find_bwrap(), None, str(clone), view=View(clone, tmp_path / "home"))
    look = "ls -d .venv/pyvenv.cfg node_modules/a packages/ui/node_modules && ! touch node_modules/b && ! ls built"
    ended = await sandbox.run(Job(("sh", "-c", look), worktree))
    assert ended.exit_code == 0, ended
    assert [path.name for path in worktree.rglob("*")] == ["packages", "ui"]
