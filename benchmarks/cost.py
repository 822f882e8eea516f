"""What a typical run costs: 200 errors → 120 after autofix → 60 root causes → 16 clusters, through the real agent loop
and the real SDK, against the Messages API's stand-in with its simulated prompt cache (LM-3, LM-8).

Peer: one agent for each error, nothing cached, which is what the published tools do. The call profile is the published
one, in tokens of today's tokenizer: how many calls an error takes, and how much goes in and out of each. Only what Heal
itself says (tools, rules, the openings of branches) is as long as it is.

What replies cost and what writing each turn's own tokens into the cache costs follow from that profile alone: Heal can
only lower the rest, or the calls. So each goal is measured twice: with the published calls, and with about 3 for a
failing test, which a strong model behind the Messages API took when it played 11 historical bugs through Heal and fixed
them all (outside of this repository); lint keeps the published calls. The share of errors that a cheap first model
solves is an assumption (published: 80 % of lint, 40 % of tests); the last rows vary it.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from benchmarks.shape import Bars, Goal, Result
from healing.edits.exact import Changes
from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.prices import MILLION, price_of
from healing.llm.protocol import Request, Turn, Usage
from healing.model import Candidate, Category, CIError, Cluster, Evidence, Proposal, RootCause
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.loop import run_agent
from healing.repair.agents.profiles import GENERALIST, load_profile
from healing.repair.agents.task import AgentTask, Excerpt
from healing.repair.agents.tool_arguments import schemas
from healing.steps import MemorySteps
from healing.verify.verdict import Verdict, Withdrawal
from tests.model_standin import Reply, Standin, serve, use
from tests.model_standin.brains import target_of
from tests.model_standin.cache import tokens_of
from tests.model_standin.replies import Body

TOKENIZER = 1.3  # tokens that today's models make of what the profile counts as one
MAIN, CHEAP = "claude-sonnet-5-5", "claude-haiku-5-5"


@dataclass(frozen=True)
class Profile:
    """One kind of cluster, in the profile's own tokens: calls for each error, and what they hold."""

    name: str
    errors: int
    calls: int
    context: int
    out: int
    back: int
    clusters: int
    alone: int  # errors of this kind before anything was repaired or joined


LINT = Profile("lint, types, compile", errors=4, calls=4, context=1100, out=380, back=480, clusters=12, alone=150)
TEST = Profile("tests", errors=4, calls=8, context=3200, out=900, back=1850, clusters=4, alone=50)
PLAYED = replace(TEST, calls=3)  # a strong model's, in place of the published 8
STATIC = 3000  # tools and rules
PUBLISHED = (0.8, 0.4)  # shares of lint and of tests that a cheap model solves: an assumption, no measurement
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
FRAME = 55  # of Heal's own fences, line numbers and names around what the profile counts


