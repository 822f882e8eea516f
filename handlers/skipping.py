"""Whether a red commit is healed at all, and the one line that says why not (IN-4, IN-5, GH-10). Pure."""

from handlers.asking import wish_among
from handlers.ports import Pull
from handlers.trailers import MAX_GENERATIONS, asks_to_skip, generation_of, rolled_back_by

BOTS = ("dependabot[bot]", "renovate[bot]")
Failures = tuple[dict[str, object], ...]


def why_not(pull: Pull, full_name: str, slug: str, message: str | None, failures: Failures) -> str | None:
    """The reason to leave a pull request alone; None: heal it. A person's command lifts all but the last rules."""
    own_pull = pull.author == f"{slug}[bot]"
    if own_pull:
        return "this pull request is Heal's own. Close it if you don't want it."
    if wish_among(failures) is not None:
        return None
    if pull.is_fork_of(full_name):
        return "it comes from a fork, and code of strangers only runs when somebody with write access says `/heal`."
    if pull.draft:
        return "it is a draft. Mark it ready, or say `/heal`."
    if pull.author in BOTS or pull.head_ref.startswith(("dependabot/", "renovate/")):
        return (
            "a dependency bot made it, and stops keeping it up to date once others commit. Say `/heal` to look anyway."
        )
    return _by_message(message)


def _by_message(message: str | None) -> str | None:
    if asks_to_skip(message):
        return "the commit's message says `[skip heal]`. Say `/heal` to look anyway."
    if rolled_back_by(message):
        return "this commit took a fix back, so the old failure is expected. Say `/heal retry` for another fix."
    if generation_of(message) > MAX_GENERATIONS:
        return "this commit is Heal's fix of Heal's own commit; going on would be a loop. Say `/heal` to look anyway."
    return None


def default_branch_of(failures: Failures) -> str | None:
    """The default branch, where the failed commit is on it (by what the failures say)."""
    for failure in failures:
        branch, default = failure.get("head_branch"), failure.get("default_branch")
        if isinstance(branch, str) and branch == default:
            return branch
    return None
