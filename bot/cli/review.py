"""`heal review`: shows each open fix with its diff and asks the person to decide."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.apply import apply_or_revert_one
from bot.cli.clone import open_clone
from bot.cli.options import HERE, Clone
from bot.cli.proposals import put_proposal
from bot.cli.shell import ENDING, EXIT_ERRORS_LEFT, EXIT_HEALTHY, put, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo
    from handlers.model import StoredProposal

ASKED = "[a]pply, [e]dit, [r]eject, [s]kip, [q]uit, [?]"
HELP = """\
a      apply it to your files
e      open the files as it would make them in $EDITOR, and apply what you leave there
r WHY  reject it; the reason may be left out
s      decide later (an empty line does the same)
d      show it again
q      stop here (so does the end of the input)"""
BY_HAND = "changed by hand, so what was tested is not what was applied. Test it: heal check"


def review(repo: Clone = HERE) -> int:
    """Step through the open fixes: see each diff and its proof, then apply, edit, reject or skip it.

    Answers are read from standard input, one a line, so a pipe can give them too. Exit code 1: one could not be
    applied.

    Example: heal review
    """
    return wait_for(_review(repo))


async def _review(path: Path) -> int:
    async with open_clone(path) as repo:
        pending = [one for one in await repo.refreshed() if one.status == "pending"]
        if not pending:
            put("no open fixes for this clone. Look for some: heal run")
            return EXIT_HEALTHY
        review = Review(repo)
        for number, one in enumerate(pending, 1):
            put(f"\n{number} of {len(pending)}", "1")
            put_proposal(repo, one)
            if not await review.decide(one):
                break
        put("\n" + review.summary(len(pending)))
    return EXIT_ERRORS_LEFT if review.refused else EXIT_HEALTHY


class Review:
    """Asks about each fix and counts the results."""

    def __init__(self, repo: "LocalRepo") -> None:
        self._repo = repo
        self.applied = self.rejected = self.refused = 0

    async def decide(self, item: "StoredProposal") -> bool:
        """Asks until there is a decision. Returns False if the person quits."""
        while True:
            word, _, rest = _ask().partition(" ")
            match word:
                case "a" | "apply":
                    await self._apply(item)
                    return True
                case "e" | "edit":
                    if await self._edit(item):
                        return True
                case "r" | "reject":
                    await self._repo.mark(item, "rejected", rest.strip())
                    self.rejected += 1
                    return True
                case "s" | "skip" | "":
                    return True
                case "d":
                    put_proposal(self._repo, item)
                case "q" | "quit" | "\x04":
                    return False
                case _:
                    put(HELP)

    async def _apply(self, item: "StoredProposal", reason: str = "") -> None:
        result = await apply_or_revert_one(self._repo, item, "applied", reason)
        self.applied += not result.why
        self.refused += bool(result.why)
        put(result.text("applied"), "31" if result.why else "32")

    async def _edit(self, item: "StoredProposal") -> bool:
        """Lets the person edit the fix and applies it. Returns False if there is nothing to apply."""
        from bot.cli.editing import edited
        from bot.laptop.working_tree import DoesNotFit, WorkingTree
        from healing.edits.exact import EditError

        try:
            made = edited(item.proposal, WorkingTree(self._repo.root))
        except (UserError, DoesNotFit, EditError) as error:
            put(str(error), "31")
            return False
        if made is None:
            put("you changed nothing in it; apply it as it is with: a")
            return False
        await self._apply(item.model_copy(update={"proposal": made}), BY_HAND)
        put(f"note: {BY_HAND}")
        return True

    def summary(self, total: int) -> str:
        """How many fixes were applied, rejected and left."""
        left = total - self.applied - self.rejected
        summary = f"{self.applied} applied, {self.rejected} rejected, {left} left for later"
        return summary + ("; revert one: heal rollback ID" if self.applied else "")


def _ask() -> str:
    """The next answer; `\\x04` at the end of the input."""
    import signal

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    # The event loop's handlers only cancel tasks, and this blocking read would not notice that.
    before = [(number, signal.signal(number, signal.default_int_handler)) for number in ENDING]
    loop = signal.set_wakeup_fd(-1)
    try:
        print(f"\x1b[1m{ASKED}\x1b[0m " if colour else f"{ASKED} ", end="", flush=True)
        line = sys.stdin.readline()
    finally:
        signal.set_wakeup_fd(loop)
        for number, handler in before:
            signal.signal(number, handler)
    if not sys.stdin.isatty():
        put(line.rstrip("\n"))
    return line.strip() if line else "\x04"
