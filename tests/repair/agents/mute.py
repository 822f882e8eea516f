"""A model that says nothing, for tools that are tried without a conversation."""

from healing.llm.protocol import Request, Turn


class Mute:
    """Must not be asked."""

    name = "claude-sonnet-5-5"

    async def complete(self, request: Request) -> Turn:
        raise AssertionError("nobody asks a model here")
