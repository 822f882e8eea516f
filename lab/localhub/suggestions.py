"""The "Commit suggestion" button: the block in a comment replaces exactly the commented lines."""

import re
from dataclasses import dataclass

from lab.localhub import diffs, pull_heads, pushes, repos, reviews
from lab.localhub.hub import Hub
from lab.localhub.state import Account, Pull, Refused, ReviewComment

FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})[ \t]*suggestion\b[^\n`]*$")


@dataclass(frozen=True)
class Replacement:
    """Replaces lines start..end of a file by `lines`."""

    comment: ReviewComment
    start: int
    end: int
    lines: tuple[str, ...]


def suggested_lines(body: str) -> tuple[str, ...] | None:
    """Returns the lines in the first suggestion block of a comment (none: delete the lines); None without a block."""
    lines = body.replace("\r\n", "\n").split("\n")
    for at, line in enumerate(lines):
        opening = FENCE.match(line)
        if opening:
            fence = opening["fence"]
            closing = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
            rest = lines[at + 1 :]
            end = next((i for i, text in enumerate(rest) if closing.match(text)), len(rest))
            return tuple(rest[:end])
    return None


def commit_suggestion(hub: Hub, person: str, comment_ids: list[int], message: str | None = None) -> str:
    """A person commits one suggestion or a batch of them as one commit on the head branch. Returns the new head.

    Raises Refused(422) with the message of GitHub's page if one can't be applied; then nothing has changed.
    """
    with hub.lock:
        comments = [hub.review_comments[number] for number in comment_ids]
        pull = hub.pull(hub.repos[comments[0].repo_id], comments[0].number)
        account = hub.person(person)
        _refuse_pull(hub, person, pull)
        wanted = [_replacement(hub, one) for one in comments]
        head_repo = hub.repos[pull.head_repo_id or 0]
        files: dict[str, bytes] = {}
        for path in dict.fromkeys(one.comment.path for one in wanted):
            before = hub.bare(head_repo).read(pull.head_sha, path)
            if before is None:
                raise Refused(422, "This suggestion is invalid because the file is gone.")
            files[path] = replaced(before, [one for one in wanted if one.comment.path == path])
        text = message or _headline(list(files), len(wanted))
        text += _trailers(account, [one.author for one in comments])
        new = repos.commit_object(hub, head_repo, [pull.head_sha], files, text, account, repos.committer(hub))
        pushes.move_branch(hub, head_repo, pull.head_ref, new, account)
        for one in comments:
            thread = hub.threads[one.thread_id]
            thread.applied_sha = new
            reviews.set_resolved(hub, account, thread)
        return new


def why_not(hub: Hub, comment: ReviewComment) -> str | None:
    """Returns the text that the page shows instead of the button; None if the suggestion can be committed."""
    pull = hub.pull(hub.repos[comment.repo_id], comment.number)
    if pull.state != "open":
        return "Suggestions cannot be applied while the pull request is closed."
    if suggested_lines(comment.body) is None:
        return "This comment has no suggestion."
    if comment.side != "RIGHT" or comment.start_side == "LEFT" or _spans_deleted(hub, pull, comment):
        return "Applying suggestions on deleted lines is not supported."
    if hub.reviews[comment.review_id].state == "PENDING":
        return "Suggestions cannot be applied from pending reviews."
    if hub.threads[comment.thread_id].resolved:
        return "This suggestion has been applied or marked resolved."
    if comment.line is None or comment.in_reply_to is not None:
        return "Outdated suggestions cannot be applied."
    return None


def _spans_deleted(hub: Hub, pull: Pull, comment: ReviewComment) -> bool:
    """Whether a deleted line is inside the comment's range, in the diff on which it was written or the current one."""
    written = diffs.read_hunk(comment.diff_hunk)
    start, end = comment.original_start_line, comment.original_line
    if written is not None and start is not None and end is not None and written.spans_deleted(start, end):
        return True
    if comment.start_line is None or comment.line is None:
        return False
    file = diffs.find(pull_heads.files(hub, pull), comment.path)
    hunk = file.hunk_of("RIGHT", comment.line) if file else None
    return hunk is not None and hunk.spans_deleted(comment.start_line, comment.line)


def _refuse_pull(hub: Hub, person: str, pull: Pull) -> None:
    head_repo = hub.repos.get(pull.head_repo_id or 0)
    if head_repo is None:
        raise Refused(422, "The branch was deleted.")
    maintainer = pull.maintainer_can_modify and hub.may(hub.repos[pull.repo_id], person, "write")
    if not (hub.may(head_repo, person, "write") or maintainer):
        raise Refused(403, "You don't have permission to push to this branch.")


def _replacement(hub: Hub, comment: ReviewComment) -> Replacement:
    reason = why_not(hub, comment)
    lines = suggested_lines(comment.body)
    if reason or comment.line is None or lines is None:
        raise Refused(422, reason or "This comment has no suggestion.")
    return Replacement(comment, comment.start_line or comment.line, comment.line, lines)


def replaced(before: bytes, wanted: list[Replacement]) -> bytes:
    """Applies all replacements to a file, from the bottom up. GitHub's page always writes LF."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+$", before)
    below: int | None = None
    for one in sorted(wanted, key=lambda r: r.start, reverse=True):
        if below is not None and one.end >= below:
            raise Refused(422, "Only one suggestion per line can be applied in a batch.")
        if one.end > len(lines):
            raise Refused(422, "Outdated suggestions cannot be applied.")
        lines[one.start - 1 : one.end] = [f"{line}\n".encode() for line in one.lines]
        below = one.start
    after = b"".join(lines)
    if after == before:
        raise Refused(422, "This suggestion is invalid because no changes were made to the code.")
    return after


def _headline(paths: list[str], count: int) -> str:
    if len(paths) == 1 and count == 1:
        return f"Update {paths[0].rpartition('/')[2]}"
    return "Apply suggestions from code review"


def _trailers(applier: Account, authors: list[Account]) -> str:
    """Returns a Co-authored-by line for each suggester who isn't the applier."""
    others = {author.id: author for author in authors if author.id != applier.id}
    lines = [f"Co-authored-by: {a.name or a.login} <{a.email}>" for a in others.values()]
    return "\n\n" + "\n".join(lines) + "\n" if lines else "\n"
