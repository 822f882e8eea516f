"""A repository's problem matchers read what its checks print here, and a stored result is that of its matchers."""

import asyncio
import json
from dataclasses import replace

from healing.checks.check import command_check
from healing.logs.matchers import read_matchers
from tests.pipeline.bench import Bench

PATTERN = {"regexp": r"^(\S+) <(\d+)> (.*)$", "file": 1, "line": 2, "message": 3}
FILE = json.dumps({"problemMatcher": [{"owner": "house", "pattern": [PATTERN]}]})
SAID = "echo 'a.zz <3> not how we write'; exit 1"


# EX-7
def test_the_same_check_is_read_again_where_the_matchers_are_others(bench: Bench) -> None:
    (tree,) = bench.trees({"a.zz": "x\n"})
    plain = bench.checker(tree)
    matched = replace(plain, matchers=read_matchers(FILE.encode()))
    check = command_check(SAID)

    async def run() -> list[list[tuple[str, str | None, int | None]]]:
        results = [await checker.run(check, tree) for checker in (plain, matched, plain)]
        return [[(e.tool, e.file, e.line) for e in result.errors if e.tool == "house"] for result in results]

    assert asyncio.run(run()) == [[], [("house", "a.zz", 3)], []]


# EX-7
def test_a_check_adds_matchers_itself_from_the_tree_that_it_runs_on(bench: Bench) -> None:
    (tree,) = bench.trees({"a.zz": "x\n", "house.json": FILE})
    added = command_check(f"echo ::add-matcher::house.json; echo ::add-matcher::../../etc/passwd; {SAID}")
    result = asyncio.run(bench.checker(tree).run(added, tree))
    assert ("house", "a.zz", 3) in [(e.tool, e.file, e.line) for e in result.errors]
