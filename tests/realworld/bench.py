"""The suite's own look at a tree: every CI command of the project, run without any of Heal's readers or verdicts.

Only the sandbox is Heal's: code that was broken on purpose runs here too.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.owner import hand_over
from healing.toolchain import Toolchain
from tests.realworld.projects import Project

JUNIT = ".junit.xml"
MYPY = re.compile(r"^(?P<file>[^\s:]+):\d+(?::\d+)?: error: .*?(?:\[(?P<code>[a-z0-9-]+)\])?$", re.M)
BLACK = re.compile(r"^(?:would reformat|error: cannot format) (?P<file>[^\s:]+)", re.M)


@dataclass
class Seen:
    """What all commands said of one tree. `red` are the steps that failed; `failed` the tests that failed or broke;
    `findings` counts what the other tools found, by (step, file, code)."""

    red: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    findings: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    said: dict[str, str] = field(default_factory=dict)

    @property
    def green(self) -> bool:
        return not self.red


@dataclass
class Bench:
    """Checks files out into a fresh folder and runs the project's commands there."""

    folder: Path
    sandbox: Sandbox
    toolchain: Toolchain
    _seen: dict[str, Seen] = field(default_factory=dict)

    async def look(self, project: Project, files: Mapping[str, bytes]) -> Seen:
        """Runs every command, also after one failed; the same files are looked at once."""
        name = hashlib.sha256(repr((project.name, sorted(files.items()))).encode()).hexdigest()
        if name not in self._seen:
            self._seen[name] = await self._look(project, files)
        return self._seen[name]

    async def _look(self, project: Project, files: Mapping[str, bytes]) -> Seen:
        root = self._checkout(files)
        try:
            seen = Seen()
            for step, command in project.commands().items():
                code, output = await self.run(root, _with_report(step, command), project.pythonpath)
                if code != 0:
                    seen.red.add(step)
                seen.said[step] = output
                _READERS[step](seen, output, root)
            return seen
        finally:
            shutil.rmtree(root)

    async def format(self, project: Project, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files as black writes them."""
        root = self._checkout(files)
        try:
            code, output = await self.run(root, f"black --quiet {' '.join(project.formatted)}", project.pythonpath)
            assert code == 0, output
            return {path: (root / path).read_bytes() for path in files}
        finally:
            shutil.rmtree(root)

    async def run(self, root: Path, command: str, pythonpath: str) -> tuple[int | None, str]:
        """Exit code (None: killed) and output of one command."""
        env = {**self.toolchain.env, "PYTHONPATH": pythonpath}
        argv = ("bash", "--noprofile", "--norc", "-e", "-c", command)
        job = Job(argv, root, env=env, readable=self.toolchain.readable, limits=Limits(seconds=120))
        done = await self.sandbox.run(job)
        output = done.output.decode("utf-8", "replace")
        for shown in (str(root), self.sandbox.inside(root)):
            output = output.replace(f"{shown}/", "")
        return done.exit_code, output

    def _checkout(self, files: Mapping[str, bytes]) -> Path:
        root = Path(tempfile.mkdtemp(prefix="bench-", dir=self.folder))
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        for made in (root, *root.rglob("*")):
            hand_over(made, self.sandbox.owner)
        return root


def _with_report(step: str, command: str) -> str:
    if step == "Ruff":
        return f"{command} --output-format=json"
    return f"{command} --junitxml={JUNIT}" if step == "Pytest" else command


def _ruff(seen: Seen, output: str, root: Path) -> None:
    try:
        found = json.loads(output[output.index("[") : output.rindex("]") + 1])
    except ValueError:
        return
    for item in found:
        name = re.sub(r"^.*/bench-[^/]+/", "", item["filename"])
        seen.findings["Ruff", name, str(item["code"])] += 1


def _black(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Black", match["file"], "") for match in BLACK.finditer(output))


def _mypy(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Mypy", match["file"], match["code"] or "") for match in MYPY.finditer(output))


def _pytest(seen: Seen, output: str, root: Path) -> None:
    report = root / JUNIT
    if not report.exists():
        return
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = case.find("failure") is not None or case.find("error") is not None
        (seen.failed if bad else seen.passed).add(name)
    seen.passed -= seen.failed


_READERS = {"Ruff": _ruff, "Black": _black, "Mypy": _mypy, "Pytest": _pytest}
