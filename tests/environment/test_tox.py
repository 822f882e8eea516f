"""tox in the developer's own shell: it installs the project's package before each run, also where no network is."""

import subprocess
import zipfile
from pathlib import Path

import pytest

from healing.environment.packaged_by_tox import tox_overrides
from tests.cli.conftest import write
from tests.environment.conftest import BROKEN, SOURCE, UNITTEST, Shell
from tests.programs import of_programs_lock

BACKEND = '''"""Packs one module, as build backends do it (PEP 517)."""

import io, pathlib, tarfile, zipfile

META = "Metadata-Version: 2.1\\nName: shop\\nVersion: 1\\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = "shop-1-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w") as wheel:
        wheel.write("src/shop.py", "shop.py")
        wheel.writestr("shop-1.dist-info/METADATA", META)
        wheel.writestr("shop-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("shop-1.dist-info/RECORD", "")
    return name


def build_sdist(sdist_directory, config_settings=None):
    with tarfile.open(pathlib.Path(sdist_directory, "shop-1.tar.gz"), "w:gz") as packed:
        for file in ("pyproject.toml", "src/shop.py"):
            packed.add(file, f"shop-1/{file}")
        about = tarfile.TarInfo("shop-1/PKG-INFO")
        about.size = len(META)
        packed.addfile(about, io.BytesIO(META.encode()))
    return "shop-1.tar.gz"
'''
PROJECT = SOURCE["pyproject.toml"] + '[build-system]\nrequires = ["packs-one"]\nbuild-backend = "packs_one"\n'
TOX = f"[testenv]\ncommands = {UNITTEST}\n"
FILES = {**SOURCE, "pyproject.toml": PROJECT, "tox.ini": TOX, ".gitignore": ".venv/\n.tox/\n__pycache__/\n"}


def index_of_one(folder: Path) -> Path:
    """Settings of pip that find the build backend in a folder, as a developer's network has it."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "packs_one-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("packs_one.py", BACKEND)
        wheel.writestr("packs_one-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: packs-one\nVersion: 1\n")
        wheel.writestr("packs_one-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("packs_one-1.dist-info/RECORD", "")
    settings = folder / "pip.conf"
    settings.write_text(f"[global]\nno-index = true\nfind-links = {folder}\n")
    return settings


# ENV-1
def test_a_package_that_tox_makes_again_for_each_run_needs_no_network(shell: Shell, tmp_path: Path) -> None:
    path = f"{of_programs_lock('tox').parent}:/usr/local/bin:/usr/bin:/bin"
    clone = shell.clone("by-tox", FILES)
    by_hand = {**shell.environment(clone, PATH=path), "PIP_CONFIG_FILE": str(index_of_one(tmp_path / "index"))}
    made = subprocess.run(["tox", "-e", "py"], cwd=clone, env=by_hand, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    green = shell.heal(clone, "check", "--run", "tox -e py", PATH=path)
    assert green.code == 0, green
    write(clone, {"src/shop.py": BROKEN})
    red = shell.heal(clone, "check", "--run", "tox -e py", PATH=path)
    assert red.code == 1, red
    assert "4 != 3" in red.out, red


WORKFLOW = """\
jobs:
  test:
    steps:
      - {uses: actions/download-artifact@v4, with: {name: Packages, path: dist}}
      - {name: Tests, run: "tox run -e py --installpkg \\"$(find dist/*.tar.gz)\\""}
"""


# ENV-1, CK-1
def test_the_package_of_an_earlier_job_is_not_asked_for_where_tox_makes_one_of_this_tree(
    shell: Shell, tmp_path: Path
) -> None:
    path = f"{of_programs_lock('tox').parent}:/usr/local/bin:/usr/bin:/bin"
    clone = shell.clone("by-an-earlier-job", {**FILES, ".github/workflows/ci.yml": WORKFLOW})
    by_hand = {**shell.environment(clone, PATH=path), "PIP_CONFIG_FILE": str(index_of_one(tmp_path / "index"))}
    subprocess.run(["tox", "-e", "py"], cwd=clone, env=by_hand, capture_output=True, check=True)
    green = shell.heal(clone, "check", PATH=path)
    assert green.code == 0, green
    write(clone, {"src/shop.py": BROKEN})
    red = shell.heal(clone, "check", PATH=path)
    assert red.code == 1, red
    assert "4 != 3" in red.out, red


def packaged(root: Path, **files: str) -> Path:
    write(root, {".tox/.pkg/pyvenv.cfg": "home = /usr/bin\n", **files})
    return root


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tox.ini", "[testenv]\npackage = editable\n"),
        ("tox.ini", "[testenv]\npackage = wheel\nwheel_build_env = .pkg\n"),
        ("tox.toml", '[env_run_base]\npackage = "skip"\n'),
        ("pyproject.toml", "[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\n  package=external\n'''\n"),
    ],
)
def test_a_kind_of_package_that_the_project_names_stays(tmp_path: Path, file: str, text: str) -> None:
    assert tox_overrides(packaged(tmp_path, **{file: text}), {}) == {}


def test_overrides_of_the_shell_stay_and_a_clone_that_tox_never_packaged_gets_none(tmp_path: Path) -> None:
    assert tox_overrides(tmp_path, {}) == {}
    assert tox_overrides(packaged(tmp_path), {"TOX_OVERRIDE": "testenv.commands=true"}) == {}


@pytest.mark.parametrize("text", ["", "[testenv]\npackage = sdist\n", '[tool.other]\npackage = "shop"\n'])
def test_a_source_distribution_is_made_a_wheel_whether_it_is_named_or_not(tmp_path: Path, text: str) -> None:
    found = tox_overrides(packaged(tmp_path, **{"tox.ini": text}), {})
    assert found["TOX_OVERRIDE"].startswith("testenv.package=wheel;testenv.wheel_build_env=.pkg;")
