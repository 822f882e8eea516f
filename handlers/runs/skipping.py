"""Whether Heal works on a red commit at all, and the reason if not. Pure."""

from handlers.comments import skips
from handlers.comments.trailers import asks_to_skip, generation_of, rolled_back_by
from handlers.model import Pull
from handlers.model.repo_policy import RepoPolicy
from handlers.model.skip_rules import SkipRules
from handlers.model.wishes import find_request
from handlers.runs.finding import Failures
from handlers.runs.merge_queue import only_in_queue
from healing.policy.path_patterns import matches

BOTS = ("dependabot[bot]", "renovate[bot]")
BOT_BRANCHES = ("dependabot/", "renovate/")
DEFAULTS = RepoPolicy()


def why_not(
    pull: Pull,
    full_name: str,
    slug: str,
    message: str | None,
    failures: Failures,
    policy: RepoPolicy = DEFAULTS,
    paths: tuple[str, ...] = (),
) -> str | None:
    """Returns the reason to leave a pull request alone, or None. `paths` are the files that it changes, needed if the
    repository's rules name paths. A person's command lifts all rules but the first."""
    if pull.author == f"{slug}[bot]":
        return skips.OWN
    if find_request(failures) is not None:
        return None
    if policy.skip.merge_queue and only_in_queue(failures):
        return skips.MERGE_QUEUE
    if policy.branches and not any(matches(pattern, pull.base_ref) for pattern in policy.branches):
        return skips.branch(pull.base_ref)
    return _by_rules(pull, full_name, policy.skip, paths) or _by_message(message, policy.generations)


def _by_rules(pull: Pull, full_name: str, rules: SkipRules, paths: tuple[str, ...]) -> str | None:
    if rules.forks and pull.is_fork_of(full_name):
        return skips.FORK
    if rules.drafts and pull.draft:
        return skips.DRAFT
    if rules.dependency_bots and (pull.author in BOTS or pull.head_ref.startswith(BOT_BRANCHES)):
        return skips.DEPENDENCY_BOT
    if label := rules.labelled(pull.labels):
        return skips.label(label)
    if rules.covers(paths):
        return skips.PATHS
    return None


def _by_message(message: str | None, generations: int) -> str | None:
    if asks_to_skip(message):
        return skips.MESSAGE
    if rolled_back_by(message):
        return skips.ROLLED_BACK
    if generation_of(message) > generations:
        return skips.LOOP
    return None
