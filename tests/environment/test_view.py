"""What is found of a person's environment, and what of it is never shown."""

import os
import stat
import sys
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from healing.environment.laptop import laptop_view
from healing.environment.secrets import FOLDERS, allowed, is_secret_file, may_show
from healing.worktrees.clone import date_after, date_like

HOME = Path("/home/maya")


# ENV-1
def test_a_tool_that_a_link_leads_to_is_shown_with_its_whole_folder(tmp_path: Path) -> None:
    home, clone = tmp_path / "home", tmp_path / "home" / "clone"
    tool = home / ".local" / "share" / "pipx" / "venvs" / "poetry" / "bin"
    for folder in (clone, tool, home / ".local" / "bin"):
        folder.mkdir(parents=True)
    (tool / "poetry").write_text("#!/bin/sh\n")
    (home / ".local" / "bin" / "poetry").symlink_to(tool / "poetry")
    view = laptop_view(clone, {"HOME": str(home), "PATH": f"{home / '.local' / 'bin'}:/usr/bin"})
    assert any(tool.is_relative_to(one) for one in view.readable)
    assert home not in view.readable
    assert home / ".local" not in view.readable


# ENV-1
def test_where_packages_are_imported_from_in_place_is_read_from_what_installers_wrote(tmp_path: Path) -> None:
    """As setuptools 80 writes its finder, and others their lists of paths."""
    clone, other = tmp_path / "clone", tmp_path / "library"
    site = clone / ".venv" / "lib" / "python3.11" / "site-packages"
    for folder in (site, other, clone / ".venv" / "bin"):
        folder.mkdir(parents=True)
    (clone / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (site / "_shop.pth").write_text(f"import sys\n{clone / 'src'}\n{other}\n")
    mapping = {"cart": f"{clone}/lib/cart", "far": f"{other}/far"}
    (site / "__editable___cart_1_0_finder.py").write_text(
        f"from __future__ import annotations\nMAPPING: dict[str, str] = {mapping}\n"
    )
    (site / "__editable___odd_1_0_finder.py").write_text("MAPPING: dict[str, str] = {'x': os.getcwd()}\n")
    view = laptop_view(clone, {"HOME": str(tmp_path), "PATH": "/usr/bin"})
    assert view.editable == ("src", "lib")
    assert other in view.readable


# ENV-1
def test_the_interpreter_behind_an_environment_is_shown_link_by_link(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = home / "pythons" / "3.99.1" / "bin"
    venv = home / "clone" / ".venv" / "bin"
    for folder in (store, venv):
        folder.mkdir(parents=True)
    (store / "python3.99").write_bytes(b"\x7fELF")
    (home / "pythons" / "3.99").symlink_to("3.99.1")
    (venv / "python").symlink_to(home / "pythons" / "3.99" / "bin" / "python3.99")
    (venv.parent / "pyvenv.cfg").write_text(f"home = {home / 'pythons' / '3.99' / 'bin'}\n")
    view = laptop_view(home / "clone", {"HOME": str(home), "PATH": "/usr/bin"})
    assert view.env["VIRTUAL_ENV"] == str(venv.parent)
    assert view.programs[0] == venv
    for place in (home / "pythons" / "3.99", store.parent):
        assert place in view.readable


# ENV-5
def test_heals_own_environment_is_taken_off_the_path(tmp_path: Path) -> None:
    own = Path(sys.prefix) / "bin"
    view = laptop_view(tmp_path, {"HOME": str(tmp_path), "PATH": f"{own}:/usr/bin", "VIRTUAL_ENV": sys.prefix})
    assert own not in view.programs
    assert "VIRTUAL_ENV" not in view.env
    assert any("Heal's own environment" in note for note in view.notes)


# ENV-5
def test_installing_a_package_changes_what_results_are_stored_under(tmp_path: Path) -> None:
    site = tmp_path / ".venv" / "lib" / "python3.99" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    view = laptop_view(tmp_path, {"HOME": str(tmp_path), "PATH": "/usr/bin"})
    before = view.key()
    assert before == view.key()
    (site / "thing-1.dist-info").mkdir()
    assert view.key() != before


# ENV-1
@given(st.lists(st.sampled_from(["bin", ".local", "share", ".ssh", ".config", "gh", ".cargo", "x"]), max_size=4))
def test_neither_the_home_nor_anything_with_keys_in_it_is_ever_shown_whole(parts: list[str]) -> None:
    path = HOME.joinpath(*parts)
    if may_show(path, HOME):
        assert not HOME.is_relative_to(path)
        assert not any(path.is_relative_to(HOME / folder) for folder in FOLDERS)


# ENV-1
def test_variables_go_in_by_name_and_never_with_a_login() -> None:
    shell = {
        "VIRTUAL_ENV": "/x", "GOFLAGS": "-mod=vendor", "LC_ALL": "C", "PYTEST_ADDOPTS": "-x", "RUSTFLAGS": "-D",
        "AWS_SECRET_ACCESS_KEY": "a", "GITHUB_TOKEN": "b", "UV_PUBLISH_TOKEN": "c", "POETRY_HTTP_BASIC_X_PASSWORD": "d",
        "UV_INDEX_URL": "https://me:hunter2@example.com/simple", "SSH_AUTH_SOCK": "/tmp/s", "ANTHROPIC_API_KEY": "e",
    }  # fmt: skip
    assert sorted(allowed(shell)) == ["GOFLAGS", "LC_ALL", "PYTEST_ADDOPTS", "RUSTFLAGS", "VIRTUAL_ENV"]


# ENV-1
def test_a_variable_of_places_that_are_there_is_shown_and_a_login_among_them_is_not(tmp_path: Path) -> None:
    there, login = str(tmp_path), "https://me:hunter2@example.com/simple"
    shell = {
        "PYTHONPATH": f"{there}:/", "GOPATH": f"{there}:{there}/gone", "MYPYPATH": f"{there}:{login}",
        "UV_INDEX_URL": login, "UV_PUBLISH_TOKEN": there, "PYTEST_ADDOPTS": f"{there}:ghp_{'a1B2c3D4e5F6' * 3}",
    }  # fmt: skip
    assert sorted(allowed(shell)) == ["GOPATH", "PYTHONPATH"]


# ENV-1
def test_what_tox_compares_an_environment_by_is_as_the_shell_has_it(tmp_path: Path) -> None:
    """tox 4 writes these of pip's variables into `.tox-info.json`, and runs pip again where one differs."""
    resolving = ("CONSTRAINT", "EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL", "NO_INDEX", "PRE", "REQUIRE_HASHES")
    names = {f"PIP_{name}" for name in (*resolving, "TRUSTED_HOST")}
    shell = {"HOME": str(tmp_path), "PATH": "/usr/bin", "PIP_FIND_LINKS": "/wheels", "PIP_PRE": "1"}
    of_pip = {name: value for name, value in laptop_view(tmp_path, shell).env.items() if name in names}
    assert of_pip == {"PIP_FIND_LINKS": "/wheels", "PIP_PRE": "1"}


def test_files_with_logins_are_known_by_name_and_examples_of_them_are_none() -> None:
    assert all(map(is_secret_file, (".env", ".env.local", ".npmrc", ".pypirc", "credentials.toml", ".env.production")))
    assert not any(map(is_secret_file, (".env.example", "environment.yml", "npmrc.md", "credentials.py", ".envoy")))


def test_an_unchanged_file_keeps_the_clones_time_and_a_changed_one_is_newer(tmp_path: Path) -> None:
    """Cargo and Python's bytecode call a broken file fresh otherwise."""
    clone, ours = tmp_path / "clone", tmp_path / "ours"
    for folder in (clone, ours):
        folder.mkdir()
        for name in ("same", "other"):
            (folder / name).write_text("a = 1\n")
    (ours / "other").write_text("a = 2\n")
    old = int(time.time()) - 1000
    os.utime(clone / "same", (old, old))
    date_like(ours, clone)
    assert (ours / "same").stat().st_mtime == old
    assert int((ours / "other").stat().st_mtime) > int((clone / "other").stat().st_mtime)
    date_after(ours, clone, ["same"])
    assert int((ours / "same").stat().st_mtime) > int((clone / "same").stat().st_mtime)
    assert stat.S_ISREG((ours / "same").stat().st_mode)
