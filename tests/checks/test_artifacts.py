"""What an earlier job uploads is made anew from the tree, before the steps of the job that downloads it."""

import asyncio

from healing.checks.check import Check
from healing.checks.finding import find_checks
from healing.failed_jobs import FailedJob
from healing.view import DictView
from tests.pipeline.bench import Bench

CI = """\
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: mkdir -p out && sed s/1/2/ source.txt > out/made.txt
      - run: pytest -q
      - uses: actions/upload-artifact@v4
        with: {name: things, path: out/*.txt}
      - run: rm -r out
  test:
    needs: [build]
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/download-artifact@v4
        with: {name: NAME, path: dist}
      - name: Look
        run: grep 2 dist/made.txt && python -m unittest -q
"""
FILES = {
    "source.txt": "1\n",
    "test_it.py": "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): pass\n",
}


def check(view: DictView) -> Check:
    found = find_checks((FailedJob("test", ".github/workflows/ci.yml", log=b"x"),), view)
    return found.failing[0]


# CK-1, ENV-2
def test_the_commands_of_the_job_that_uploads_are_run_in_the_tree_that_is_judged(bench: Bench) -> None:
    (tree,) = bench.trees({**FILES, ".github/workflows/ci.yml": CI.replace("NAME", "things")})
    look = check(bench.git.view(tree))  # type: ignore[arg-type]
    assert [script.name for script in look.setup] == [
        "Run mkdir -p out && sed s/1/2/ source.txt > out/made.txt",
        "Take out",
    ]
    result = asyncio.run(bench.checker(tree).run(look, tree))
    assert result.green, result.problem or result.output


# CK-1
def test_an_artifact_that_no_needed_job_makes_is_named() -> None:
    view = DictView({".github/workflows/ci.yml": CI.replace("NAME", "others").encode()})
    found = find_checks((FailedJob("test", ".github/workflows/ci.yml", log=b"x"),), view)
    assert "the files of an earlier job (others) are not there" in found.not_looked[0].why


# CK-1
def test_jobs_that_need_one_another_come_to_an_end() -> None:
    text = CI.replace("NAME", "things").replace("  build:\n", "  build:\n    needs: test\n")
    assert check(DictView({".github/workflows/ci.yml": text.encode()})).setup
