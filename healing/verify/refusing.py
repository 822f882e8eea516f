"""Why a candidate does not pass the verifier, for its proposer."""

from healing.verify.judging import Judgement, Results

JUMP = 1.5  # more than so many times the errors of before end an agent's tries


class Refusal(Exception):
    """A candidate that does not pass; the message is for its proposer, and may hold what checks printed. `still` is
    what its errors reported after the edits, where they were tried; `worse`: there were more errors by over a half
    then."""

    def __init__(self, message: str, still: tuple[str, ...] = (), worse: bool = False) -> None:
        super().__init__(message)
        self.still, self.worse = still, worse

    def with_note(self, note: str) -> "Refusal":
        """The same with a further sentence, which holds nothing that a check printed."""
        return type(self)(f"{self}; {note}", self.still, self.worse) if note else self

    @property
    def plain(self) -> str:
        """The reason without a word that a check printed."""
        return "it was tried, and the checks don't pass with it"


class Harmful(Refusal):
    """It would have broken something that was whole."""

    @property
    def plain(self) -> str:
        return "it breaks something that worked before"


class Unfit(Refusal):
    """A reason that holds nothing of what checks printed: before they ran, or about what was asked."""

    @property
    def plain(self) -> str:
        return str(self)


def refusal_of(judgement: Judgement, before: Results, after: Results, more: str = "") -> Refusal:
    """Why a change that was tried does not pass, with what an agent's early exits go by."""
    had, has = (sum(len(result.errors) for result in results.values()) for results in (before, after))
    worse = has - len(judgement.revealed) > had * JUMP
    still = tuple(error.message for error in judgement.missing)
    return (Refusal if judgement.harmless else Harmful)(judgement.text() + more, still, worse)
