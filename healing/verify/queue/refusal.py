"""The queue's refusal: a code for programs and a sentence for people."""

from typing import Literal

Code = Literal[
    "UNKNOWN_AGENT",
    "UNKNOWN_SESSION",
    "AMBIGUOUS",
    "BAD_NAME",
    "TAKEN",
    "QUEUE_FULL",
    "TOO_MANY_AGENTS",
    "AT_WORK",
    "NOT_QUEUED",
    "NO_CONFLICT",
    "UNCHANGED",
    "NOTHING_TO_MERGE",
    "NO_BRANCH",
    "ENDED",
    "GIT",
]


class QueueRefusal(Exception):
    """Why the queue refuses, and what to do instead. Nothing has changed."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
