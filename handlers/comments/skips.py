"""Why Heal does nothing on a pull request, with what to do about it; follows "Heal did nothing here:" (GH-10)."""

from handlers.comments.clean import code

OWN = "this pull request is Heal's own. Close it if you don't want it."
FORK = "it comes from a fork, and code of strangers only runs when somebody with write access says `/heal`."
DRAFT = "it is a draft. Mark it ready, or say `/heal`."
DEPENDENCY_BOT = (
    "a dependency bot made it, and stops keeping it up to date once others commit. Say `/heal` to look anyway."
)
MERGE_QUEUE = (
    "what failed is its merge in the merge queue, which `skip` in `.github/heal.yml` leaves alone unless it says "
    "otherwise. Say `/heal` to look anyway."
)
PATHS = "it only changes files that `skip` in `.github/heal.yml` names. Say `/heal` to look anyway."
MESSAGE = "the commit's message says `[skip heal]`. Say `/heal` to look anyway."
ROLLED_BACK = "this commit took a fix back, so the old failure is expected. Say `/heal retry` for another fix."
LOOP = "this commit is Heal's fix of Heal's own commit; going on would be a loop. Say `/heal` to look anyway."
MOVED = "the branch moved on while it was at work. The new head is looked at when a check fails there."
CLOSED_BEFORE = "the pull request was closed before it began."
MOVED_BEFORE = "the branch moved on before it began. The new head is looked at when a check fails there."
NO_PULL = "the commit is the head of no open pull request."
ENDED = "it ended before it could report here. `/heal` starts again."
CLOSED = "the pull request was closed while it was at work."


def not_on(branch: str) -> str:
    """A check said that the commit is on the default branch, and GitHub says that it isn't."""
    return f"this commit is not on {code(branch, 100)} (any more), and belongs to no open pull request."


def label(name: str) -> str:
    """A label says so."""
    return f"it has the label {code(name, 100)} (`skip` in `.github/heal.yml`). Take it off, or say `/heal`."
