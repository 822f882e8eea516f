"""The line that installs a missing package does so where checks look for it, in the shell that it is typed in."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from healing.environment.pip_line import beside_heal, pip_line
from healing.sandbox.view import View
from tests.environment.conftest import Shell

SYSTEM = "/usr/local/bin:/usr/bin:/bin"


def program(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)


def python(prefix: Path, *library: str) -> Path:
    """A Python as a system has it, with these entries in its standard library. Gives its folder of programs."""
    program(prefix / "bin" / "python3.12")
    (prefix / "bin" / "python3").symlink_to("python3.12")
    for name in library:
        (prefix / "lib" / "python3.12" / name).mkdir(parents=True)
    return prefix / "bin"


def environment(folder: Path, base: Path, *programs: str) -> Path:
    """A virtual environment of that Python with these programs. Gives its folder of programs."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {base}\n")
    (folder / "bin" / "python3").symlink_to(base / "python3")
    for name in programs:
        program(folder / "bin" / name)
    return folder / "bin"


def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checks: list[Path], shell: list[Path]) -> str:
    """What is printed where checks and the shell have these folders on their PATHs."""
    monkeypatch.setenv("PATH", ":".join(map(str, shell)))
    view = View(tmp_path / "clone", tmp_path, env={"PATH": ":".join(map(str, checks))})
    return pip_line("flake8", view)


# ENV-7
def test_pip_is_named_so_that_the_shell_starts_the_one_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = python(tmp_path / "usr", "ensurepip")
    program(system / "pip")
    own = environment(tmp_path / "clone" / ".venv", system, "pip")
    heals = environment(tmp_path / "heal", system, "pip")
    assert line(tmp_path, monkeypatch, [own, system], [own, system]) == "pip install flake8"
    for others in ([system], [heals, system], []):
        assert line(tmp_path, monkeypatch, [own, system], others) == ".venv/bin/pip install flake8"
    elsewhere = environment(tmp_path / "my envs" / "shop", system, "pip")
    assert line(tmp_path, monkeypatch, [elsewhere], [system]) == f"'{elsewhere}/pip' install flake8"


# ENV-7
def test_an_environment_without_pip_is_given_one_or_uv_installs_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = python(tmp_path / "usr", "ensurepip")
    own = environment(tmp_path / "clone" / ".venv", system)
    typed = ".venv/bin/python3 -m ensurepip && .venv/bin/python3 -m pip install flake8"
    assert line(tmp_path, monkeypatch, [own, system], [system]) == typed
    program(system / "uv")
    assert line(tmp_path, monkeypatch, [own, system], [system]) == ("uv pip install --python .venv/bin/python3 flake8")


# ENV-7
def test_where_a_python_takes_no_packages_an_environment_is_made_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "python3 -m venv .venv && .venv/bin/pip install flake8"
    managed = python(tmp_path / "usr", "ensurepip", "EXTERNALLY-MANAGED")
    program(managed / "pip")
    assert line(tmp_path, monkeypatch, [managed], [managed]) == made
    debian = python(tmp_path / "debian", "EXTERNALLY-MANAGED")
    assert line(tmp_path, monkeypatch, [debian], [debian]) == f"apt-get install python3-venv && {made}"
    bare = python(tmp_path / "bare", "ensurepip")
    assert line(tmp_path, monkeypatch, [bare], [bare]) == made
    assert line(tmp_path, monkeypatch, [tmp_path], [bare]) == f"install Python 3, then {made}"


# ENV-7
def test_a_persons_own_python_is_installed_into_by_its_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = python(tmp_path / "python", "ensurepip")
    program(own / "pip3")
    assert line(tmp_path, monkeypatch, [own], [own]) == "pip3 install flake8"
    program(own / "pip")
    assert line(tmp_path, monkeypatch, [own], [own]) == "pip install flake8"
    shims = tmp_path / "shims"  # a version manager's: where they lead to no path tells
    for name in ("python3", "pip"):
        program(shims / name)
    assert line(tmp_path, monkeypatch, [shims], [shims]) == "pip install flake8"


