"""Agents at work without checks: the real pool, loop, worktrees and SDK against the stand-in, and a door that takes
every fix. Only what agents say and how long they take is looked at here."""

import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchmarks.cost import taken, text
from healing.failed_jobs import Trees
from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.llm.protocol import Model, Request, Turn
from healing.model import Candidate, Category, CIError, Cluster, RootCause, Spending
from healing.pipeline.agent_work.agent_pool import AT_ONCE, AgentPool
from healing.pipeline.agent_work.model_set import ModelSet
from healing.repair.agents.profiles import Profile, registry
from healing.steps import MemorySteps, Steps
from healing.verify.verdict import Verdict
from healing.verify.verifier import Verifier
from tests.model_standin import Reply, use
from tests.model_standin.replies import Block, Body, Hook
from tests.model_standin.rules import blocks_of
from tests.model_standin.server import Standin, serve
from tests.pipeline.bench import Bench

MODEL = "claude-sonnet-5-5"
SAID = 150  # tokens of thought beside each call, in the profile's own (see benchmarks/cost.py)
MODULES = (
    "argparse", "ast", "bdb", "calendar", "cmd", "codecs", "configparser", "contextlib", "copy", "csv", "dataclasses",
    "difflib", "doctest", "enum", "filecmp", "fileinput", "fnmatch", "fractions", "ftplib", "functools", "getpass",
    "gettext", "glob", "graphlib", "gzip", "heapq", "imaplib", "inspect", "ipaddress", "locale", "mailbox", "mimetypes",
)  # fmt: skip
TARGET = re.compile(r"^Now work on error (\S+?)\.$", re.M)


@dataclass(frozen=True)
class Kind:
    """A kind of error, as many clusters are made of."""

    tool: str
    code: str
    category: Category
    message: str


LINT = Kind("ruff", "F821", Category.LINT, "Undefined name `value`")


class OpenVerifier(Verifier):
    """Takes every fix and proves nothing; who made it goes on from what it was made on, with it."""

    async def _judged(self, candidate: Candidate, on: str | None, who: str | None, may_format: bool = True) -> Verdict:
        verdict = taken(candidate)
        assert verdict.proposal
        proposal = verdict.proposal.model_copy(update={"base_tree": on or self.integration})
        return verdict.model_copy(update={"proposal": proposal, "merged": who is not None})


