"""Handles commands from Heal's dashboard like commands in a comment on the pull request.

The user's current permission is read from GitHub, and the answer is posted on the pull request, with the user's name.
"""

from handlers.comment_created import execute_command
from handlers.comments import answers
from handlers.events import AskedOnDashboard, CommentCreated
from handlers.model import Context
from handlers.slash.reading.commands import Command


async def handle(event: AskedOnDashboard, context: Context) -> None:
    """Executes and answers the command like one in a comment, but without the 👀 reaction."""
    command = Command(word=event.word, args=event.args, rest=" ".join(event.args))
    opening = answers.asked_on_dashboard(event.sender.login, event.word, event.args)
    await execute_command(command, as_comment(event), context, opening)


def as_comment(event: AskedOnDashboard) -> CommentCreated:
    """Returns the equivalent comment."""
    return CommentCreated(
        installation_id=event.installation_id,
        repo=event.repo,
        sender=event.sender,
        number=event.number,
        comment_id=event.ask_id,
        where="dashboard",
        body="",
    )
