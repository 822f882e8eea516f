"""Rebuilds the fixup pull requests into the default branch on its new head, after it has moved."""

from handlers.acceptance.carry_over import move_fixes_to_head
from handlers.delivery.ground import branch_as_pull
from handlers.events import DefaultBranchMoved
from handlers.model import Context


async def handle(event: DefaultBranchMoved, context: Context) -> None:
    """Sends no request to GitHub if no such pull request is open. Fixes that are on the branch already are marked
    applied, fixes that no longer hold there outdated; a pull request without remaining fixes is closed."""
    branch = event.repo.default_branch
    if all(fixup.target for fixup in await context.store.fixups()):
        return
    async with context.work_lock(0):
        head = await context.github.branch_head(branch)  # events come in any order
        if head is not None:
            await move_fixes_to_head(context, branch_as_pull(head, branch, event.repo.full_name), event.repo.full_name)
