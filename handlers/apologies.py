"""What somebody asked for is answered also where an error of Heal's own kept it from being done."""

from handlers.asked_on_dashboard import as_comment
from handlers.comment_created import answer
from handlers.comments import answers
from handlers.events import AnyEvent, AskedOnDashboard, CommentCreated
from handlers.model import Context
from handlers.slash.reading.commands import parse_command


async def apologise(event: AnyEvent, reference: str, context: Context) -> None:
    """For anyone who catches the error; `reference` is what the log knows it by. Events that ask for nothing stay
    without an answer."""
    if isinstance(event, AskedOnDashboard):
        await answer(as_comment(event), answers.apology(reference), context)
    elif isinstance(event, CommentCreated) and parse_command(event.body) is not None:
        await answer(event, answers.apology(reference), context)
