"""The suite's own look at a tree: every CI command of the project, run without any of Heal's readers or verdicts.

Only the sandbox is Heal's: code that was broken on purpose runs here too.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from healing.environment.toolchain import Toolchain
from healing.process.owner import hand_over
from healing.sandbox.job import Job, Limits, Sandbox
from tests.realworld.language import Seen
from tests.realworld.projects import Project


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
            await self._set_up(project, root)
            for name, command in project.commands().items():
                step = project.language.steps[name]
                code, output = await self.run(root, f"{command}{step.report}", project.env)
                if code != 0:
                    seen.red.add(name)
                seen.said[name] = output
                step.reader(seen, output, root)
            return seen
        finally:
            shutil.rmtree(root)

    async def _set_up(self, project: Project, root: Path) -> None:
        if project.setup:
            code, output = await self.run(root, project.setup(), project.env)
            assert code == 0, output

    async def mend(self, project: Project, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files as the project's tools write them."""
        root = self._checkout(files)
        try:
            await self._set_up(project, root)
            code, output = await self.run(root, project.mend, project.env)
            assert code == 0, output
            return {path: (root / path).read_bytes() for path in files}
        finally:
            shutil.rmtree(root)

    async def run(self, root: Path, command: str, env: Mapping[str, str]) -> tuple[int | None, str]:
        """Exit code (None: killed) and output of one command."""
        argv = ("bash", "--noprofile", "--norc", "-e", "-c", command)
        job = Job(
            argv, root, env={**self.toolchain.env, **env}, readable=self.toolchain.readable, limits=Limits(seconds=120)
        )
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