def wheel(folder: Path) -> Path:
    """A folder with a package `pricing`, as an index would have it."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / "pricing-1-py3-none-any.whl", "w") as packed:
        packed.writestr("pricing.py", "RATE = 3\n")
        packed.writestr("pricing-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: pricing\nVersion: 1\n")
        packed.writestr("pricing-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr("pricing-1.dist-info/RECORD", "")
    return folder


# ENV-7 UX-3
@pytest.mark.parametrize("environment", ["none", "with pip, not active", "without pip"])
def test_the_line_that_is_printed_makes_the_check_pass_when_it_is_typed(shell: Shell, environment: str) -> None:
    files = {"shop.py": "import pricing\nassert pricing.RATE == 3\n", "requirements.txt": "pricing==1\n"}
    clone = shell.clone("typed", files)
    if environment == "none":
        shutil.rmtree(clone / ".venv")
        if not list(Path("/usr/lib").glob("python3.*/EXTERNALLY-MANAGED")):
            pytest.skip("the system's own Python would take the package here")
    elif environment != "without pip":
        base = Path(sys.base_prefix) / "bin" / "python3"
        subprocess.run([base, "-m", "venv", "--clear", clone / ".venv"], check=True, timeout=120)
    before = shell.heal(clone, "check", "--run", "python3 shop.py", PATH=SYSTEM)
    assert before.code == 3, before
    (typed,) = [line.partition("try: ")[2] for line in before.out.splitlines() if "try: " in line]
    assert before.out.count("pip install") == 1, "a remedy is printed once, with its label"
    env = {"PATH": SYSTEM, "HOME": str(shell.home), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel(shell.home / "w"))}
    done = subprocess.run(["bash", "-c", typed], cwd=clone, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (typed, done.stdout, done.stderr)
    after = shell.heal(clone, "check", "--run", "python3 shop.py", PATH=SYSTEM)
    assert after.code == 0, after


# ENV-7
def test_where_only_python3_exists_the_line_that_brings_a_python_is_printed(shell: Shell) -> None:
    if shutil.which("python", path=SYSTEM) or not shutil.which("python3", path=SYSTEM):
        pytest.skip("this machine's system has another set of Pythons")
    clone = shell.clone("python3", {"shop.py": "RATE = 3\n"})
    shutil.rmtree(clone / ".venv")
    before = shell.heal(clone, "check", "--run", "python shop.py", PATH=SYSTEM)
    assert before.code == 3, before
    (typed,) = [line.partition("try: ")[2] for line in before.out.splitlines() if "try: " in line]
    subprocess.run(["bash", "-c", typed], cwd=clone, env={"PATH": SYSTEM}, check=True, timeout=120)
    after = shell.heal(clone, "check", "--run", "python shop.py", PATH=SYSTEM)
    assert after.code == 0, after


# ENV-7
def test_what_heal_itself_lacks_is_installed_by_its_own_python(shell: Shell) -> None:
    """`pip` alone is another one where Heal is called by its path."""
    plain = f"{sys.executable} -m pip install ruff"
    assert beside_heal("ruff") in (plain, f"{sys.executable} -m ensurepip && {plain}")
    place = shell.data.parent / "bare-heal"  # where the sandbox's user can pass through
    packages = place / "packages"
    packages.mkdir(parents=True)
    for folder in map(Path, filter(None, sys.path)):
        for entry in folder.iterdir() if folder.name == "site-packages" else ():
            if not entry.name.lower().startswith(("ruff", "black", "mypy-", "mypy_", "pytest")):
                (packages / entry.name).symlink_to(entry)
    base = Path(sys.base_prefix) / "bin" / "python3"
    subprocess.run([base, "-m", "venv", "--without-pip", place / "heal"], check=True, timeout=60)
    own = place / "heal" / "bin" / "python3"
    root = Path(__file__).parents[2]
    env = {"PATH": SYSTEM, "HOME": str(place), "HEAL_DATA": str(place / "data")}
    env["PYTHONPATH"] = f"{root}{os.pathsep}{packages}"
    done = subprocess.run([own, "-m", "bot", "doctor"], cwd=place, env=env, capture_output=True, text=True, check=False)
    at = next(number for number, line in enumerate(done.stdout.splitlines()) if "no tool is installed" in line)
    remedy = done.stdout.splitlines()[at + 1].strip()
    assert remedy == f"fix: {own} -m ensurepip && {own} -m pip install ruff black mypy pytest"


# ENV-7
def test_a_project_that_pip_can_not_install_is_not_told_to_install_itself(shell: Shell) -> None:
    clone = shell.clone("nothing-to-install", {"shop.py": "RATE = 3\n"})
    result = shell.heal(clone, "check", "--run", "true")
    assert "     try: name a command that reads these files" in result.out, result
