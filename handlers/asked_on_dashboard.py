"""Somebody asked for something on Heal's dashboard: the same as saying the command on the pull request.

GitHub is asked what the person may do now, and the answer stands on the pull request, where everybody sees who asked.
"""

from handlers.comment_created import carry_out
from handlers.comments import answers
from handlers.events import AskedOnDashboard, CommentCreated
from handlers.model import Context
from handlers.slash.reading.commands import Command


async def handle(event: AskedOnDashboard, context: Context) -> None:
    """Obeyed and answered as a comment is; there is nothing to react to with 👀."""
    command = Command(word=event.word, args=event.args, rest=" ".join(event.args))
    opening = answers.asked_on_dashboard(event.sender.login, event.word, event.args)
    await carry_out(command, as_comment(event), context, opening)


def as_comment(event: AskedOnDashboard) -> CommentCreated:
    """The comment that it stands for, and that is answered."""
    return CommentCreated(
        installation_id=event.installation_id,
        repo=event.repo,
        sender=event.sender,
        number=event.number,
        comment_id=event.ask_id,
        where="dashboard",
        body="",
    )
