"""Real repositories are measured end to end, and what is wrong with one case stops no other."""

import asyncio
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks import keeping
from benchmarks.repos.cases import CaseError, Change, Edit, Repository, read_cases
from benchmarks.repos.clone import Clone
from benchmarks.repos.registries import Registries, _source_lists, version_of

# A release whose build needs nothing from an index: pip asks this file for the metadata.
BACKEND = """
import os

def prepare_metadata_for_build_wheel(folder, settings=None):
    os.makedirs(f"{folder}/tinydemo-1.0.dist-info", exist_ok=True)
    with open(f"{folder}/tinydemo-1.0.dist-info/METADATA", "w") as file:
        file.write("Metadata-Version: 2.1\\nName: tinydemo\\nVersion: 1.0\\n")
    return "tinydemo-1.0.dist-info"
"""
FILES = {
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "back"\nbackend-path = ["."]\n'
    '\n[project]\nname = "tinydemo"\nversion = "1.0"\n',
    "back.py": BACKEND,
    "PKG-INFO": "Metadata-Version: 2.1\nName: tinydemo\nVersion: 1.0\n",
    "tinydemo/__init__.py": 'def double(number: int) -> int:\n    """Twice a number."""\n    return number + number\n',
    "test_tinydemo.py": "import unittest\n\nimport tinydemo\n\n\nclass Test(unittest.TestCase):\n"
    "    def test_double(self) -> None:\n        self.assertEqual(tinydemo.double(2), 4)\n",
}
TYPO = {"file": "tinydemo/__init__.py", "old": "return number + number", "new": "return number + nubmer"}
BREAKAGE = {"id": "tinydemo-1", "kind": "typo", "free": "yes", "red_checks": ["tests"], "edits": [TYPO]}
ENTRY = {
    "name": "tinydemo",
    "source": {"pypi": "tinydemo==1.0"},
    "setup": ["python3 -m venv --without-pip .venv"],
    "checks": {"tests": "python -m unittest"},
    "breakages": [BREAKAGE],
}


def entry(**changes: Any) -> dict[str, Any]:
    return {**ENTRY, **changes}


def write_cases(folder: Path, *entries: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cases.json").write_text(json.dumps({"repositories": entries}))
    return folder


def write_release(folder: Path) -> Path:
    folder.mkdir()
    with tarfile.open(folder / "tinydemo-1.0.tar.gz", "w:gz") as packed:
        for name, text in FILES.items():
            info = tarfile.TarInfo(f"tinydemo-1.0/{name}")
            info.size = len(text.encode())
            packed.addfile(info, io.BytesIO(text.encode()))
    return folder


def benchmark(index: Path, *options: object) -> subprocess.CompletedProcess[str]:
    """`python -m benchmarks repos`, where pip knows no other index than a folder."""
    env = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    argv = [sys.executable, "-m", "benchmarks", "repos", "--json", *map(str, options)]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=300)


# ENV-9
def test_a_release_is_downloaded_set_up_broken_healed_and_rolled_back(tmp_path: Path) -> None:
    unreachable = entry(name="absent", source={"pypi": "no-such-demo==9"})
    broken_setup = entry(name="failing", setup=["echo the compiler is missing; exit 7"])
    cases = write_cases(tmp_path / "cases", unreachable, broken_setup, ENTRY)
    ended = benchmark(write_release(tmp_path / "index"), "--cases", cases, "--work", tmp_path / "work")
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    row = next(row for row in result["rows"] if row["case"] == "tinydemo-1")
    assert (row["outcome"], row["still red"], row["rollback"]) == ("healed", "", "identical"), ended.stderr
    assert (result["summary"]["false_red"], result["summary"]["healthy_could_not_look"]) == (0, 0)
    assert result["summary"]["not_measured"] == 2
    assert "absent: not measured, the download failed (exit code 1)" in ended.stderr
    assert "failing: not measured, the set-up failed (exit code 7)" in ended.stderr
    assert "the compiler is missing" in ended.stderr
    assert "kept in" not in ended.stderr, "what was not measured whole is not kept"


