"""Runs as Heal stores them: made through the store's own doors, with everything that a page can show."""

from bot.store.repo import RepoStore
from handlers.comments.reports import why_left
from handlers.model import Pull, Run, StoredProposal
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from healing.model import (
    Category,
    CIError,
    Cluster,
    Edit,
    Evidence,
    NotChecked,
    Outcome,
    Proposal,
    Resolution,
    RootCause,
    Spending,
    Unfixable,
)
from healing.repair.agents.routing import Routing, Score
from healing.repair.agents.trajectory import AgentStep, ToolUse, Trajectory
from tests.bot.conftest import Clock

RUN_ID = "heal-4f1c09"
GIVEN_UP = Unfixable(
    id="U1", error_ids=(), reason="given-up", tried="three edits", why="No edit made the command exit 0.",
    advice="Look at the clock of CI.",
)  # fmt: skip


def error(number: int, **fields: object) -> CIError:
    reported = {
        "tool": "ruff",
        "code": "F821",
        "category": Category.LINT,
        "file": f"shop/part{number}.py",
        "line": 10 + number,
    }
    return CIError.model_validate(
        {"id": f"E{number:012x}", **reported, "message": f"Undefined name `price_{number}`", **fields}
    )


def proposal(name: str, errors: tuple[str, ...], **fields: object) -> Proposal:
    small = Edit(file="shop/part1.py", old_string="fromat_cents(price)", new_string="format_cents(price)")
    before = (
        'def label(price: int) -> str:\n    """What the till shows."""\n    return fromat_cents(price)  # in cents\n'
    )
    after = before.replace("fromat", "format")
    wide = Edit(file="shop/part1.py", old_string=before, new_string=after)
    back = Edit(file="shop/part1.py", old_string=wide.new_string, new_string=wide.old_string)
    proof = Evidence(
        command="ruff check shop", before_tree="a" * 40, after_tree="b" * 40, before_exit=1, after_exit=0,
        before_output="shop/part1.py:11:12: F821 Undefined name `fromat_cents`\nFound 1 error.\n",
        after_output="All checks passed!\n",
    )  # fmt: skip
    values: dict[str, object] = {
        "id": name, "source": "fixer:misspelt_name", "phase": "free", "title": "Spell `format_cents` as it is defined",
        "explanation": "`fromat_cents` is defined nowhere; `format_cents` is, in shop/money.py.", "confidence": 96,
        "error_ids": errors, "edits": (small,), "wide": (wide,), "reverse": (back,), "evidence": (proof,),
        "base_tree": "a" * 40, **fields,
    }  # fmt: skip
    return Proposal.model_validate(values)


def outcome(run_id: str = RUN_ID, **fields: object) -> Outcome:
    """Four errors: one cured by a fixer, two by an agent, one not."""
    errors = tuple(error(n) for n in range(1, 5))
    one, two, three, four = (e.id for e in errors)
    causes = (
        RootCause(
            fingerprint="c1", shape="name", category=Category.LINT, message="format_cents is misspelt", error_ids=(one,)
        ),
        RootCause(
            fingerprint="c2",
            shape="sum",
            category=Category.TEST,
            message="total() forgets discounts",
            error_ids=(two, three),
        ),
        RootCause(
            fingerprint="c3",
            shape="net",
            category=Category.RUNTIME,
            message="the clock of CI is wrong",
            error_ids=(four,),
        ),
    )
    clusters = (
        Cluster(id="K1", causes=causes[1:2], error_ids=(two, three), zone=("shop/total.py",), phase="slow"),
        Cluster(id="K2", causes=causes[2:], error_ids=(four,), zone=("shop/clock.py",), phase="slow"),
    )
    scores = (
        Score(specialist="tests", capability=1.0, success=0.7, specialisation=0.9, complexity=0.5),
        Score(specialist="types", capability=0.2, success=0.6, specialisation=0.1, complexity=0.5),
    )
    routing = Routing(cluster="K1", complexity="moderate", chosen=("tests",), scores=scores)
    agent = proposal(
        "feed0123beef4567",
        (two, three),
        source="agent:tests",
        phase="slow",
        title="Subtract the discount in total()",
        confidence=81,
    )
    reported: dict[str, object] = {
        "verdict": "partly", "run_id": run_id, "errors": errors, "causes": causes, "clusters": clusters,
        "routings": (routing.model_dump(mode="json"),),
        "proposals": (proposal("0a1b2c3d4e5f6071", (one,)), agent),
        "unfixables": (GIVEN_UP.model_copy(update={"error_ids": (four,)}),),
        "resolutions": (
            Resolution(error_id=one, how="fixer:misspelt_name", proposal_id="0a1b2c3d4e5f6071"),
            Resolution(error_id=two, how="fix:feed0123beef4567", proposal_id="feed0123beef4567"),
            Resolution(error_id=three, how="fix:feed0123beef4567", proposal_id="feed0123beef4567"),
            Resolution(error_id=four, how="unfixable:U1"),
        ),
        "not_looked": (NotChecked(what="the job deploy", why="it needs secrets", advice="Nothing to do."),),
        "spending": Spending(calls=2, dollars=0.0421),
        "seconds": {"baseline": 41.5, "autofix": 3.2, "fixers": 6.1, "culprits": 2.0, "fast": 0.1, "slow": 58.0},
        "regressions_prevented": 1,
        **fields,
    }  # fmt: skip
    return Outcome.model_validate(reported)


