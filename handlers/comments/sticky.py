"""The one summary comment of a pull request, edited in place."""

from collections import Counter
from collections.abc import Iterable

from handlers.comments import marks
from handlers.comments.clean import block, code, fold, joined
from handlers.comments.local import apply_line
from handlers.comments.parts import plural, priced, short, title
from handlers.comments.patch import BINARY
from handlers.comments.reasons import ON_REQUEST, REVERTED_IN
from handlers.model import StoredProposal

UNREADABLE = (
    "The patch is in git's binary form, because a comment would change some of its bytes (line endings, hidden "
    "characters). Check `git diff` after applying it."
)
MAX_ROWS = 50  # of fixes in one comment
WORDS = {
    "pending": "being prepared",
    "offered": "open",
    "applied": "applied",
    "rejected": "rejected",
    "rolled-back": "reverted",
    "outdated": "outdated",
    "muted": "not offered",
    "resolved": "dismissed",
}


def sticky(
    sha: str,
    stored: tuple[StoredProposal, ...],
    patches: tuple[tuple[str, str], ...] = (),
    run: str = "",
    settings: str = "",
    *,
    is_fork: bool = False,
) -> str:
    """What is offered on this pull request, as of head `sha`. `patches` are (proposal id, patch text). `run` and
    `settings` are the addresses of Heal's own pages about the newest run and the repository's settings, where it has
    some. On a fork Heal pushes nothing, so no command that would is named."""
    pages = [f"[latest run]({run})" if run else "", f"[settings for this repository]({settings})" if settings else ""]
    ways = ["details in the check run “Heal”", *filter(None, pages), "`/heal help` lists the commands"]
    return joined(
        [
            f"### Heal: {_heading([item for item in stored if item.status != 'muted'])}",
            _rows([item for item in stored if item.status != "muted"]),
            *(patch(proposal_id, text, not is_fork) for proposal_id, text in patches),
            _commands(stored, is_fork),
            f"<sub>As of {code(sha[:12])} · {' · '.join(ways)}</sub>",
            marks.STICKY,
        ]
    )


def _heading(shown: list[StoredProposal]) -> str:
    """What a person can do now; if nothing, what happened to the fixes."""
    counts = Counter(WORDS[item.status] for item in shown)
    if counts["open"]:
        return f"{plural(counts['open'], 'tested fix')} to review"
    if counts["being prepared"]:
        return f"{plural(counts['being prepared'], 'tested fix')} being prepared"
    if shown and counts["applied"] == len(shown):
        return {1: "the fix is applied", 2: "both fixes are applied"}.get(
            len(shown), f"all {len(shown)} fixes are applied"
        )
    fates = ", ".join(f"{count} {word}" for word, count in counts.items())
    return f"no fixes left to review{f' ({fates})' if fates else ''}"


def _commands(stored: Iterable[StoredProposal], is_fork: bool) -> str:
    """The commands that have an effect on these fixes."""
    statuses = {item.status for item in stored}
    if is_fork:
        return "`/heal reject <id>` drops a fix." if "offered" in statuses else ""
    offered = "`/heal apply all` commits the open fixes. `/heal reject <id>` drops one."
    applied = "`/heal rollback <id>` reverts one."
    lines = [offered if "offered" in statuses else "", applied if "applied" in statuses else ""]
    return " ".join(filter(None, lines))


def _rows(shown: list[StoredProposal]) -> str:
    more = [f"\n… and {len(shown) - MAX_ROWS} more: `/heal list` shows them."] if len(shown) > MAX_ROWS else []
    return "\n".join([*map(_row, shown[:MAX_ROWS]), *more])


def _row(item: StoredProposal) -> str:
    proposal = item.proposal
    return f"- {status_word(item)} `{short(proposal.id)}`: {title(proposal)} · {priced(proposal)}{where(item)}"


def status_word(item: StoredProposal) -> str:
    """A proposal's status, in bold."""
    return f"**{WORDS[item.status]}**"


def reason(item: StoredProposal) -> str:
    """Why a proposal has its status: plain text; empty where `where` says it."""
    return "" if _names_a_commit(item) else item.reason


def _names_a_commit(item: StoredProposal) -> bool:
    return item.status == "rolled-back" and item.reason.startswith(REVERTED_IN)


def where(item: StoredProposal) -> str:
    """The place of an offered fix, how a dismissed one was dismissed, or where one was reverted."""
    if item.status == "resolved":
        return " (conversation resolved)"
    if _names_a_commit(item):
        return f" ({item.reason})"
    if item.status != "offered":
        return ""
    if item.delivery == "fixup" and item.fixup_number:
        return f" (fixup pull request #{item.fixup_number})"
    if item.delivery == "patch" and ON_REQUEST in item.reason:
        return " (patch; `/heal pr <id>` opens a pull request)"
    return {"suggestion": " (suggested change)", "patch": " (patch)", "fixup": " (fixup pull request)"}.get(
        item.delivery, ""
    )


def patch(proposal_id: str, text: str, can_apply: bool = True) -> str:
    """A patch to apply by hand, folded, with the line that does it; of one that is too long, what else there is."""
    name = f"heal-{short(proposal_id)}.patch"
    if len(text) > 20_000:
        id_ = short(proposal_id)
        if can_apply:
            return f"The patch of `{id_}` is too long for a comment. `/heal apply {id_}` commits it."
        return (
            f"The patch of `{id_}` is too long for a comment, and Heal never pushes to forks. `/heal show {id_}` shows "
            "its beginning; make the rest of the change by hand."
        )
    line = apply_line(text)
    how = f"Save the diff below as `{name}` and run `git apply {name}` in the repository's root."
    if line is not None:
        save = f"save the diff below it as `{name}` and run `git apply {name}`"
        how = f"In the repository's root, run this command, or {save}:\n\n{block(line, 'sh')}"
    if BINARY in text:
        how += f"\n\n{UNREADABLE}"
    return fold(f"Patch of fix {short(proposal_id)}", f"{how}\n\n{block(text, 'diff', most=20_000)}")
