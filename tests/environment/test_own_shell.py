"""What a command finds in the developer's own shell beside programs and packages, and what is said where it can't."""

import base64
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from healing.environment import elsewhere
from healing.sandbox.cgroups import available_memory
from tests.cli.conftest import git, write
from tests.environment.conftest import BROKEN, SHOP, SOURCE, TEST, UNITTEST, Shell, make_environment, packages
from tests.programs import of_programs_lock
from tests.uv import PROJECT, needs_uv

LONE_LOCK = 'version = 1\nrequires-python = ">=3.11"\n[[package]]\nname = "mine"\nversion = "1"\n'
LONE_LOCK += 'source = { virtual = "." }\n'

COMMITS = """import subprocess, tempfile, unittest
from shop import total


class Commits(unittest.TestCase):
    def test_log(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", str(total([1]))]):
                subprocess.run(["git", *words], cwd=folder, check=True)
            log = ["git", "log", "--format=%an <%ae>"]
            seen = subprocess.run(log, cwd=folder, check=True, capture_output=True, text=True).stdout
            self.assertEqual(seen, 'Maya "M" \\\\ K <maya@example.org>\\n')
            subprocess.run(["git", "config", "--global", "user.name", "Other"], cwd=folder, check=True)
            known = subprocess.run(["git", "config", "--list"], cwd=folder, capture_output=True, text=True).stdout
            self.assertNotIn("secret", known)
"""


# ENV-1
def test_tests_that_commit_have_the_persons_name_and_nothing_else_of_their_settings(shell: Shell) -> None:
    clone = shell.clone("commits", {"shop.py": SHOP, "test_shop.py": COMMITS})
    own = '[user]\n\tname = "Maya \\"M\\" \\\\ K"\n[include]\n\tpath = more\n[core]\n\thooksPath = /secret\n'
    own += '[credential]\n\thelper = "!echo secret"\n[url "https://maya:secret@example.com/"]\n\tinsteadOf = shop:\n'
    write(shell.home, {".gitconfig": own, "more": "[user]\n\temail = maya@example.org\n"})
    result = shell.heal(clone, "check", "--run", "python -m unittest -q")
    (shell.home / ".gitconfig").unlink()
    assert result.code == 0, result


# ENV-3
def test_without_a_name_for_git_the_line_that_sets_it_is_given(shell: Shell) -> None:
    clone = shell.clone("nameless", {"shop.py": SHOP, "test_shop.py": COMMITS})
    result = shell.heal(clone, "check", "--run", "python -m unittest -q")
    assert result.code == 3, result
    assert "git config --global user.name" in result.out, result


# ENV-3
def test_a_file_of_the_home_that_a_command_wants_is_named(shell: Shell) -> None:
    clone = shell.clone("settings", {"shop.py": SHOP, "look.sh": "cat ~/.shoprc && python shop.py\n"})
    write(shell.home, {".shoprc": "one"})
    result = shell.heal(clone, "check", "--run", "sh look.sh")
    assert result.code == 3, result
    assert f"{shell.home}/.shoprc" in result.out, result
    clone = shell.clone("no-settings", {"look.sh": "cat ~/.no-such-thing\n"})  # that is the command's own mistake
    assert shell.heal(clone, "check", "--run", "sh look.sh").code == 1


# ENV-3
def test_a_command_that_wants_a_terminal_is_told_that_there_is_none(shell: Shell) -> None:
    clone = shell.clone("terminal", {"shop.py": SHOP + "\nimport os\n\nprint(os.get_terminal_size())\n"})
    result = shell.heal(clone, "check", "--run", "python shop.py")
    assert result.code == 3, result
    assert "wants a terminal" in result.out, result


# ENV-3
def test_a_virtual_environment_whose_python_is_gone_is_named_with_the_line_that_makes_it_again(shell: Shell) -> None:
    clone = shell.clone("gone", SOURCE)
    for name in ("python", "python3"):
        link = clone / ".venv" / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to("/opt/no-such-python/bin/python3")
    command = ".venv/bin/python -m unittest discover -q -s tests"
    for word in ("check", "run"):
        result = shell.heal(clone, word, "--run", command)
        assert result.code == 3, result
        assert "python3 -m venv --clear .venv" in result.out + result.err, result


