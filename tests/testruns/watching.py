"""Runs small projects before and after a change, as a proof does, and gives what was reported."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from healing.checks.check import CheckResult, command_check
from healing.verify.judging import judge
from tests.pipeline.bench import Bench, Files


@dataclass
class Watched:
    """A bench; `modules` is where npm's packages lie."""

    bench: Bench
    modules: Path = Path("/nowhere")

    def run(self, files: Files, command: str, sample: int = 0) -> CheckResult:
        """One run of a command on these files."""
        (tree,) = self.bench.trees(files)
        check = command_check(command.replace("MODULES", str(self.modules)))
        return asyncio.run(self.bench.checker(tree).run(check, tree, sample))

    def judged(self, files: Files, change: Files, command: str) -> tuple[CheckResult, str]:
        """The result after a change, and what the judge says against it; empty where all errors are gone."""
        before, after = self.run(files, command), self.run({**files, **change}, command)
        assert not before.green, before.output
        judgement = judge({"k": before}, {"k": after}, before.errors)
        return after, judgement.text()


def counted(result: CheckResult) -> tuple[int, int, int, int]:
    """How many tests, without files, have each outcome: passed, failed, skipped, not run."""
    report = result.tests
    assert report is not None, result.output
    groups = (report.passed, report.failed, report.skipped, report.unrun)
    passed, failed, skipped, unrun = (sum(not one.startswith("~") for one in group) for group in groups)
    return passed, failed, skipped, unrun
