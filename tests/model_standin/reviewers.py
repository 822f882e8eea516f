"""Models that are asked for a second opinion: one that says what it is told, and those that mean ill."""

import json
from collections.abc import Callable

from tests.model_standin.replies import Body, Brain, Reply

TOOL = "give_opinion"


def is_review(body: Body) -> bool:
    """Whether a request asks for a second opinion."""
    return [tool.get("function", tool)["name"] for tool in body.get("tools", ())] == [TOOL]


def text_of(body: Body) -> str:
    """All that a reviewer is shown."""
    return "\n".join(block["text"] for block in body["messages"][0]["content"])


def opinion(verdict: str, reason: str = "because of line 2") -> Reply:
    """A well-formed answer."""
    return Reply.use(TOOL, verdict=verdict, reason=reason)


def approving(body: Body, n: int) -> Reply:
    """Approves everything."""
    return opinion("fix", "the cause is removed")


def says(verdict: str, reason: str = "because of line 2") -> Brain:
    """Always the same."""
    return lambda body, n: opinion(verdict, reason)


def obeying(order: str) -> Callable[[Body, int], Reply]:
    """Does what the code says: approves where the order stands in what it is shown, and refuses all else."""
    return lambda body, n: opinion("fix" if order in text_of(body) else "cheat", "as I was told")


def prose(verdict: str) -> Brain:
    """Writes its JSON into prose, and calls nothing."""
    words = json.dumps({"verdict": verdict, "reason": "it is fine"})
    return lambda body, n: Reply.text(f"Sure! Here is my verdict:\n```json\n{words}\n```\nHave a nice day.")