# ENV-3
def test_packages_of_another_python_are_not_taken_for_those_of_this_one(shell: Shell) -> None:
    files = {"shop.py": f"import pricing\n\n\n{SHOP}", "test_shop.py": TEST, "requirements.txt": "pricing==1\n"}
    clone = shell.clone("another", files)
    other = clone / ".venv" / "lib" / "python3.1" / "site-packages"
    right = packages(clone)
    other.mkdir(parents=True)
    (other / "pricing.py").write_text("")
    result = shell.heal(clone, "check", "--run", "python -m unittest -q")
    assert result.code == 3, result
    assert "pip install -r requirements.txt" in result.out, result
    (right / "pricing.py").write_text("")
    assert shell.heal(clone, "check", "--run", "python -m unittest -q").code == 0


# ENV-1
def test_an_environment_that_is_a_link_out_of_the_clone_is_there_on_the_base_too(shell: Shell) -> None:
    clone = shell.clone("link", SOURCE)
    shutil.rmtree(clone / ".venv")
    make_environment(shell.home / "envs" / "link")
    (clone / ".venv").symlink_to(shell.home / "envs" / "link")
    (packages(clone) / "shop.pth").write_text(f"{clone / 'src'}\n")
    assert "?? .venv" in git(clone, "status", "--short")  # a pattern for folders doesn't fit a link
    assert shell.heal(clone, "check", "--run", UNITTEST).code == 0
    write(clone, {"src/shop.py": BROKEN})
    result = shell.heal(clone, "check", "--run", UNITTEST)
    assert result.code == 1, result


# ENV-3
def test_a_red_check_of_the_environment_alone_is_no_red_check(shell: Shell) -> None:
    clone = shell.clone("not-red", {**SOURCE, "src/shop.py": f"import pricing\n\n\n{SHOP}"})
    (packages(clone) / "shop.pth").write_text(f"{clone / 'src'}\n")
    result = shell.heal(clone, "check", "--run", UNITTEST)
    assert result.code == 3, result
    assert "check that `pricing` is the right name; if it is, install the package that has it" in result.out, result


# ENV-3
def test_without_bubblewrap_what_is_not_seen_ends_with_the_line_that_brings_it(person: Shell) -> None:
    built = {".gitignore": ".venv/\n/built.py\n", "src/shop.py": SHOP, "tests/test_shop.py": TEST}
    clone = person.clone("apart", {**built, "pyproject.toml": SOURCE["pyproject.toml"]})
    write(clone, {"built.py": "PRICES = [1]\n"})
    command = "PYTHONPATH=src python -c 'import built, shop'"
    assert person.heal(clone, "check", "--run", command).code == 0
    result = person.heal(clone, "check", "--run", command, HEAL_SANDBOX="landlock")
    assert result.code == 3, result
    assert "built.py of your clone, which git ignores and checks don't see\n" in result.out, result
    assert "     try: unset HEAL_SANDBOX" in result.out, result
    assert "checks see only virtual environments and node_modules (HEAL_SANDBOX=landlock is set)" in result.err, result


# ENV-1
@pytest.mark.parametrize("command", [UNITTEST, f".venv/bin/{UNITTEST}"])
def test_without_bubblewrap_an_environment_with_an_editable_install_is_used_beside_the_clone(
    person: Shell, command: str
) -> None:
    clone = person.clone("beside", SOURCE)
    (packages(clone) / "shop.pth").write_text(f"{clone / 'src'}\n")
    assert person.heal(clone, "check", "--run", command, HEAL_SANDBOX="landlock").code == 0
    write(clone, {"src/shop.py": BROKEN})
    result = person.heal(clone, "check", "--run", command, HEAL_SANDBOX="landlock")
    assert result.code == 1, result
    assert "tests/test_shop.py" in result.out, result


# ENV-1 OP-9
def test_without_bubblewrap_logins_and_the_clones_own_files_can_not_be_read_at_their_places(person: Shell) -> None:
    look = (
        "import os\n"
        "assert 'id_ed25519' in os.environ['LANG']\n"
        "seen = []\n"
        "for place in os.environ['LANG'].split(':'):\n"
        "    try:\n"
        "        seen.append(open(place).read())\n"
        "    except OSError:\n"
        "        continue\n"
        "assert not seen, seen\n"
    )
    clone = person.clone("places", {"look.py": look})
    private = [person.home / ".ssh" / "id_ed25519", person.home / ".npmrc", clone / ".env", clone / "notes"]
    for place in private:
        write(place.parent, {place.name: "secret"})
    places = ":".join(map(str, [*private, clone / "look.py", clone / ".git" / "config", person.data / "heal.db"]))
    result = person.heal(clone, "check", "--run", "python look.py", HEAL_SANDBOX="landlock", LANG=places)
    assert result.code == 0, result


