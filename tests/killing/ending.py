"""How a play ended: what is on GitHub, what is in Heal's books, and what was paid. Two plays can be compared."""

import difflib
import hashlib
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from lab.localhub.hub import Hub
from tests.killing.scene import BRANCH, Scene
from tests.killing.stage import BOT, Stage

# What a text may say differently: times, money, and ids that the hub counts up.
VARYING = (
    (re.compile(r"\*\*Cost:\*\*.*"), "**Cost:** …"),
    (re.compile(r"\$\d+\.\d\d|less than \$0\.01"), "$…"),  # a call that is asked again finds its prompt in the cache
    (re.compile(r" in \d+\.\d\ds"), " in …"),
    (re.compile(r"(answer=(?:issue|review))-\d+"), r"\1-…"),
    (re.compile(r"<\d+\+(\w+@)"), r"<…+\1"),
    (re.compile(r"(apply-[0-9a-f]{12})-\d+"), r"\1-…"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://heal"),  # each play has a port of its own
)


@dataclass(frozen=True)
class Ending:
    """Everything that has to be the same, whatever happened in between."""

    comments: list[str]
    reviews: list[tuple[str, list[tuple[str, int | None, str]]]]
    checks: list[tuple[str, str, str | None, str | None, str]]
    pulls: list[tuple[int, str, str]]
    branches: dict[str, list[str]]  # each with its commits: tree and message
    reactions: list[str]
    proposals: list[tuple[str, str, str]]
    runs: list[tuple[str, int, str]]
    unfinished: list[tuple[str, str, str]]  # deliveries that did not end well
    model_replies: int


@dataclass(frozen=True)
class Bill:
    """What the models were asked, and what Heal says that it cost."""

    asked: Counter[str]  # by the request's content
    calls: int
    dollars: float
    lost: int


def difference(one: Ending, other: Ending) -> str:
    """What differs, line by line; empty where nothing does."""
    before, after = (json.dumps(asdict(ending), indent=1).replace("\\n", "\n").splitlines() for ending in (one, other))
    return "\n".join(difflib.unified_diff(before, after, "undisturbed", "killed", n=1, lineterm=""))


def ending_of(stage: Stage) -> Ending:
    """The end of a play."""
    hub, scene = stage.hub, stage.scene
    named = _Names(scene)
    reviews = [r for r in hub.reviews_of(scene.pull) if r.author.login == BOT]
    return Ending(
        comments=[named.plain(c.body) for c in hub.comments.values() if c.author.login == BOT],
        reviews=[(named.plain(r.body or ""), _comments_of(hub, scene, named, r.id)) for r in reviews],
        checks=[
            (named.plain(c.head_sha), c.status, c.conclusion, c.title, named.plain(c.summary or ""))
            for c in stage.checks()
        ],
        pulls=[(p.number, p.state, p.title) for p in hub.pulls.values()],
        branches=_branches(hub, scene, named),
        reactions=sorted(r.content for r in hub.reactions.values()),
        **_books(stage, named),
    )


def bill_of(stage: Stage) -> Bill:
    """Every request that reached the model's door, answered or not, and the run's own account."""
    asked = Counter(
        hashlib.sha256(json.dumps(exchange.body, sort_keys=True).encode()).hexdigest()[:12]
        for exchange in stage.model.asked
    )
    ((outcome,), *_) = _rows(stage, "SELECT outcome FROM runs ORDER BY opened_at")
    spent = json.loads(outcome)["spending"]
    return Bill(asked, spent["calls"], spent["dollars"], spent["lost"])


def _comments_of(hub: Hub, scene: Scene, named: "_Names", review: int) -> list[tuple[str, int | None, str]]:
    mine = [c for c in hub.review_comments_of(scene.pull) if c.review_id == review]
    return [(c.path, c.line, named.plain(c.body)) for c in mine]


def _branches(hub: Hub, scene: Scene, named: "_Names") -> dict[str, list[str]]:
    bare = hub.bare(scene.repo)
    found: dict[str, list[str]] = {}
    for name in bare.git("for-each-ref", "--format=%(refname:short)", "refs/heads").decode().split():
        log = bare.git("log", "--format=%T %B%x00", f"main..{name}").decode()
        found[name] = [named.plain(part.strip()) for part in log.split("\0") if part.strip()]
    return found


def _books(stage: Stage, named: "_Names") -> dict[str, Any]:
    proposals = _rows(stage, "SELECT proposal_id, status, delivery FROM proposals ORDER BY proposal_id")
    runs = _rows(stage, "SELECT sha, attempt, state FROM runs ORDER BY opened_at")
    unfinished = _rows(stage, "SELECT event, state, error FROM deliveries WHERE state != 'done'")
    ((replies,),) = _rows(stage, "SELECT count(*) FROM steps WHERE kind = 'model'")
    return {
        "proposals": proposals,
        "runs": [(named.plain(sha), attempt, state) for sha, attempt, state in runs],
        "unfinished": unfinished,
        "model_replies": replies,
    }


def _rows(stage: Stage, query: str) -> list[Any]:
    return stage.heal.rows(query)


class _Names:
    """Names for what is called otherwise in every play."""

    def __init__(self, scene: Scene) -> None:
        bare = scene.hub.bare(scene.repo)
        heads = bare.git("log", "--reverse", "--format=%H", f"main..{BRANCH}").decode().split()
        self._heads = {sha: f"HEAD{number}" for number, sha in enumerate(heads)}

    def plain(self, text: str) -> str:
        """The text without what varies."""
        for sha, name in self._heads.items():
            for form in (sha, sha[:12], sha[:7]):
                text = text.replace(form, name)
        for pattern, instead in VARYING:
            text = pattern.sub(instead, text)
        return text
