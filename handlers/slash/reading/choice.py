"""Determines which fixes a command is about: by prefixes of ids, `all`, or the suggestion that it replies to."""

from typing import NamedTuple

from handlers.comments import answers, marks
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context, ProposalStatus, StoredProposal
from handlers.slash.reading.ids import MIN_LENGTH, near_ids
from healing.steps import Json


class Choice(NamedTuple):
    """The chosen fixes, `stored` in the order in which they were made; `rest` is what follows the ids."""

    stored: tuple[StoredProposal, ...]
    rest: tuple[str, ...]


async def choose(
    comment: CommentCreated,
    args: tuple[str, ...],
    context: Context,
    command: str,
    statuses: tuple[ProposalStatus, ...],
) -> Choice:
    """The fixes that a command is about. `all`, or no id if there is only one such fix, stand for fixes with one of
    `statuses`. The choice is a durable step, so that it stays the same after a crash, whatever the command did before.

    Raises UserError if no fix or more than one fits.
    """

    async def choose_now() -> Json:
        choice = await _choose(comment, args, context, command, statuses)
        return {"ids": [item.proposal.id for item in choice.stored], "rest": list(choice.rest)}

    chosen = await context.steps.run("choice", [command, list(args)], choose_now)
    known = await context.store.proposals(comment.number)
    return Choice(tuple(item for item in known if item.proposal.id in chosen["ids"]), tuple(chosen["rest"]))


async def _choose(
    comment: CommentCreated, args: tuple[str, ...], context: Context, command: str, statuses: tuple[ProposalStatus, ...]
) -> Choice:
    known = await context.store.proposals(comment.number)
    fitting = tuple(item for item in known if item.status in statuses)
    if args and args[0].lower() == "all":
        return Choice(_all(command, fitting), args[1:])
    ids: list[str] = []
    rest = args
    while rest and (found := _by_prefix(rest[0], known)) is not None:
        ids.append(found)
        rest = rest[1:]
    if ids:
        return Choice(tuple(item for item in known if item.proposal.id in ids), rest)
    replied = await replied_to(comment, known, context)
    if replied is not None:
        return Choice((replied,), rest)
    if args:
        every = tuple(item.proposal.id for item in known)
        fits = tuple(item.proposal.id for item in fitting)
        raise UserError(answers.not_known(args[0], fits, near_ids(args[0], every)))
    if len(fitting) == 1:
        return Choice(fitting, rest)
    return Choice(_ask(command, fitting), rest)


def _all(command: str, fitting: tuple[StoredProposal, ...]) -> tuple[StoredProposal, ...]:
    """What `all` stands for. A fix that changes tests, or what is run, is only applied by its own id."""
    chosen = tuple(item for item in fitting if command != "apply" or not item.proposal.touches)
    if not chosen and fitting:
        raise UserError(answers.by_name_only(tuple(item.proposal for item in fitting)))
    return chosen or _ask(command, ())


def _ask(command: str, fitting: tuple[StoredProposal, ...]) -> tuple[StoredProposal, ...]:
    raise UserError(answers.which(command, tuple(item.proposal.id for item in fitting)))


def _by_prefix(word: str, known: tuple[StoredProposal, ...]) -> str | None:
    prefix = word.strip("`,;").lower()
    if len(prefix) < MIN_LENGTH:
        return None
    found = tuple(dict.fromkeys(item.proposal.id for item in known if item.proposal.id.lower().startswith(prefix)))
    if len(found) > 1:
        raise UserError(answers.ambiguous(prefix, found))
    return found[0] if found else None


async def replied_to(
    comment: CommentCreated, known: tuple[StoredProposal, ...], context: Context
) -> StoredProposal | None:
    """The fix to whose suggestion the comment replies. The store has a fix's first comment; further ones have its id in
    their hidden mark."""
    if comment.in_reply_to is None:
        return None
    for item in known:
        if item.comment_id == comment.in_reply_to:
            return item
    for one in await context.github.review_comments(comment.number):
        if one.id == comment.in_reply_to and one.author == f"{context.slug}[bot]":
            id_ = marks.proposal_in(one.body)
            return next((item for item in known if item.proposal.id == id_), None)
    return None
