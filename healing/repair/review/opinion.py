"""A second opinion on a change, strictly parsed from a model's reply."""

from typing import Literal

from pydantic import Field, ValidationError

from healing.llm.protocol import Turn
from healing.repair.agents.fences import one_line, shown
from healing.repair.agents.tool_arguments import Arguments, schema_of

TOOL = "give_opinion"
LIMIT = 140  # characters of a reason that a person reads
AGAINST = frozenset({"overfit", "cheat"})
IN_WORDS = {
    "partial": "only a part is repaired",
    "overfit": "fitted to the check, the cause stays",
    "cheat": "gets round the check",
}


class Opinion(Arguments):
    """Hands in your opinion of the change."""

    verdict: Literal["fix", "partial", "overfit", "cheat"]
    reason: str = Field(description="One short sentence that names the line or the value.")

    def flag(self) -> str:
        """The doubt as a flag for people."""
        return f"second opinion of a model: {IN_WORDS[self.verdict]}: {self.one_line_reason}"

    @property
    def one_line_reason(self) -> str:
        """The reason on one line, with hidden characters made visible."""
        return one_line(shown(self.reason), LIMIT)


class UnreadableOpinion(Exception):
    """The reply contains no opinion; the message says why. `again`: it is worth asking once more."""

    def __init__(self, message: str, again: bool = True) -> None:
        super().__init__(message)
        self.again = again


SCHEMA = schema_of(TOOL, Opinion)


def opinion_of(turn: Turn) -> Opinion:
    """The one opinion in a reply; text beside the call is ignored. Raises UnreadableOpinion."""
    if turn.stop == "refusal":
        raise UnreadableOpinion("the model refused to answer", again=False)
    if turn.stop == "length":
        raise UnreadableOpinion("the model's answer was cut off")
    if turn.stop != "tools" or len(turn.calls) != 1 or turn.calls[0].name != TOOL:
        raise UnreadableOpinion("the model's answer could not be read")
    try:
        opinion = Opinion.model_validate(turn.calls[0].arguments, strict=True)
    except ValidationError as error:
        raise UnreadableOpinion("the model's answer could not be read") from error
    if not opinion.reason.strip():
        raise UnreadableOpinion("the model's answer gives no reason")
    return opinion
