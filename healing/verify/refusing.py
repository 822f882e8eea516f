"""Why a candidate does not pass the verifier, as exceptions for its proposer."""

from healing.model import CIError
from healing.verify.judging import Judgement, Results

JUMP = 1.5  # more than this many times the errors of before end an agent's attempts


class Refusal(Exception):
    """Raised for a candidate that does not pass. The message is for its proposer, and may hold what checks printed.
    `left` are its errors as they are after the edits, if these were tried, and `new` those that were not there before;
    `worse`: there were then more errors by over a half."""

    def __init__(
        self, message: str, left: tuple[CIError, ...] = (), worse: bool = False, new: tuple[CIError, ...] = ()
    ) -> None:
        super().__init__(message)
        self.left, self.worse, self.new = left, worse, new

    @property
    def still(self) -> tuple[str, ...]:
        """What its errors reported after the edits."""
        return tuple(error.message for error in self.left)

    def with_note(self, note: str) -> "Refusal":
        """The same refusal with another sentence, which holds nothing that a check printed."""
        return type(self)(f"{self}; {note}", self.left, self.worse, self.new) if note else self

    @property
    def plain(self) -> str:
        """The reason without anything that a check printed."""
        return "it was tried, and the checks don't pass with it"


class CandidateBreaks(Refusal):
    """Raised for a candidate that would have broken something that worked."""

    @property
    def plain(self) -> str:
        return "it breaks something that worked before"


class CandidateUnfit(Refusal):
    """A refusal whose reason holds nothing that checks printed: from before they ran, or about the request itself."""

    @property
    def plain(self) -> str:
        return str(self)


def refusal_of(judgement: Judgement, before: Results, after: Results, more: str = "") -> Refusal:
    """The refusal of a change that was tried, with the fields that an agent's early exits depend on."""
    had, has = (sum(len(result.errors) for result in results.values()) for results in (before, after))
    worse = has - len(judgement.revealed) > had * JUMP
    left = tuple(judgement.missing)
    return (Refusal if judgement.harmless else CandidateBreaks)(judgement.text() + more, left, worse, judgement.new)