def test_a_folder_without_cases_is_refused_with_what_to_do(tmp_path: Path) -> None:
    ended = benchmark(tmp_path, "--cases", tmp_path)
    assert ended.returncode == 1
    assert "cases.json can't be read: No such file or directory. --cases names a folder with cases.json" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not JSON"), ("[]", "has no list `repositories`"), ('{"repositories": 1}', "has no list `repositories`")],
)
def test_a_file_that_holds_no_cases_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "cases.json").write_text(text)
    with pytest.raises(CaseError, match=message):
        read_cases(tmp_path)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": {"svn": "x"}}, "`source` must name one release of pypi, npm, deb"),
        ({"source": {"pypi": "a==1", "npm": "a@1"}}, "`source` must name one release"),
        ({"name": "a/b"}, "`name` must be usable as a folder's name"),
        ({"checks": {}}, "`checks` names no command"),
        ({"setup": "make"}, "`setup` must be a list"),
        ({"adapt": {"edit": []}}, "unknown field in a change: edit"),
        ({"adapt": {"create": {"../x": ""}}}, "'../x' is not a path in the repository"),
    ],
)
def test_a_repository_that_can_not_be_read_is_left_out_and_the_others_are_measured(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    found, problems = read_cases(write_cases(tmp_path, entry(**changes), entry(name="other"), 7))
    assert [one.name for one in found] == ["other"]
    assert problem in problems[0]
    assert problems[1] == "repository 3: left out, the repository must be an object"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"red_checks": ["style"]}, "`red_checks` names style, which `checks` does not"),
        ({"free": "perhaps"}, "`free` must be one of yes, maybe, no, not 'perhaps'"),
        ({"edits": []}, "it changes nothing"),
        ({"edits": [{"file": "a", "old": "b"}]}, "an edit must have the texts file, old and new"),
        ({"delete": ["/etc/hosts"]}, "'/etc/hosts' is not a path in the repository"),
    ],
)
def test_a_breakage_that_can_not_be_read_is_left_out_alone(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    wrong = {**BREAKAGE, "id": "tinydemo-2", **changes}
    found, problems = read_cases(write_cases(tmp_path, entry(breakages=[wrong, BREAKAGE])))
    assert [one.id for one in found[0].breakages] == ["tinydemo-1"]
    assert problems == (f"tinydemo: breakage tinydemo-2 left out, {problems[0].partition('left out, ')[2]}",)
    assert problem in problems[0]


def test_unknown_fields_are_named_and_the_rest_is_measured(tmp_path: Path) -> None:
    cases = write_cases(tmp_path, entry(timeout=3, breakages=[{**BREAKAGE, "patch": "x"}], upstream="a/b"))
    found, problems = read_cases(cases)
    assert len(found[0].breakages) == 1
    assert problems == ("tinydemo: unknown field ignored: timeout", "tinydemo-1: unknown field ignored: patch")


@pytest.mark.parametrize(("text", "count"), [("b\n", 0), ("a a\n", 2)])
def test_an_edit_must_occur_exactly_once(tmp_path: Path, text: str, count: int) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(CaseError, match=f"f: the text to edit occurs {count} times, not once: 'a'"):
        Change((Edit("f", "a", "c"),)).make(tmp_path)
    assert (tmp_path / "f").read_text() == text


def test_a_change_moves_and_deletes_before_it_edits_and_creates(tmp_path: Path) -> None:
    for name in ("old.txt", "gone.txt"):
        (tmp_path / name).write_bytes(b"a\r\n")
    change = Change((Edit("new/name.txt", "a", "b"),), {"old.txt": "new/name.txt"}, ("gone.txt",), {"made/f": "x"})
    change.make(tmp_path)
    assert {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == {
        "new/name.txt": b"b\r\n", "made/f": b"x",
    }  # fmt: skip
    assert change.paths == {"old.txt", "new/name.txt", "gone.txt", "made/f"}
    with pytest.raises(CaseError, match=r"old\.txt: there is no such file in the release"):
        change.make(tmp_path)


@pytest.mark.parametrize(
    ("registry", "requirement", "version"),
    [
        ("pypi", "iniconfig==2.3.1", "2.3.1"),
        ("npm", "fastq@1.17.1", "1.17.1"),
        ("npm", "@scope/name@2.0.0-rc.1", "2.0.0-rc.1"),
        ("deb", "node-express=4.18.2+~4.17.14-1", "4.18.2+-4.17.14"),
        ("deb", "a=1:2.0-3-1", "2.0-3"),
    ],
)
def test_the_tag_is_upstreams_version(registry: str, requirement: str, version: str) -> None:
    assert version_of(Repository("r", registry, requirement, (), {}, ())) == version


def test_apt_is_asked_for_the_sources_of_the_systems_own_archives(tmp_path: Path) -> None:
    folder, parts = tmp_path / "apt" / "sources.list.d", tmp_path / "parts"
    folder.mkdir(parents=True)
    parts.mkdir()
    (tmp_path / "apt" / "sources.list").write_text("# deb http://old x\ndeb [trusted=yes] http://a.example d main\n")
    (folder / "b.list").write_text("deb http://b.example d main\ndeb-src http://b.example d main\n")
    (folder / "c.sources").write_text("Types: deb\nURIs: http://c.example\nSuites: d\n")
    _source_lists(tmp_path / "apt", parts)
    assert (parts / "binary-as-source.list").read_text() == (
        "deb-src [trusted=yes] http://a.example d main\ndeb-src http://b.example d main\n"
    )
    assert (parts / "c.sources").read_text() == "Types: deb-src\nURIs: http://c.example\nSuites: d\n"


def test_an_archive_is_asked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(write_release(tmp_path / "index")))
    registries = Registries(tmp_path / "cache")
    repository = Repository("demo", "pypi", "tinydemo==1.0", (), {"tests": "true"}, ())
    asyncio.run(registries.unpack(repository, tmp_path / "one"))
    (tmp_path / "index" / "tinydemo-1.0.tar.gz").unlink()
    asyncio.run(registries.unpack(repository, tmp_path / "two"))
    assert (tmp_path / "two" / "back.py").read_text() == BACKEND


def test_a_clone_is_set_up_once_and_again_when_its_case_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(write_release(tmp_path / "index")))
    registries, setups = Registries(tmp_path / "cache"), tmp_path / "setups"

    def prepare(adapt: Change) -> Clone:
        setup = (f"echo once >> {setups}",)
        clone = Clone(Repository("demo", "pypi", "tinydemo==1.0", setup, {"t": "true"}, (), adapt), tmp_path / "demo")
        asyncio.run(clone.prepare(registries))
        return clone

    clone = prepare(Change())
    (clone.root / "back.py").write_text("changed")
    (clone.root / "more.txt").write_text("left behind")
    prepare(Change())
    assert setups.read_text() == "once\n"
    assert (clone.root / "back.py").read_text() == BACKEND
    assert not (clone.root / "more.txt").exists()
    assert asyncio.run(clone.git("tag")).split() == ["v1.0"]
    assert asyncio.run(clone.git("rev-parse", "origin/HEAD", "main")).split()[0]
    prepare(Change(delete=("back.py",)))
    assert setups.read_text() == "once\nonce\n"
    assert not (clone.root / "back.py").exists()


