"""The operator's chat, if configured: notified of red default branches, with one message per commit and outcome."""

from typing import Literal, Protocol

from healing.model import Frozen

ChatOutcome = Literal["fix", "needs-you"]


class ChatMessage(Frozen):
    """A message about one commit of a default branch. `text` is complete, in Slack's markup."""

    sha: str
    outcome: ChatOutcome
    text: str


class Chat(Protocol):
    """The chat; posting does nothing if the operator configured none."""

    async def post(self, message: ChatMessage) -> None:
        """Queues the message for sending. Another one of the same commit and outcome has no effect."""
        ...
