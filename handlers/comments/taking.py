"""One sentence about how a person can apply the open fixes, with only the ways that work for them."""

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.comments.parts import short
from healing.model import Proposal

# What to do with one fix and with several, by how they are offered.
WAYS = {
    "suggestion": ("commit the suggestion", "commit the suggestions you want"),
    "fixup": ("merge the fixup pull request", "merge the fixup pull request"),
    "patch": ("apply the patch in the summary comment", "apply the patches you want from the summary comment"),
}


@dataclass(frozen=True)
class Reach:
    """Where fixes are offered. `comments`: there is a pull request to comment on; `pushes`: Heal may commit to its
    branch, which it never does to a fork's."""

    comments: bool
    pushes: bool


def to_do(proposals: tuple[Proposal, ...], offered: Mapping[str, str], reach: Reach) -> str:
    """What to do with those of `proposals` that are `offered` (id → a key of `WAYS`; other values are reasons why one
    is not); empty if none is."""
    open_ = [proposal for proposal in proposals if offered.get(proposal.id) in WAYS]
    if not open_:
        return ""
    hows = [offered[proposal.id] for proposal in open_]
    ways = " or ".join(words[hows.count(how) > 1] for how, words in WAYS.items() if how in hows)
    name = short(open_[0].id) if len(open_) == 1 else "all"
    page = "the original pull request" if "fixup" in hows else "the pull request"
    apply = f", or comment `/heal apply {name}` on {page}" if reach.pushes else ""
    one = len(open_) == 1
    reject = f" `/heal reject {name if one else '<id>'}` drops {'it' if one else 'a fix'}." if reach.comments else ""
    return f"{ways[0].upper()}{ways[1:]}{apply}.{reject}"
