"""Programs that the typed command names by their place, outside of the clone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.environment.laptop import laptop_view
from healing.environment.named_programs import named_programs
from tests.cli.conftest import write
from tests.environment.conftest import BROKEN, SOURCE, UNITTEST, Shell, make_environment


@pytest.fixture(scope="module", autouse=True)
def away(shell: Shell) -> None:
    """An environment outside of the clone, with a module of its own."""
    folder = shell.home / "envs" / "shop"
    make_environment(folder)
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "thing.py").write_text("ONE = 1\n")


# ENV-1
@pytest.mark.parametrize(
    "how",
    [
        "~/envs/shop/bin/python {rest}",
        ". $HOME/envs/shop/bin/activate && python {rest}",
        "make PYTHON=~/envs/shop/bin/python && ../../../envs/shop/bin/python {rest}",
    ],
)
def test_an_environment_that_the_command_names_is_there(shell: Shell, how: str) -> None:
    made = "all:\n\t$(PYTHON) -c 'import thing'\n"
    test = SOURCE["tests/test_shop.py"].replace("import unittest", "import unittest\nimport thing")
    clone = shell.clone("named", {**SOURCE, "tests/test_shop.py": test, "Makefile": made})
    rest = UNITTEST.removeprefix("python ")
    command = "export PYTHONPATH=src; " + how.format(rest=rest)
    green = shell.heal(clone, "check", "--run", command)
    assert green.code == 0, green
    write(clone, {"src/shop.py": BROKEN})
    red = shell.heal(clone, "check", "--run", command)
    assert (red.code, "4 != 3" in red.out) == (1, True), red


@pytest.mark.parametrize(
    "how", ["{home}/envs/bin/tool -q", "PATH=${{HOME}}/envs/bin:$PATH tool", "TOOL=../envs/bin/tool it"]
)
def test_a_place_is_read_as_the_shell_reads_it(tmp_path: Path, how: str) -> None:
    write(tmp_path, {"envs/bin/tool": "#!/bin/sh\n"})
    (found,) = named_programs(how.format(home=tmp_path), tmp_path / "clone", tmp_path)
    assert found in (tmp_path / "envs" / "bin" / "tool", tmp_path / "envs" / "bin")


# ENV-1
def test_what_a_command_may_write_to_or_holds_keys_is_not_shown(tmp_path: Path) -> None:
    home = tmp_path / "home"
    files = {
        "clone/run.sh": "true\n", "notes/out.txt": "", ".ssh/bin/ask": "#!/bin/sh\n", "apps/bin/tool": "#!/bin/sh\n",
        ".env": "#!/bin/sh\n", "apps/.npmrc": "//registry.example/:_authToken=x\n", "tools/one.sh": "#!/bin/sh\n",
        "tools/beside.txt": "", "keys.txt": "",
    }  # fmt: skip
    write(home, files)
    for name in ("tools/one.sh", ".env"):
        (home / name).chmod(0o755)
    command = f"~/.ssh/bin/ask; ./run.sh > {home}/notes/out.txt; $HOME/apps/bin/tool; ~/tools/one.sh; "
    command += "~/.env; cat ~/keys.txt; ls ~/notes"
    view = laptop_view(home / "clone", {"HOME": str(home), "PATH": "/usr/bin"}, command)
    seen = {name for name in files if view.shows(home / name)}
    assert seen == {"clone/run.sh", "apps/bin/tool", "tools/one.sh"}
    assert view.notes == (f"{home}/.ssh/bin/ask is not shown to checks: it holds private files",)


# ENV-1
def test_only_what_the_person_typed_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path, {"clone/.github/heal.yml": "checks: [~/apps/bin/tool]\n", "apps/bin/tool": "#!/bin/sh\n"})
    view = laptop_view(tmp_path / "clone", {"HOME": str(tmp_path), "PATH": "/usr/bin"})
    assert not view.shows(tmp_path / "apps" / "bin" / "tool")


@given(st.text(max_size=60))
def test_no_command_is_too_odd_to_be_read(command: str) -> None:
    clone = Path("/none/clone")
    assert not [path for path in named_programs(command, clone, Path("/none")) if path.is_relative_to(clone)]
