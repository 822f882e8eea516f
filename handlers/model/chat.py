"""The operator's chat, where one is set: told of red default branches, one message for a commit and how it stands."""

from typing import Literal, Protocol

from healing.model import Frozen

ChatOutcome = Literal["fix", "needs-you"]


class ChatMessage(Frozen):
    """About one commit of a default branch. `text` is finished, in Slack's form."""

    sha: str
    outcome: ChatOutcome
    text: str


class Chat(Protocol):
    """Does nothing where the operator named no chat."""

    async def post(self, message: ChatMessage) -> None:
        """Stores it; it is sent by and by. Another one of the same commit and outcome changes nothing."""
        ...
