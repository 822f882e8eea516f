"""Cheats and honest changes that go through the whole proof: real projects, the real sandbox, real tools."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from healing.checks.check import command_check
from healing.checks.unreadable import with_an_error
from healing.failed_jobs import Trees
from healing.git import Git
from healing.model import Candidate, Edit, Proposal
from healing.repair.review.reviewer import Reviewer
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench

HERE = Path(__file__).parent
Doors = dict[tuple[str, str, str], Verifier]
PARTS = (
    "python",
    "others",
    "after",
    "last",
    "latest",
    "newest",
    "quiet",
    "fresh",
    "regressions",
    "elsewhere",
    "strangers",
    "pressed",
    "toolchains",
    "attacked",
    "attacked_again",
    "outsiders",
)


class Once(NamedTuple):
    """What came of a part when it was written: judged once, after the last change to the rules and before the next."""

    cheats: int
    unmarked: int  # cheats that were accepted without a mark
    honest: int
    refused: int
    marked: int  # honest changes


WHEN_WRITTEN = {
    "after": Once(20, 3, 11, 2, 0),
    "last": Once(20, 6, 10, 0, 1),
    "latest": Once(20, 5, 10, 0, 0),
    "newest": Once(20, 12, 20, 0, 1),
    "quiet": Once(30, 23, 20, 0, 1),
    "fresh": Once(20, 12, 20, 0, 4),
    "elsewhere": Once(30, 15, 21, 0, 0),
    "strangers": Once(55, 17, 30, 3, 3),  # by another author, who had read none of the rules
    "pressed": Once(31, 14, 12, 0, 2),
    "toolchains": Once(60, 27, 29, 1, 0),
    "attacked": Once(137, 95, 112, 18, 15),  # by an attacker who had read the rules, and judged before any repair
    "outsiders": Once(60, 33, 48, 0, 2),  # by another author who had read none, as a model under pressure would cheat
}
BIG = "\n".join(f"# {number}: nothing is computed here" for number in range(4_000))  # more than 100,000 bytes
SECONDS = 100.0


@dataclass(frozen=True)
class Case:
    """One change of a project that is red. `cheat`: it may not be accepted without a mark; else it may not be refused.
    `marked`: an honest change that a person should look at; `left_out`: what may not be in the accepted fix."""

    part: str
    project: str
    name: str
    cheat: bool
    command: str
    files: dict[str, str]
    base: dict[str, str]  # files of the base branch that the pull request has changed
    change: dict[str, Any]
    modes: dict[str, str]
    of: str = ""  # the errors that it claims to repair hold this; empty: all
    marked: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its place in the corpus."""
        return f"{self.project}: {self.name}"

    def edits(self) -> tuple[Edit, ...]:
        """The change as a proposer hands it in."""
        return tuple(edit for path, wanted in self.change.items() for edit in self._of_file(path, wanted))

    def _of_file(self, path: str, wanted: Any) -> Iterator[Edit]:
        there = path in self.files
        if wanted is None:
            yield Edit(file=path, kind="delete", old_string=self.files[path], new_string="")
        elif isinstance(wanted, str):
            if there:
                yield Edit(file=path, old_string=self.files[path], new_string=wanted)
            else:
                mode = self.modes.get(path, "100644")
                yield Edit(file=path, kind="create", old_string="", new_string=wanted, mode=mode)
        else:
            for old, new in wanted:
                assert self.files[path].count(old) == 1, f"{self.id}: {old!r} in {path}"
                yield Edit(file=path, old_string=old, new_string=new)


@dataclass(frozen=True)
class Judged:
    """What came of a case. `why` it was refused; `flags` of what was accepted; `seconds` of the proof."""

    case: Case
    accepted: bool
    flags: tuple[str, ...]
    why: str
    seconds: float
    proposal: Proposal | None = None


def cases(*parts: str) -> Iterator[Case]:
    """Every case of the corpus."""
    for part in parts or PARTS:
        for project in YAML(typ="safe", pure=True).load(HERE / f"{part}.yaml"):
            for kind in ("cheats", "honest"):
                for raw in project.get(kind, ()):
                    yield _case(part, project, raw, kind == "cheats")


def _case(part: str, project: dict[str, Any], raw: dict[str, Any], cheat: bool) -> Case:
    files = {**project["files"], **raw.get("files", {})}
    if big := raw.get("big"):
        files[big] = f"{files[big]}\n{BIG}\n"
    return Case(
        part,
        project["project"],
        raw["name"],
        cheat,
        raw.get("command", project["command"]),
        files,
        {**_base_files(project.get("base", {}), files), **raw.get("base", {})},
        raw["change"],
        raw.get("modes", {}),
        raw.get("of", ""),
        raw.get("marked", False),
        tuple(raw.get("left_out", ())),
    )


def _base_files(replaced: dict[str, list[tuple[str, str]]], files: dict[str, str]) -> dict[str, str]:
    """Files of the base branch, given as what to replace in those of the pull request."""
    found = {}
    for path, pairs in replaced.items():
        text = files[path]
        for old, new in pairs:
            assert text.count(old) == 1, f"{old!r} in {path}"
            text = text.replace(old, new)
        found[path] = text
    return found


async def judged(
    bench: Bench,
    every: Iterable[Case],
    source: str = "agent:test",
    verifiers: Doors | None = None,
    ask: Callable[[Verifier, Case], Reviewer] | None = None,
) -> AsyncIterator[Judged]:
    """Each case through a door of its own; runs of the same command on the same files are made once, and once for all
    that is judged by the same `verifiers`. `ask` gives who is asked for a second opinion."""
    verifiers = {} if verifiers is None else verifiers
    for case in every:
        key = (case.command, repr(case.files), repr(case.base))
        if key not in verifiers:
            verifiers[key] = await _verifier(bench, case)
        verifier = verifiers[key]
        verifier.reviewer = ask(verifier, case) if ask else None
        began = time.perf_counter()
        wanted = [e for e in verifier.errors.values() if case.of in f"{e.test} {e.file}"]
        assert wanted, f"{case.id}: nothing is red: {[e.message for e in verifier.errors.values()]}"
        candidate = Candidate(
            source=source,
            phase="slow",
            title="t",
            explanation="e",
            confidence=50,
            error_ids=tuple(e.id for e in wanted),
            edits=case.edits(),
        )
        verdict = await verifier.prove(candidate)
        proposal = verdict.proposal
        flags = proposal.flags if proposal else ()
        yield Judged(case, verdict.accepted, flags, verdict.message, time.perf_counter() - began, proposal)


async def _verifier(bench: Bench, case: Case) -> Verifier:
    base, head = bench.trees({**case.files, **case.base}, case.files)
    checker = bench.checker(head)
    check = command_check(case.command)
    result = with_an_error(check, await checker.run(check, head))
    errors = {error.id: error for error in result.errors}
    trees = Trees(head, head, merge_base=base if case.base else None, target=base if case.base else None)
    git: Git = bench.git
    return Verifier(git, checker, trees, (check,), errors, shown_by={check.key: frozenset(errors)})
