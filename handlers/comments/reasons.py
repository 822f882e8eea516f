"""Why a fix is not offered (any more) or not as a suggestion: clauses for lists and tables."""

THE_FORK = "the fork has a newer commit"
FORK_MOVED = "once somebody with write access comments /heal, what still applies is offered again"
GITHUB_REFUSED = "GitHub refused the suggested change"
NO_PATCH = (
    "one of its file names has characters that a patch in a comment can't show, such as quotes, backslashes or hidden "
    "characters"
)
NOT_FITTING = "it no longer applies to this branch"
ON_BASE = "it is already on the base branch, so there is nothing to apply"
UNCLEAR = (
    "Heal can't tell whether it is on the branch: no commit contains it, and its patch applies both forwards "
    "and in reverse. Nothing was changed; compare the lines with `/heal show <id>` and edit them by hand"
)
EDITED = "it was applied, and its lines have been edited since. Heal left them alone; make any further change by hand"
ON_REQUEST = "fixup pull requests are opened only on request in this repository: comment /heal pr <id>"
REVERTED_IN = "in commit "
PULL_CLOSED = "the pull request was closed"
TIED = "it depends on another fix"
IN_THE_WAY = "it conflicts with another fix on the current commit"
LINES_TAKEN = "a fix with higher confidence changes the same lines"
REVIEW_FULL = "the review has reached its limit of comments"
DELETED_LINE = "GitHub can't commit a suggestion across a deleted line"
CRLF = "the file has CRLF line endings"
NOT_UTF8 = "the file is not UTF-8 text"
FINAL_NEWLINE = "it changes the newline at the end of the file"
NO_FINAL_NEWLINE = "it changes the last line of a file that has no newline at the end"
JOINS_LINES = "it joins two lines"
TOO_LONG = "it is too long for a comment"
TRAILING_BLANKS = "its lines end in whitespace, which GitHub may drop from a comment"
CONTROL_CHARACTERS = "it has control characters, which GitHub may drop from a comment"
OUR_MARKS = "it contains text that looks like one of Heal's hidden markers"
WHOLE_FILE = "it creates or deletes a file"
SAME_LINE = "two of its parts change the same line"


def no_file(path: str) -> str:
    """The file is gone."""
    return f"the branch has no {path}"


def not_in_diff(path: str) -> str:
    """A review can only comment on what the pull request changes, and a little around it."""
    return f"it changes lines of {path} that are not in the pull request's diff"


def resolved_by(login: str) -> str:
    """A fix whose suggestion's thread a person resolved without committing it."""
    return f"{login} resolved the conversation without committing the suggestion; unresolving it brings the fix back"


def reverted_in(sha: str) -> str:
    """A fix that `/heal rollback` reverted."""
    return f"{REVERTED_IN}{sha[:12]}"


def gone(kept: bool) -> str:
    """An applied fix that is no longer on the branch; `kept`: the commit that brought it in still is."""
    return "a later commit reverted it" if kept else "a force-push removed it"
