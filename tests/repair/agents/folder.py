"""A worktree that is a real folder, and a door that judges by running the real ruff on a clean copy of the base."""

import asyncio
import hashlib
import os
import sys
import tempfile
from pathlib import Path

from healing.edits.exact import Changes, EditError, apply_edits, widen
from healing.model import (
    Candidate,
    Category,
    CIError,
    Cluster,
    Evidence,
    Proposal,
    RootCause,
    content_id,
)
from healing.repair.agents.profiles import load_profile
from healing.repair.agents.task import AgentTask
from healing.repair.agents.workspace import PathNotAllowed
from healing.verify.verdict import Verdict, Withdrawal

RUFF = Path(sys.executable).with_name("ruff")


class FolderWorkspace:
    """Reads and writes below one folder, through no link."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.checks = 0
        self.taken: Changes = {}  # files of the base that accepted fixes have changed, as they are with these
        self._before: Changes = {}

    def _place(self, path: str) -> Path | None:
        """The real place; None where a part of the way is a link."""
        place = self.root
        for part in path.split("/"):
            place = place / part
            if place.is_symlink():
                return None
        return place

    async def read(self, path: str) -> bytes | None:
        place = self._place(path)
        return place.read_bytes() if place and place.is_file() else None

    async def write(self, changes: Changes) -> None:
        places = {path: self._place(path) for path in changes}
        for path, place in places.items():
            if place is None:
                raise PathNotAllowed(f"{path}: a link is on the way; edit the real file")
        for path, data in changes.items():
            place = places[path]
            assert place
            if data is None:
                place.unlink(missing_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)

    async def paths(self) -> tuple[str, ...]:
        found = []
        for folder, _, names in os.walk(self.root):
            found += [(Path(folder) / n).relative_to(self.root) for n in names if not (Path(folder) / n).is_symlink()]
        return tuple(sorted(path.as_posix() for path in found))

    async def tree(self) -> str:
        digest = hashlib.sha1()
        for path in await self.paths():
            digest.update(path.encode() + b"\0" + (await self.read(path) or b""))
        return digest.hexdigest()

    async def renew(self) -> None:
        """Nothing of others is accepted into this folder."""

    async def take(self, proposal: Proposal) -> bool:
        before = {edit.file: await self.read(edit.file) for edit in proposal.edits}
        try:
            after = apply_edits(proposal.edits, before.get)
        except EditError:
            return False
        await self.write(after)
        self.taken |= after
        self._before = {**before, **self._before}
        return True

    async def restart(self) -> None:
        await self.write(self._before)
        self.taken, self._before = {}, {}

    async def run_check(self, error_ids: tuple[str, ...]) -> str:
        self.checks += 1
        code, output = await lint(self.root)
        return f"exit code {code}\n{output}"

    async def run_step(self, label: str) -> str:
        code, output = await lint(self.root)
        return f"$ {label}\nexit code {code}\n{output}"

    async def run_command(self, argv: tuple[str, ...], folder: str) -> str:
        return f"$ {' '.join(argv)} (in {folder})\nexit code 0"


async def lint(root: Path) -> tuple[int, str]:
    """What the real ruff says about a folder."""
    process = await asyncio.create_subprocess_exec(
        str(RUFF), "check", "--no-cache", "--isolated", "--select=F", "--output-format=concise", ".",
        cwd=root, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode()


class LintVerifier:
    """Accepts a candidate whose errors' lines ruff no longer names, and that touches no test and silences nothing."""

    def __init__(
        self, base: dict[str, bytes], errors: tuple[CIError, ...], workspace: FolderWorkspace | None = None
    ) -> None:
        """`workspace` is where the agent works, whose base holds what was accepted; None: it stays as it was."""
        self.untouched, self.workspace = base, workspace
        self.errors = {error.id: error for error in errors}
        self.submitted: list[Candidate] = []
        self.withdrawn: list[tuple[str, str]] = []  # ids, and why
        self.gone: set[str] = set()  # errors that others' fixes have cured

    @property
    def base(self) -> Changes:
        """What candidates are made against."""
        return {**self.untouched, **(self.workspace.taken if self.workspace else {})}

    async def prove(self, candidate: Candidate) -> Verdict:
        return await self._judged(candidate)

    async def submit(self, candidate: Candidate) -> Verdict:
        self.submitted.append(candidate)
        verdict = await self._judged(candidate)
        return verdict.model_copy(update={"merged": verdict.accepted and self.workspace is not None})

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        """Takes it back: what depends on it is nobody's matter here."""
        self.withdrawn.append((fix_id, why))
        return Withdrawal(done=True)

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(i for i in ids if i in self.gone)

    async def _judged(self, candidate: Candidate) -> Verdict:
        try:
            changes = apply_edits(candidate.edits, self.base.get)
            wide = widen(candidate.edits, self.base.get)
        except EditError as error:
            return Verdict(accepted=False, message=str(error))
        if any(file.startswith("tests/") or b"noqa" in (data or b"") for file, data in changes.items()):
            return Verdict(accepted=False, message="the guard refuses edits to tests and silenced rules")
        output = await self._lint(changes)
        symbols = [self.errors[i].message.split("`")[1] for i in candidate.error_ids]
        left = [symbol for symbol in symbols if f"`{symbol}`" in output]
        if left:
            return Verdict(accepted=False, message=f"still red after the edits: {left}\n{output}")
        return Verdict(accepted=True, proposal=self._proposal(candidate, wide.wide, wide.reverse, output))

    async def _lint(self, changes: Changes) -> str:
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder), {f: d for f, d in {**self.base, **changes}.items() if d is not None})
            return (await lint(Path(folder)))[1]

    def _proposal(self, candidate: Candidate, wide: tuple, reverse: tuple, output: str) -> Proposal:  # type: ignore[type-arg]
        evidence = Evidence(
            command="ruff check", before_tree="0" * 40, after_tree="1" * 40, before_exit=1, after_exit=0,
            before_output="", after_output=output,
        )  # fmt: skip
        return Proposal(
            id="P" + content_id(candidate.model_dump(), length=12),
            wide=wide,
            reverse=reverse,
            evidence=(evidence,),
            base_tree="0" * 40,
            **candidate.model_dump(exclude={"edits", "strict"}),
            edits=candidate.edits,
        )


def fill(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def undefined(name: str, file: str, line: int) -> CIError:
    """Ruff's F821 as the log would give it."""
    return CIError(
        id=f"E{name}",
        tool="ruff",
        code="F821",
        category=Category.LINT,
        file=file,
        line=line,
        message=f"Undefined name `{name}`",
    )


def cluster_of(errors: tuple[CIError, ...], phase: str = "fast") -> Cluster:
    causes = tuple(
        RootCause(
            fingerprint=error.id,
            shape="undefined",
            category=error.category,
            message=error.message,
            error_ids=(error.id,),
        )
        for error in errors
    )
    files = tuple(sorted({error.file for error in errors if error.file}))
    return Cluster(id="C1", causes=causes, error_ids=tuple(e.id for e in errors), zone=files, phase=phase)  # type: ignore[arg-type]


def task_of(errors: tuple[CIError, ...], **more: object) -> AgentTask:
    values = {"cluster": cluster_of(errors), "errors": errors, "profile": load_profile("generalist"), **more}
    return AgentTask.model_validate(values)
