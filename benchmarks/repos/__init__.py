"""Real repositories in their own environments, broken as people break them: what Heal makes of each breakage.

`python -m benchmarks repos --cases DIR [--mode laptop|workflow] [--only TEXT]`. `DIR/cases.json` names releases of
package registries; they are downloaded by pip, npm and apt as this machine is set up for them, set up as their
developers do, and green by hand before anything is broken. Heal is asked without a model. The judge is never Heal: it
is the same commands in the repository's activated environment, before Heal, after `heal apply all`, and the files'
bytes after `heal rollback all`. `--work DIR` keeps downloads, clones and environments for the next call.
`python -m benchmarks all` measures the folders that HEAL_REPOS names, with colons between.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import keeping
from benchmarks.repos.cases import Breakage, CaseError, breakages_of, read_cases
from benchmarks.repos.clone import Clone
from benchmarks.repos.judge import Judge, Played, Untouched
from benchmarks.repos.registries import Registries
from benchmarks.repos.tally import Tally
from benchmarks.repos.tool import Heal
from benchmarks.shape import Result

ALL = tuple(("--cases", folder) for folder in os.environ.get("HEAL_REPOS", "").split(":") if folder)
MINUTES = 180.0


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--cases", type=Path, required=True, metavar="DIR", help="a folder with cases.json")
    parser.add_argument(
        "--mode", choices=("laptop", "workflow"), default="laptop", help="where Heal has its checks from"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only what has this in a repository's or case's name"
    )
    parser.add_argument("--heal", metavar="PROGRAM", help="another `heal` than this one; its figures are not kept")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep downloads, clones and environments here")


async def measure(chosen: argparse.Namespace) -> Result:
    """Plays every case; progress and what could not be measured go to stderr."""
    try:
        repositories, problems = read_cases(chosen.cases)
    except CaseError as error:
        raise SystemExit(str(error)) from error
    heal = _program(chosen.heal)
    measured = Measured()
    for problem in problems:
        measured.problem(problem)
    with _folder(chosen.work) as work:
        registries = Registries(work / "downloads")
        judge = Judge(lambda clone, data: Heal(heal, clone, data, chosen.mode), chosen.mode)
        for repository, wanted in breakages_of(repositories, chosen.only):
            clone = Clone(repository, work / repository.name)
            await measured.repository(judge, clone, registries, wanted)
    return _result(chosen, measured)


@dataclass
class Measured:
    """What was measured until now, and what could not be."""

    played: list[Played] = field(default_factory=list)
    untouched: list[Untouched] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def problem(self, text: str) -> None:
        """Notes what could not be measured, and goes on."""
        self.problems.append(text)
        _report(text)

    async def repository(
        self, judge: Judge, clone: Clone, registries: Registries, wanted: tuple[Breakage, ...]
    ) -> None:
        """Sets one repository up and plays its breakages."""
        name = clone.repository.name
        try:
            await clone.prepare(registries)
            if red := await clone.red():
                checks = "; ".join(f"{check}: {printed}" for check, printed in red.items())
                raise CaseError(f"red by hand on the untouched commit: {checks}")
            untouched = await judge.untouched(clone)
        except (CaseError, OSError) as error:
            self.problem(f"{name}: not measured, {error}")
            return
        self.untouched.append(untouched)
        state = "false red" if untouched.false_red else "could not look" if untouched.could_not_look else "green"
        _report(f"{name}: untouched, {state}")
        for check, reported in untouched.reported.items():
            if reported.red is not False:
                _report(f"    {check or 'workflows'}: exit code {reported.exit_code}: {reported.printed[-400:]}")
        for breakage in wanted:
            try:
                played = await judge.play(clone, breakage, untouched)
            except (CaseError, OSError) as error:
                self.problem(f"{breakage.id}: not measured, {error}")
                continue
            self.played.append(played)
            notes = "; ".join(part for part in (played.note, played.why) if part)
            _report(f"{breakage.id}: {played.outcome}, {played.seconds:.0f} s" + (f": {notes}" if notes else ""))


def _result(chosen: argparse.Namespace, measured: Measured) -> Result:
    """The result; of a part, of another program, or with something that could not be measured it is not kept."""
    tally = Tally(chosen.mode, measured.played, measured.untouched)
    content = (chosen.cases / "cases.json").read_bytes()
    name = keeping.name_of("repos", chosen.cases.resolve().name, chosen.mode, content=content)
    whole = not measured.problems and not chosen.heal and not chosen.only
    summary = {**tally.counts(), **tally.shares(), "not_measured": len(measured.problems)}
    return Result(name, 0, tally.rows(), tally.goals(), summary=summary, partly=not whole or not measured.played)


def _program(named: str | None) -> str:
    """The program to measure: the one named, else that of this environment. Raises SystemExit where there is none."""
    own = Path(sys.prefix) / "bin" / "heal"
    found = shutil.which(named or str(own))
    if found is None:
        raise SystemExit(f"there is no program {named or own}: install Heal here, or name another by --heal")
    return str(Path(found).absolute())


@contextmanager
def _folder(work: Path | None) -> Iterator[Path]:
    if work is not None:
        work.mkdir(parents=True, exist_ok=True)
        yield work.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="heal-repos-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
