"""What pytest itself says of a folder of files: the verdict on a cure, made outside of everything that Heal computes.

Only the sandbox is Heal's: code that was broken on purpose runs here too.
"""

import json
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.heal.cases import Case
from healing.environment.toolchain import Toolchain
from healing.files.removal import remove_tree
from healing.graph import is_test
from healing.process.owner import hand_over
from healing.sandbox.job import Job, Limits, Sandbox

OUTCOMES = ".outcomes.json"
SECONDS = 180
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Seen:
    """Test id → how it ended. A file's name stands for one that could not be collected."""

    ended: Mapping[str, str]

    @property
    def red(self) -> frozenset[str]:
        """Tests and files that failed."""
        return frozenset(test for test, how in self.ended.items() if how == "failed")

    def green(self, named: str) -> bool:
        """Whether this test, or every test of this file, passes."""
        mine = {how for test, how in self.ended.items() if test == named or test.startswith(f"{named}::")}
        return "passed" in mine and "failed" not in mine

    def collected(self, file: str) -> bool:
        """Whether this file's tests run, and some of them pass."""
        mine = [how for test, how in self.ended.items() if test.startswith(f"{file}::")]
        return file not in self.red and "passed" in mine


def environment(root: str, packages: Path) -> dict[str, str]:
    """What tests of a source distribution see: its own code first, then what it requires."""
    return {
        "PYTHONPATH": f"{root}/src:{root}:{packages}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "COLUMNS": "100",
        "CI": "true",
    }


@dataclass
class Judge:
    """`plugin` is a folder that the sandboxed user can read, with outcomes.py in it."""

    folder: Path
    plugin: Path
    sandbox: Sandbox
    toolchain: Toolchain

    async def look(self, case: Case, files: Files, packages: Path) -> Seen:
        """Runs the case's command on these files."""
        root = Path(tempfile.mkdtemp(prefix="judged-", dir=self.folder))
        try:
            self._write(root, files)
            inside = self.sandbox.inside(root)
            env = {**self.toolchain.env, **environment(inside, packages)}
            env["PYTHONPATH"] += f":{self.plugin}"
            env["HEAL_BENCHMARK_OUTCOMES"] = f"{inside}/{OUTCOMES}"
            argv = (*shlex.split(case.command), "-p", "outcomes", "--timeout=20")
            readable = (*self.toolchain.readable, packages, self.plugin)
            await self.sandbox.run(Job(argv, root, env=env, readable=readable, limits=Limits(seconds=SECONDS)))
            return _read(root / OUTCOMES)
        finally:
            remove_tree(root)

    def _write(self, root: Path, files: Files) -> None:
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        for made in (root, *root.rglob("*")):
            hand_over(made, self.sandbox.owner)


def _read(place: Path) -> Seen:
    try:
        return Seen(json.loads(place.read_text()))
    except (OSError, ValueError):
        return Seen({})  # it did not end: nothing is green


def verdict(case: Case, changed: frozenset[str], whole: Seen, broken: Seen, healed: Seen) -> tuple[str, str]:
    """(`healed`, `partly` or `wrong`, why) of files with all that Heal offered in them. `whole` is what the released
    package shows here, `broken` what the case does."""
    if tests := sorted(path for path in changed if is_test(path)):
        return "wrong", f"a test was changed: {tests[0]}"
    if worse := sorted(healed.red - broken.red - whole.red - _revealed(broken, healed)):
        return "wrong", f"{worse[0]} is red and was not"
    known = named(case, whole)
    red = [test for test in known if not healed.green(test)]
    if len(red) == len(known) and not any(healed.collected(test) for test in red):
        return "wrong", "no test that was named is green"
    if red or healed.red - whole.red:
        return "partly", f"{len(red)} of {len(known)} tests are still red"
    return "healed", ""


def named(case: Case, whole: Seen) -> list[str]:
    """The tests that the case names, as far as the pytest that is here calls them so too."""
    return [test for test in case.failing if whole.green(test)]


def _revealed(broken: Seen, healed: Seen) -> frozenset[str]:
    """Red tests that could not run before, so that the change did not break them. As in the proof
    (healing/verify/judging.py): where a file can't be collected, its own tests don't run, and pytest runs no other test
    either, unless it is told to go on. Where pytest did not even start to collect, everything was hidden."""
    if not broken.ended:
        return healed.red
    files = {named for named in broken.red if "::" not in named}
    no_test_ran = bool(files) and not any("::" in test for test in broken.ended)
    tests = {test for test in healed.red if "::" in test}
    return frozenset(test for test in tests if no_test_ran or test.partition("::")[0] in files)