# ENV-1
def test_an_ordinary_user_with_a_private_home_gets_what_their_shell_gives(person: Shell) -> None:
    assert oct(Path(person.home).stat().st_mode)[-3:] == "700"
    clone = person.clone("private", SOURCE)
    (packages(clone) / "shop.pth").write_text(f"{clone / 'src'}\n")
    assert person.heal(clone, "check", "--run", UNITTEST).code == 0
    write(clone, {"src/shop.py": BROKEN})
    result = person.heal(clone, "check", "--run", UNITTEST)
    assert result.code == 1, result
    assert "tests/test_shop.py" in result.out, result


# ENV-1 WT-5
def test_a_check_may_hold_half_of_the_memory_that_there_is(shell: Shell) -> None:
    """As much again as its /tmp has room, which is in memory."""
    clone = shell.clone("memory", SOURCE)
    room = max(2 << 30, available_memory() // 2) // 2
    look = f"import os, shop; disk = os.statvfs('/tmp'); assert 0 <= disk.f_blocks * disk.f_frsize - {room} < 4096"
    result = shell.heal(clone, "check", "--run", f'PYTHONPATH=src python -c "{look}"')
    assert result.code == 0, result


# ENV-1
def test_the_environment_that_poetry_keeps_in_a_cache_is_the_projects(shell: Shell) -> None:
    declared = '[tool.poetry]\nname = "shop"\nversion = "1"\n'
    clone = shell.clone("poetry", {"look.py": "import thing\nassert thing.ONE == 1\n", "pyproject.toml": declared})
    shutil.rmtree(clone / ".venv")
    mark = base64.urlsafe_b64encode(hashlib.sha256(str(clone).encode()).digest()).decode()[:8]
    kept = shell.home / ".cache" / "pypoetry" / "virtualenvs"
    for name in (f"shop-{mark}-py3.11", "shop-AAAAAAAA-py3.11"):
        make_environment(kept / name)
    (site,) = (kept / f"shop-{mark}-py3.11" / "lib").glob("python*/site-packages")
    (site / "thing.py").write_text("ONE = 1\n")
    result = shell.heal(clone, "check", "--run", "python look.py")
    assert result.code == 0, result


# ENV-1
def test_the_place_of_an_environment_follows_from_the_place_of_the_project(tmp_path: Path) -> None:
    """As poetry 2.5.1 called it for a project in /tmp/uvp/p, and pipenv makes its names."""
    assert elsewhere.mark(Path("/tmp/uvp/p")) == "TUz14LJ4"
    (tmp_path / "Pipfile").write_text("[packages]\n")
    name = f"shop-{elsewhere.mark(tmp_path / 'Pipfile')}"
    make_environment(tmp_path / "kept" / name)
    found = elsewhere.kept_elsewhere(tmp_path, tmp_path, {"WORKON_HOME": str(tmp_path / "kept")})
    assert found == tmp_path / "kept" / name
    assert elsewhere.kept_elsewhere(tmp_path / "kept", tmp_path, {"WORKON_HOME": str(tmp_path / "kept")}) is None


# ENV-7
def test_doctor_names_the_environment_that_uv_would_run_commands_in(shell: Shell) -> None:
    uv = needs_uv(shell.data.parent)
    clone = shell.clone("behind", {"pyproject.toml": PROJECT.replace('["heal-demo"]', "[]"), "uv.lock": LONE_LOCK})
    path = f"{uv}:/usr/local/bin:/usr/bin:/bin"
    rows = [json.loads(line) for line in shell.heal(clone, "doctor", "--json", PATH=path).out.splitlines()]
    (behind,) = (row for row in rows if row["name"] == "behind `uv run --no-sync`")
    assert behind["ok"], behind
    assert behind["detail"].startswith(".venv (Python 3."), behind


# ENV-1
@pytest.mark.parametrize("command", [f"pdm run {UNITTEST}", "pdm run test"])
def test_pdm_runs_commands_and_scripts_in_the_projects_own_environment(shell: Shell, command: str) -> None:
    path = f"{of_programs_lock('pdm').parent}:/usr/local/bin:/usr/bin:/bin"
    project = SOURCE["pyproject.toml"] + f'[tool.pdm.scripts]\ntest = "{UNITTEST}"\n'
    clone = shell.clone("by-pdm", {**SOURCE, "pyproject.toml": project})
    (packages(clone) / "__editable__.shop.pth").write_text(f"{clone / 'src'}\n")
    result = shell.heal(clone, "check", "--run", command, PATH=path)
    assert result.code == 0, result
    write(clone, {"src/shop.py": SHOP.replace("sum(prices)", "sum(prizes)")})
    result = shell.heal(clone, "run", "--run", command, "--json", PATH=path)
    assert [one["title"] for one in json.loads(result.out)["proposals"]] == ["Write `prices` for `prizes`"], result