@cache
def sources() -> dict[str, str]:
    """Real code to work on: the first 200 lines of modules of this Python's library."""
    library = Path(sys.base_prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return {f"{name}.py": "".join(_lines(library, name)[:200]) for name in MODULES}


def _lines(library: Path, name: str) -> list[str]:
    place = library / f"{name}.py"
    return place.read_text("utf-8", "replace").splitlines(keepends=True)


def places_in(source: str, count: int) -> list[tuple[int, str]]:
    """Lines that occur once, from a third of it on: what errors name and their cures change."""
    lines = source.splitlines()
    once = [
        (number + 1, line)
        for number, line in enumerate(lines)
        if number >= len(lines) // 3 and line.strip() and source.count(line) == 1
    ]
    return once[: count * 5 : 5]


def clusters_of(kinds: Sequence[Kind], causes: int, errors_each: int = 1) -> tuple[list[Cluster], tuple[CIError, ...]]:
    """A cluster for each kind: so many root causes of so many errors each, two causes in a file, as a cluster is one
    because its files belong together."""
    files, clusters, every = iter(sources().items()), [], []
    for number, kind in enumerate(kinds):
        found = []
        for first in range(0, causes, 2):
            file, source = next(files)
            for place, (line, _) in enumerate(places_in(source, min(2, causes - first))):
                name = f"E{number:02}{first + place}"
                error = CIError(id=name, tool=kind.tool, code=kind.code, category=kind.category, file=file, line=line,
                                message=kind.message)  # fmt: skip
                found.append(tuple(error.model_copy(update={"id": f"{name}{i}"}) for i in range(errors_each)))
        clusters.append(cluster_of(f"C{number}", found))
        every += [error for errors in found for error in errors]
    return clusters, tuple(every)


def cluster_of(name: str, causes: Sequence[Sequence[CIError]]) -> Cluster:
    """One cluster of causes, each given by its errors."""
    made = tuple(
        RootCause(
            fingerprint=errors[0].id, shape="s", category=errors[0].category, message=errors[0].message,
            error_ids=tuple(e.id for e in errors),
        )
        for errors in causes
    )  # fmt: skip
    every = [error for errors in causes for error in errors]
    zone = tuple(dict.fromkeys(e.file for e in every if e.file))
    return Cluster(id=name, causes=made, error_ids=tuple(e.id for e in every), zone=zone, phase="fast")


@dataclass
class Worker:
    """A brain that goes a person's way on each cause: look at the file from its head, unless that is in front of it,
    edit, check, hand in. `clusters` are what it is asked."""

    clusters: list[Cluster]
    errors: dict[str, CIError]
    ways: dict[tuple[str, str], list[Block]] = field(default_factory=dict)  # of a conversation and an error

    def __call__(self, body: Body, _number: int) -> Reply:
        if not body["max_tokens"]:
            return Reply(())
        target = target_of(body)
        place = (json.dumps(body["messages"][0], sort_keys=True), target)
        if place not in self.ways:
            look, *rest = self._way(target)
            self.ways[place] = rest if _sees(body, look) else [look, *rest]
        left = self.ways[place]
        return Reply(({"type": "text", "text": text(SAID)}, left.pop(0) if len(left) > 1 else left[0]))

    def _way(self, target: str) -> tuple[Block, ...]:
        ids = next(c.error_ids for cluster in self.clusters for c in cluster.causes if target in c.error_ids)
        file = self.errors[target].file or ""
        line = sources()[file].splitlines()[(self.errors[target].line or 1) - 1]
        return (
            use("read_file", file=file, first_line=1, last_line=100),
            use("edit_file", file=file, old_string=line, new_string=f"{line}  # repaired"),
            use("run_check", error_ids=[target]),
            use("suggest_fix", error_ids=list(ids), title="t", explanation="e", confidence=80, edits=[]),
        )


def _sees(body: Body, look: Block) -> bool:
    """Whether the conversation shows what a look would: it did already, or begins with the file's head."""
    blocks = [block for message in body["messages"] for block in blocks_of(message["content"])]
    head = f"file: {look['input']['file']}\n1\t"
    return any(b.get("input") == look["input"] or head in b.get("text", "") for b in blocks)


def target_of(body: Body) -> str:
    """The error that was named last, wherever in the conversation."""
    output = [
        block["text"]
        for message in body["messages"]
        if message["role"] == "user"
        for block in blocks_of(message["content"])
        if block["type"] == "text"
    ]
    found = TARGET.findall("\n".join(output))
    return str(found[-1])


@dataclass(frozen=True)
class Shift:
    """How one phase went. `seconds` is its wall time, `asking` what all calls took together in the SDK, the stand-in's
    own work in the same process included. `busy` and `busy_asking` are the same in seconds of the processor, of all
    threads; calls that overlap each count what the others do meanwhile."""

    spending: Spending
    seconds: float
    asking: float
    busy: float
    busy_asking: float
    standin: Standin


class Timed:
    """A model whose calls are timed."""

    def __init__(self, real: Model) -> None:
        self.name, self.real, self.seconds, self.busy = real.name, real, 0.0, 0.0

    async def complete(self, request: Request) -> Turn:
        began, before = time.monotonic(), time.process_time()
        try:
            return await self.real.complete(request)
        finally:
            self.seconds += time.monotonic() - began
            self.busy += time.process_time() - before


async def shift(
    bench: Bench,
    clusters: list[Cluster],
    errors: tuple[CIError, ...],
    wrap: Callable[[Model], Model] = lambda model: model,
    at_once: int | None = None,
    before: Hook | None = None,
    steps: Steps | None = None,
    profiles: tuple[Profile, ...] | None = None,
) -> Shift:
    """Lets an agent pool work on the clusters."""
    table = {error.id: error for error in errors}
    (head,) = bench.trees(sources())
    verifier = OpenVerifier(bench.git, bench.checker(head), Trees(head, head), (), table)
    async with AsyncExitStack() as stack:
        standin = await stack.enter_async_context(serve(Worker(clusters, table), before=before))
        real = AnthropicModel(MODEL, standin.key, standin.url)
        stack.push_async_callback(real.close)
        timed = Timed(real)
        model_set = ModelSet(alone(wrap(timed)), Budget(100.0))
        gates = {"fast": at_once} if at_once else AT_ONCE
        agent_pool = AgentPool(
            verifier, model_set, steps or MemorySteps(), _silent, profiles=profiles or registry(), at_once=gates
        )
        began, idle = time.monotonic(), time.process_time()
        await agent_pool.work(clusters, errors)
        seconds, busy = time.monotonic() - began, time.process_time() - idle
        if agent_pool.reports:
            raise RuntimeError(f"an agent of the benchmark gave up: {agent_pool.reports[0].why}")
        return Shift(agent_pool.spending(), seconds, timed.seconds, busy, timed.busy, standin)


async def _silent(_sentence: str) -> None:
    """Nobody watches."""
