"""A module that is needed and not declared where it is installed from: declared by a name that the repo itself says."""

import tomllib

import pytest

from healing.model import Category
from tests.pipeline.bench import Bench, red_job
from tests.repair.fixers.repos import Broken

WORKFLOW = """\
on: [pull_request]
jobs:
  checks:
    steps:
      - uses: actions/checkout@v4
      - {name: Install, run: "python install.py"}
      - {name: Check, run: "PYTHONPATH=site python -m pytest -q"}
"""
# What pip does, for distributions of one function each.
INSTALL = """\
import pathlib

for line in open("requirements.txt"):
    place = pathlib.Path("site", line.partition("=")[0].strip() + ".py")
    place.parent.mkdir(exist_ok=True)
    place.write_text("def loud(text):\\n    return text.upper()\\n")
"""
BASE = {
    ".gitignore": "site\n",
    "install.py": INSTALL,
    "requirements.txt": "other==1.0\n",
    "requirements-docs.txt": "louder==2.1  # for the examples\n",
    "app.py": "def shout(text):\n    return text.upper()\n",
    "test_app.py": 'from app import shout\n\n\ndef test_shout():\n    assert shout("a") == "A"\n',
}
CHANGE = {"app.py": "import louder\n\n\ndef shout(text):\n    return louder.loud(text)\n"}


# AF-3
async def test_what_is_imported_and_not_declared_is_declared_and_the_check_passes(bench: Bench) -> None:
    jobs = (red_job("checks", ("Install", "success"), ("Check", "failure")),)
    outcome = await bench.heal(BASE, CHANGE, workflow=WORKFLOW, jobs=jobs, on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    (proposal,) = outcome.proposals
    assert proposal.source == "fixer:missing_dependency"
    assert [(e.file, e.new_string) for e in proposal.edits] == [("requirements.txt", "other==1.0\nlouder==2.1\n")]


def declared(module: str, files: dict[str, str], importer: str = "app.py") -> list[dict[str, str]]:
    """The changes that are proposed, the likeliest first."""
    broken = Broken({importer: f"import {module}\n", **files})
    broken.said(f"ModuleNotFoundError: No module named '{module}'", (importer, 1), category=Category.IMPORT)
    return [broken.after(c) for c in broken.candidates() if c.source == "fixer:missing_dependency"]


PROJECT = '[build-system]\nrequires = []\n[project]\nname = "a"\nclassifiers = [\n]\ndependencies = {}\n'
EXTRA = '[project.optional-dependencies]\nx = ["PyYAML>=6"]\n'


# AF-3
@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("[]", ["PyYAML>=6"]),
        ('["one", "two"]', ["PyYAML>=6", "one", "two"]),
        ('[\n    "one",\n    "two",\n]', ["PyYAML>=6", "one", "two"]),
    ],
)
def test_a_project_gets_what_its_own_extra_names(now: str, then: list[str]) -> None:
    (change,) = declared("yaml", {"pyproject.toml": PROJECT.format(now) + EXTRA})
    assert tomllib.loads(change["pyproject.toml"])["project"]["dependencies"] == then


# AF-3
def test_a_test_gets_it_among_the_requirements_for_tests() -> None:
    files = {"requirements.txt": "a\n", "requirements-test.txt": "b", "poetry.lock": 'name = "pillow"\n'}
    first, *_ = declared("PIL", files, importer="tests/test_app.py")
    assert first == {"requirements-test.txt": "b\npillow\n"}
    first, *_ = declared("PIL", files)
    assert first == {"requirements.txt": "a\npillow\n"}


# AF-3
@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("unheard_of", {"requirements.txt": "a\n"}),  # a guessed name may be a stranger's package
        ("yaml", {"pyproject.toml": PROJECT.format('["PyYAML"]') + EXTRA}),  # it is there already
        ("yaml", {"pyproject.toml": "[project\n" + EXTRA}),
        ("json", {"requirements.txt": "a\n", "requirements-dev.txt": "json\n"}),
    ],
)
def test_what_nobody_named_is_not_declared(module: str, files: dict[str, str]) -> None:
    assert declared(module, files) == []
