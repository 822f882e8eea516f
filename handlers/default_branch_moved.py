"""The default branch moved: the fixup pull requests into it are stacked again on its new head."""

from handlers.acceptance.carry_over import follow
from handlers.delivery.ground import branch_as_pull
from handlers.events import DefaultBranchMoved
from handlers.model import Context


async def handle(event: DefaultBranchMoved, context: Context) -> None:
    """Asks nothing of GitHub where no such pull request is open. What is on the branch already is applied; what no
    longer holds there is outdated, and a pull request with nothing of use left is closed."""
    branch = event.repo.default_branch
    if all(fixup.target for fixup in await context.store.fixups()):
        return
    async with context.work_lock(0):
        head = await context.github.branch_head(branch)  # events come in any order
        if head is not None:
            await follow(context, branch_as_pull(head, branch, event.repo.full_name), event.repo.full_name)
