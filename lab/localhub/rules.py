"""Branch protection: classic protection, or rules of rulesets, each of which refuses only some kinds of pushes."""

from lab.localhub.hub import Hub
from lab.localhub.state import Refused, Repo

NO_COMMIT = {
    "pull_request": "Changes must be made through a pull request.",
    "required_status_checks": "Required status checks are expected.",
    "update": "Cannot update this protected ref.",
    "required_signatures": "Commits must have verified signatures.",
    "merge_queue": "Changes must be made through the merge queue.",
}
"""Rules that refuse an ordinary commit, and GitHub's words."""
NO_DELETION = "Cannot delete this branch"
NO_FORCE = "Cannot force-push to this branch"


def refuses_commits(repo: Repo, branch: str) -> bool:
    """Whether ordinary commits on the branch are refused for everybody but admins."""
    return branch in repo.protected or any(rule in NO_COMMIT for rule in repo.rules.get(branch, ()))


def refuse_move(hub: Hub, repo: Repo, ref: str, old: str | None, new: str | None) -> None:
    """Raises Refused(422) with GitHub's message if the branch's protection forbids this move."""
    branch = ref.removeprefix("refs/heads/")
    if branch in repo.protected:
        raise Refused(422, f"Protected branch update failed for {ref}.")
    why = next((text for rule in repo.rules.get(branch, ()) if (text := _objection(hub, repo, rule, old, new))), None)
    if why is not None:
        raise Refused(422, f"Repository rule violations found\n\n{why}\n\n")


def _objection(hub: Hub, repo: Repo, rule: str, old: str | None, new: str | None) -> str | None:
    if new is None:
        return NO_DELETION if rule == "deletion" else None
    if rule == "non_fast_forward" and old is not None and not hub.bare(repo).is_ancestor(old, new):
        return NO_FORCE
    return NO_COMMIT.get(rule) if old is not None else None