def test_commands_run_in_the_repositorys_environment_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("PATH", f"{Path(sys.prefix) / 'bin'}:/usr/bin")
    for folder in (".venv/bin", "node_modules/.bin", "tools"):
        (tmp_path / folder).mkdir(parents=True)

    def env(path: tuple[str, ...] | None) -> dict[str, str]:
        return Clone(Repository("demo", "pypi", "demo==1", (), {}, (), path=path), tmp_path).env()

    usual, named = env(None), env(("tools", "absent"))
    assert not {"ANTHROPIC_API_KEY", "PYTHONPATH"} & set(usual)
    assert (usual["VIRTUAL_ENV"], "VIRTUAL_ENV" in named) == (str(tmp_path / ".venv"), False)
    assert usual["PATH"] == f"{tmp_path / '.venv/bin'}:{tmp_path / 'node_modules/.bin'}:/usr/bin"
    assert named["PATH"] == f"{tmp_path / 'tools'}:/usr/bin"


# ENV-9
def test_results_of_different_sets_and_modes_are_kept_under_different_names() -> None:
    names = {
        keeping.name_of("repos", "py", "laptop", content=b"one"),
        keeping.name_of("repos", "py", "workflow", content=b"one"),
        keeping.name_of("repos", "js", "laptop", content=b"one"),
        keeping.name_of("repos", "py", "laptop", content=b"another set in a folder of the same name"),
    }
    assert len(names) == 4
    assert keeping.name_of("repos", "My Cases/..", "laptop", content=b"") == "repos-my-cases-laptop-e3b0c442"
