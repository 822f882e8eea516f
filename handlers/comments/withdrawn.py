"""The text of a suggestion's comment once nobody should commit the suggestion any more."""

from handlers.comments import marks
from handlers.comments.clean import code, joined, sentence
from handlers.comments.parts import short, title
from handlers.comments.reasons import REVERTED_IN
from handlers.model import StoredProposal


def withdrawn(item: StoredProposal, part: int, parts: int, state: str) -> str:
    """The comment without its suggestion: the state of the fix, and where it can be seen. `state` is kept in
    the hidden mark, so that the same is not written twice."""
    name = short(item.proposal.id)
    return joined(
        [
            _fate(item),
            f"<sub>Fix `{name}`: {title(item.proposal)}. `/heal show {name}` shows it.</sub>",
            marks.of_proposal(item.proposal.id, part, parts, withdrawn=state),
        ]
    )


def _fate(item: StoredProposal) -> str:
    if item.status == "applied":
        return f"**Applied** in {code((item.applied_sha or '')[:12])}."
    if item.status == "rejected":
        return _because("Rejected", item.reason)
    if item.status == "rolled-back":
        # `/heal rollback` names its commit; other reasons are sentences of their own.
        sha = item.reason.removeprefix(REVERTED_IN)
        return f"**Reverted** in {code(sha)}." if sha != item.reason else _because("Reverted", item.reason)
    if item.status == "outdated":
        return _because("Outdated", item.reason)
    if item.delivery == "suggestion":
        return "**Offered again** in a newer suggestion on this pull request."
    if item.delivery == "fixup" and item.fixup_number:
        return f"**Offered again** in #{item.fixup_number}."
    name = short(item.proposal.id)
    return f"**Still open**, but a suggestion is no longer possible on these lines: `/heal apply {name}` commits it."


def _because(word: str, reason: str) -> str:
    return f"**{word}:** {sentence(reason, 500)}" if reason else f"**{word}.**"
