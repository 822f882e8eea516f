"""The texts about requests that GitHub refused: GitHub's message, and what to do."""

from handlers.comments.clean import block, code, joined
from handlers.comments.starting import AGAIN_ANYWHERE
from handlers.model.refusal import Kind, Refusal

LIMIT = 500  # characters of GitHub's words
# What GitHub can refuse.
REVIEW, FIXUP, SUMMARY = "the suggested change", "the fixup pull request", "the summary comment"
COMMIT, PULL_REQUEST = "the commit", "the pull request"
REQUEST = "the request"  # where it is not known which

# An owner can only accept what the App asks for.
_GRANT = (
    "in the App's settings; an owner of the account or organization must then accept it under *Settings → GitHub Apps "
    "→ Configure*."
)
KEPT = f"Results so far are kept. {AGAIN_ANYWHERE}"
_ADVICE: dict[Kind, str] = {
    "secret": (
        "Push protection found what looks like a secret in Heal's change. If it is a false alarm, allow it under the "
        "repository's *Security* tab and try again. Otherwise reject the fix with `/heal reject <id>` and fix the "
        "error by hand."
    ),
    "workflow": (
        "Heal's GitHub App lacks the permission *Workflows: write*, which is required to change workflow files. Make "
        f"this change by hand. Or, to let Heal make it, ask your Heal admin to add the permission {_GRANT}"
    ),
    "rule": (
        "A ruleset or branch protection doesn't let Heal's GitHub App do this. To allow it, add the App to the rule's "
        "bypass list (*Settings → Rules*)."
    ),
    "permission": f"Heal's GitHub App lacks a permission for this. Ask your Heal admin to add it {_GRANT}",
    "locked": "Unlock the conversation, or read the check run “Heal”, which has everything.",
    "archived": "The repository is archived and takes no changes until it is unarchived.",
    "access": (
        "GitHub no longer accepts the credentials of Heal's GitHub App. Check that the App is still installed on this "
        "repository and not suspended, or ask your Heal admin."
    ),
    "missing": (
        "GitHub also answers “not found” when Heal's GitHub App lacks a permission. If the repository, the branch "
        "and the pull request are still there, ask your Heal admin to check that the App has every permission that "
        "Heal needs."
    ),
    "other": "Try again. If it happens again, send this message to your Heal admin.",
}


def reason(what: str, refusal: Refusal) -> str:
    """A clause for lists and tables: what was refused, with GitHub's message."""
    return f"GitHub refused {what} ({refusal.status}): {code(_words(refusal), LIMIT)}"


def _words(refusal: Refusal) -> str:
    return " ".join(refusal.words.split())[:LIMIT] or "no reason given"


def explained(what: str, refusal: Refusal) -> str:
    """Sentences for a comment or a check run: what was refused, GitHub's message, what to do."""
    words = _words(refusal)
    stop = "" if words.endswith(".") else "."
    return f"GitHub refused {what} ({refusal.status}): {code(words, LIMIT)}{stop} {_advice(refusal)}"


def _advice(refusal: Refusal) -> str:
    if refusal.kind != "permission" or not refusal.needs:
        return _ADVICE[refusal.kind]
    needed = " or ".join(f"*{one}*" for one in refusal.needs)
    return f"Heal's GitHub App needs the permission {needed} for this. Ask your Heal admin to add it {_GRANT}"


def notes(refused: tuple[tuple[str, Refusal], ...]) -> tuple[str, ...]:
    """A note for each different refusal of a run, with all that it was about."""
    about: dict[Refusal, dict[str, None]] = {}
    for what, refusal in refused:
        about.setdefault(refusal, {})[what] = None
    return tuple(explained(" and ".join(whats), refusal) for refusal, whats in about.items())


def stopped(refusal: Refusal, request: str = "") -> str:
    """Why a run ended early, for the check run. `request` is what GitHub refused; empty if that is not known."""
    head = "**Stopped: GitHub refused a request that the run needed.** Results so far are kept."
    what = code(request, 200) if request else REQUEST
    return joined([head, f"{explained(what, refusal)} {AGAIN_ANYWHERE}"])


def command_refused(command: str, refusal: Refusal) -> str:
    """The answer to a command if GitHub refused a request of its; part of the command may be done."""
    return explained(f"a request that `{command}` needs", refusal)


def rollback_refused(refusal: Refusal, by_hand: str) -> str:
    """Neither a commit nor a pull request may revert the fixes: the reverse change, to do by hand."""
    return joined(
        [
            f"**Nothing was changed.** {explained('both the commit and the pull request', refusal)}",
            "To do it by hand, this is the reverse change:",
            block(by_hand, "diff", most=8000),
        ]
    )


def unreachable(what: str, words: str = "") -> str:
    """Why a run was given up: `what` did not respond for too long; `words` is its last error."""
    last = f" The last error: {code(words, LIMIT)}." if words else ""
    return f"**Stopped: {what} could not be reached.**{last} {KEPT}"


def never_ended() -> str:
    """Why a run was given up: Heal's process ended during it several times."""
    why = "Heal crashed or was shut down each time it worked on this run"
    ask = "Results so far are kept. Heal's log says more; ask your Heal admin before you run Heal again."
    return f"**Stopped: {why}.** {ask}"
