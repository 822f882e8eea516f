"""Why Heal does nothing on a pull request, with what to do about it; follows "Skipped:"."""

from handlers.comments.clean import code
from handlers.comments.starting import AGAIN_ANYWHERE

OWN = "Heal doesn't repair its own pull requests. If you close one that offers fixes, they count as rejected."
FORK = (
    "this pull request comes from a fork, and Heal runs a fork's code only after somebody with write access comments "
    "`/heal`."
)
DRAFT = "this pull request is a draft. Mark it ready, or comment `/heal`."
DEPENDENCY_BOT = (
    "a dependency bot opened this pull request and stops updating it once anyone else commits. Comment `/heal` to run "
    "anyway."
)
MERGE_QUEUE = (
    "this pull request failed in the merge queue, and `skip` in `.github/heal.yml` turns Heal off there. Comment "
    "`/heal` to run anyway."
)
BEHIND_IN_QUEUE = (
    "this pull request failed in the merge queue behind others that failed too. GitHub tries it again without them, so "
    "there is nothing to do."
)
PATHS = "every changed file is excluded by `skip` in `.github/heal.yml`. Comment `/heal` to run anyway."
MESSAGE = "the commit message contains `[skip heal]`. Comment `/heal` to run anyway."
ROLLED_BACK = "this commit reverted a fix, so the old failure is expected. `/heal retry` looks for another fix."
LOOP = (
    "Heal made this commit and has reached its limit of runs on its own commits (`generations` in `.github/heal.yml`). "
    "Comment `/heal` to run anyway."
)
MOVED = "there is a newer commit. Heal will run on that one if a check fails."
CLOSED_BEFORE = "the pull request was closed before the run began."
MOVED_BEFORE = "a newer commit arrived before the run began. Heal will run on that one if a check fails."
NO_PULL = "the commit is not the latest commit of an open pull request."
ENDED = f"Heal was interrupted before it could report. {AGAIN_ANYWHERE}"
CLOSED = "the pull request was closed during the run."


def not_on(branch: str) -> str:
    """CI named the default branch, and GitHub has the commit elsewhere."""
    return f"this commit is no longer on {code(branch, 100)}, and no open pull request contains it."


def branch(name: str) -> str:
    """The repository names the branches that Heal works on."""
    return f"the branch {code(name, 100)} is not in `branches` in `.github/heal.yml`. Comment `/heal` to run anyway."


def label(name: str) -> str:
    """A label tells Heal to skip the pull request."""
    return (
        f"this pull request has the label {code(name, 100)}, which is listed under `skip` in "
        "`.github/heal.yml`. Remove the label, or comment `/heal`."
    )


def retargeted(base: str) -> str:
    """What was tested against the old base says nothing about the new one."""
    return (
        f"the base branch was changed to {code(base, 100)} during the run. Fixes that still apply stay open on this "
        "pull request, and Heal will run again for the remaining errors."
    )