def text(tokens: float) -> str:
    """Plain text that the stand-in's tokenizer counts as about so many tokens."""
    line = "value = compute(value, other)  # " + "as the profile has it, " * 6 + "\n"
    wanted = max(int(tokens * TOKENIZER * 2.7), 1)
    return (line * (wanted // len(line) + 1))[:wanted]


@dataclass
class Space:
    """A worktree whose one file is what a tool gives back."""

    back: bytes

    async def read(self, path: str) -> bytes | None:
        return self.back if path == "a.py" else None

    async def write(self, changes: Changes) -> None:
        """Forgets it."""

    async def paths(self) -> tuple[str, ...]:
        return ("a.py",)

    async def tree(self) -> str:
        return "0" * 40

    async def renew(self) -> None:
        """Stays as it is."""

    async def take(self, proposal: Proposal) -> bool:
        del proposal
        return False

    async def restart(self) -> None:
        """Stays as it is."""

    async def run_check(self, error_ids: tuple[str, ...]) -> str:
        return ""

    async def run_step(self, label: str) -> str:
        return ""

    async def run_command(self, argv: tuple[str, ...], folder: str) -> str:
        return ""


def taken(candidate: Candidate) -> Verdict:
    """A door's word for a fix that nobody proved."""
    evidence = Evidence(command="", before_tree="", after_tree="", before_exit=1, after_exit=0,
                        before_output="", after_output="")  # fmt: skip
    proposal = Proposal(
        **candidate.model_dump(exclude={"strict"}) | {"edits": candidate.edits}, id=f"P{candidate.error_ids[0]}",
        wide=(), reverse=(), evidence=(evidence,), base_tree="",
    )  # fmt: skip
    return Verdict(accepted=True, proposal=proposal)


class OpenVerifier:
    """Takes every fix: here only what was said is counted."""

    async def prove(self, candidate: Candidate) -> Verdict:
        return await self.submit(candidate)

    async def submit(self, candidate: Candidate) -> Verdict:
        return taken(candidate)

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        del ids
        return ()

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        del fix_id, why
        return Withdrawal(done=True)


@dataclass
class Talker:
    """A brain that talks as the profile says: so many calls for each error, the last one a fix or a report."""

    profile: Profile
    gives_up: Callable[[], bool] = lambda: False
    calls: dict[str, int] = field(default_factory=dict)

    def __call__(self, body: Body, _number: int) -> Reply:
        target = target_of(body)
        count = self.calls[target] = self.calls.get(target, 0) + 1
        if count < self.profile.calls:
            last = use("read_file", file="a.py", first_line=1, last_line=0)
        elif self.gives_up():
            last = use("report_unfixable", error_ids=[target], tried="t", why="w", advice="a")
        else:
            edit = {"file": f"{target}.py", "old_string": "", "new_string": "x = 1\n"}
            last = use("suggest_fix", error_ids=[target], title="t", explanation="e", confidence=80, edits=[edit])
        out = int(self.profile.out * TOKENIZER)
        thought = {"type": "text", "text": text(self.profile.out - tokens_of(json.dumps(last)) / TOKENIZER - FRAME)}
        return Reply((thought, last), output_tokens=out)


@dataclass
class Bill:
    """What was asked of one model, and what it cost. `cached` False: the peer, every token is paid as input."""

    model: str
    cached: bool = True
    calls: int = 0
    dollars: float = 0.0
    replies: float = 0.0  # dollars of them for what the model wrote
    writing: float = 0.0  # and for what went into the cache, or in uncached
    prompt: int = 0
    read: int = 0

    def add(self, usage: Usage) -> None:
        """Books one call."""
        self.calls += 1
        self.prompt += usage.prompt_tokens
        self.read += usage.cache_read_tokens if self.cached else 0
        paid = usage if self.cached else Usage(input_tokens=usage.prompt_tokens, output_tokens=usage.output_tokens)
        price = price_of(self.model, usage.prompt_tokens)
        self.dollars += price.dollars(paid)
        self.replies += price.dollars(Usage(output_tokens=paid.output_tokens))
        self.writing += price.dollars(paid.model_copy(update={"output_tokens": 0, "cache_read_tokens": 0}))


async def measure() -> Result:
    """Dollars of the whole run in each design."""
    naive = await _naive()
    peer = sum(b.dollars for b in naive)
    trunk = [await price_clusters(MAIN, profile) for profile in (LINT, TEST)]
    played = [await price_clusters(MAIN, profile) for profile in (LINT, PLAYED)]
    fallback_chain = await _chain_costs(PUBLISHED)
    played_chain = await _chain_costs(PUBLISHED, PLAYED)
    rows = [
        _row("one agent for each of 200 errors, nothing cached (peer)", naive, peer),
        {"design": "the published design, by its own account (not measured here)", "dollars": 8.0},
        _row("16 clusters, trunk and branches", trunk, peer),
        _row("the same, a cheap model first", fallback_chain, peer),
        _row("16 clusters, tests in the calls that were played", played, peer),
        _row("the same, a cheap model first", played_chain, peer),
        *[
            _row(f"a cheap first model that solves {share:.0%} of all", await _chain_costs((share, share)), peer)
            for share in SHARES
        ],
    ]
    share = sum(b.read for b in trunk) / sum(b.prompt for b in trunk)
    goals = [
        _goal("200 errors, published calls", "≤ $4.20", sum(b.dollars for b in trunk), 4.20),
        _goal(
            "200 errors, published calls, a cheap model first", "≤ $2.20", sum(b.dollars for b in fallback_chain), 2.20
        ),
        _goal("200 errors, played calls", "≤ $4.20", sum(b.dollars for b in played), 4.20),
        _goal("200 errors, played calls, a cheap model first", "≤ $2.20", sum(b.dollars for b in played_chain), 2.20),
        Goal("cached share of the input", "≥ 85 %", round(100 * share, 1), share >= 0.85),
    ]
    pictures = (Bars("dollars of the run", ("design",), "dollars"),)
    return Result("cost", seed=0, rows=rows, goals=goals, packages=("anthropic",), bars=pictures)


def _goal(name: str, goal: str, value: float, most: float) -> Goal:
    return Goal(name, goal, round(value, 2), value <= most)


def _row(name: str, bills: list[Bill], peer: float) -> dict[str, object]:
    dollars = sum(bill.dollars for bill in bills)
    return {
        "design": name,
        "calls": sum(bill.calls for bill in bills),
        "input Mtok": round(sum(bill.prompt for bill in bills) / MILLION, 2),
        "cached %": round(100 * sum(bill.read for bill in bills) / sum(bill.prompt for bill in bills), 1),
        "dollars": round(dollars, 2),
        "for replies": round(sum(bill.replies for bill in bills), 2),
        "for writing": round(sum(bill.writing for bill in bills), 2),
        "of the peer": round(dollars / peer, 3),
    }


async def _naive() -> list[Bill]:
    """An agent for each error, which also has to find its files: one call more."""
    bills = []
    for profile in (LINT, TEST):
        alone = Profile(profile.name, 1, profile.calls + 1, profile.context, profile.out, profile.back,
                        profile.alone, profile.alone)  # fmt: skip
        bills.append(await price_clusters(MAIN, alone, cached=False))
    return bills


async def price_clusters(model: str, profile: Profile, cached: bool = True) -> Bill:
    """What a profile's clusters cost, one agent each; `cached` False: nothing is read from a cache."""
    bill = Bill(model, cached)
    async with serve(Talker(profile)) as standin:
        for number in range(profile.clusters):
            await _agent(standin, model, profile, number, range(profile.errors), bill)
    return bill


async def _chain_costs(shares: tuple[float, float], tests: Profile = TEST) -> list[Bill]:
    """Both kinds with a cheap first model, which solves these shares of lint and of tests."""
    return [
        bill
        for profile, share in zip((LINT, tests), shares, strict=True)
        for bill in await _with_cheap_model(profile, share)
    ]


async def _with_cheap_model(profile: Profile, share: float) -> list[Bill]:
    """Every cluster goes to the cheap model; what it gives up begins anew on the main one."""
    cheap, main = Bill(CHEAP), Bill(MAIN)
    fails = _cheap_fails(share)
    async with serve(Talker(profile, gives_up=lambda: next(fails))) as first, serve(Talker(profile)) as second:
        for number in range(profile.clusters):
            left = await _agent(first, CHEAP, profile, number, range(profile.errors), cheap)
            if left:
                await _agent(second, MAIN, profile, number, left, main)
    return [cheap, main]


def _cheap_fails(share: float) -> Iterator[bool]:
    """For each error whether the cheap model gives it up, so that it solves this share of all."""
    for number in itertools.count(1):
        yield int(number * share) == int((number - 1) * share)


async def _agent(
    standin: Standin, name: str, profile: Profile, number: int, errors: range | list[int], bill: Bill
) -> list[int]:
    """One cluster to its end. Gives the errors that were given up."""
    model = AnthropicModel(name, standin.key, standin.url)
    agent_context = AgentContext(Padded(model), MemorySteps(), Budget(None))
    try:
        space = Space(text(profile.back - FRAME).encode())
        result = await run_agent(_task(profile, number, list(errors)), space, OpenVerifier(), agent_context)
    finally:
        await model.close()
    for call in result.calls:
        bill.add(call.usage)
    given_up = {error_id for report in result.unfixables for error_id in report.error_ids}
    return [i for i in errors if _name(number, i) in given_up]


def _name(cluster: int, error: int) -> str:
    return f"E{cluster:02}{error}"


def _task(profile: Profile, number: int, errors: list[int]) -> AgentTask:
    """A cluster, each error with its context."""
    found = tuple(
        CIError(id=_name(number, i), tool="t", category=Category.LINT, file="a.py", line=1, message=f"m{i}")
        for i in errors
    )
    causes = tuple(
        RootCause(fingerprint=e.id, shape="s", category=e.category, message=e.message, error_ids=(e.id,)) for e in found
    )
    cluster = Cluster(
        id=f"C{number}", causes=causes, error_ids=tuple(e.id for e in found), zone=("a.py",),
        phase="slow" if profile.name == TEST.name else "fast",
    )  # fmt: skip
    contexts = tuple(
        Excerpt(file=f"c{number}_{i}.py", first_line=1, text=text(profile.context - FRAME)) for i in errors
    )
    return AgentTask(cluster=cluster, errors=found, contexts=contexts, profile=load_profile(GENERALIST))


class Padded:
    """A model that hears rules and tools as long as the profile says at least."""

    def __init__(self, real: AnthropicModel) -> None:
        self.name, self.real = real.name, real

    async def complete(self, request: Request) -> Turn:
        """One attempt."""
        part = load_profile(GENERALIST)
        have = tokens_of(request.system + str(schemas(part.tools)) + part.purpose + part.instructions)
        missing = STATIC - have / TOKENIZER
        more = text(missing) if missing > 0 else ""
        return await self.real.complete(request.model_copy(update={"system": request.system + more}))
