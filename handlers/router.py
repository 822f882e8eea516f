"""Routes each event to its handler, by one ordered table. Heal's own events are ignored."""

from collections.abc import Awaitable, Callable
from typing import Any

from handlers import (
    asked_of_commit,
    asked_on_dashboard,
    button_pressed,
    comment_created,
    default_branch_moved,
    installed,
    pull_closed,
    pull_moved,
    rerun_asked,
    run_failed,
    status_passed,
    suite_requested,
    suite_settled,
    thread_resolved,
)
from handlers.events import (
    AnyEvent,
    AskedOfCommit,
    AskedOnDashboard,
    ButtonPressed,
    CheckFailed,
    CommentCreated,
    DefaultBranchMoved,
    Installed,
    PullChanged,
    PullClosed,
    RerunAsked,
    StatusPassed,
    SuiteRequested,
    SuiteSettled,
    ThreadResolved,
    Uninstalled,
)
from handlers.model import Accounts, Context

TRIALS = "heal/try/"  # branches of CI trial runs

Handler = Callable[[Any, Context], Awaitable[None]]
AccountHandler = Callable[[Any, Accounts], Awaitable[None]]

TABLE: tuple[tuple[type[Any], Handler], ...] = (
    (CheckFailed, run_failed.handle),
    (SuiteSettled, suite_settled.handle),
    (SuiteRequested, suite_requested.handle),
    (StatusPassed, status_passed.handle),
    (RerunAsked, rerun_asked.handle),
    (ButtonPressed, button_pressed.handle),
    (PullChanged, pull_moved.handle),
    (PullClosed, pull_closed.handle),
    (ThreadResolved, thread_resolved.handle),
    (DefaultBranchMoved, default_branch_moved.handle),
    (CommentCreated, comment_created.handle),
    (AskedOnDashboard, asked_on_dashboard.handle),
    (AskedOfCommit, asked_of_commit.handle),
)

OF_ACCOUNTS: tuple[tuple[type[Any], AccountHandler], ...] = (
    (Installed, installed.handle_installed),
    (Uninstalled, installed.handle_uninstalled),
)


async def handle(event: AnyEvent, context: Context) -> None:
    """Calls the event's handler, unless the event is Heal's own."""
    if is_own(event, context.slug):
        return
    for kind, handler in TABLE:
        if isinstance(event, kind):
            await handler(event, context)
            return


async def handle_account(event: Installed | Uninstalled, accounts: Accounts) -> None:
    """Calls the handler of an account's event."""
    for kind, handler in OF_ACCOUNTS:
        if isinstance(event, kind):
            await handler(event, accounts)
            return


def is_own(event: AnyEvent, slug: str) -> bool:
    """Whether Heal (or, for commands and threads, any bot) caused this event, so that it must be ignored.

    A failed check on a commit of Heal's is handled: CI tests it like any other commit, and its `Heal-Generation`
    trailer bounds the loop (handlers/runs/skipping.py). So is a push of Heal's, which only moves suggestions.
    """
    if isinstance(event, CommentCreated | ThreadResolved):
        return event.sender.is_bot or event.sender.login == f"{slug}[bot]"
    if isinstance(event, CheckFailed | SuiteSettled | StatusPassed):
        branch = event.own_branch if isinstance(event, CheckFailed) else event.head_branch
        if (branch or "").startswith(TRIALS):
            return True
    if isinstance(event, CheckFailed | SuiteSettled):
        return event.app_slug == slug
    return False