def pull(number: int = 7, **fields: object) -> Pull:
    """As GitHub gives it."""
    values: dict[str, object] = {
        "number": number, "title": f"Add discounts, part {number}", "state": "open", "draft": False,
        "head_sha": "a" * 40,
        "head_ref": f"discounts-{number}", "head_repo": "corner-shop/tally", "base_sha": "b" * 40, "base_ref": "main",
        "author": "noor", **fields,
    }  # fmt: skip
    return Pull.model_validate(values)


def trajectory() -> Trajectory:
    used = ToolUse(
        tool="read_file",
        asked='{"path": "shop/total.py"}',
        answered="def total(lines):\n    return sum(lines)",
        failed=False,
    )
    steps = (
        AgentStep(
            error_id="E2",
            turn_id="t1",
            request_id="req_1",
            stop="tool_use",
            said="I look at total() first.",
            used=(used,),
            seconds=4.0,
            told="Two tests fail.",
            dollars=0.02,
        ),
        AgentStep(
            error_id="E2",
            turn_id="t2",
            request_id="req_2",
            stop="end",
            said="The discount is forgotten.",
            seconds=6.0,
            dollars=0.0221,
        ),
    )
    return Trajectory(
        cluster="K1", errors=("E2", "E3"), specialist="tests", model="claude-sonnet-5-5", steps=steps, ending="whole"
    )


async def reported_run(
    store: RepoStore, sha: str, number: int | None = 7, made: Outcome | None = None, took: float = 0.0
) -> Run:
    """A run that is over, with all its traces. `took` seconds pass on the clock of a test, if it has one."""
    ended = made or outcome()
    run = await store.open_attempt(f"check_run:{sha}", 5, sha, {"name": "checks"})
    await store.end_debouncing(sha, run.attempt, quiet=0)
    clock = store._now
    if isinstance(clock, Clock):
        clock.at += took
    run = run.model_copy(update={"state": "done", "number": number, "run_id": ended.run_id, "outcome": ended})
    run = run.model_copy(update={"reason": why_left(ended)})
    offered = [
        StoredProposal(proposal=p, run_id=ended.run_id, attempt=run.attempt, number=number or 0, status="pending")
        for p in ended.proposals
    ]
    await store.save_proposals(tuple(offered))
    for one in offered:
        await store.update_proposal(one, {"status": "offered", "delivery": "suggestion"}, only=("pending",))
    if number is not None:
        await store.note_pull(pull(number))
    usage_records = store.usage_records(ended.run_id, number)
    for name in ("req_1", "req_2"):
        usage = Usage(input_tokens=900, output_tokens=120)
        await usage_records.book(
            Booking(
                key=f"{sha[:8]}{name}",
                model="claude-sonnet-5-5",
                usage=usage,
                dollars=0.02105,
                seconds=5.0,
                request_id=name,
            )
        )
    await store.memory(ended.run_id).save(trajectory())
    stored = await store.run(sha, run.attempt)
    assert stored is not None
    run = run.model_copy(update={"started_at": stored.started_at})
    await store.save_run(run)
    return run
