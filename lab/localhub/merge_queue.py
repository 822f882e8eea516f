"""The merge queue: a merge on a separate read-only branch, its CI result, and its end (`merge_group`)."""

from dataclasses import dataclass

from lab.localhub import pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.state import Pull, Refused, Repo

BRANCHES = "gh-readonly-queue/"


@dataclass(frozen=True)
class MergeGroup:
    """A merge that CI checks: `head_sha`, on `branch`, is the merge of the pull request into `base_sha`."""

    number: int
    branch: str
    head_sha: str
    base_ref: str
    base_sha: str


def enqueue(hub: Hub, person: str, pull: Pull, squash: bool = False, behind: MergeGroup | None = None) -> MergeGroup:
    """A person presses "Merge when ready"; if others wait already, it is merged onto the last one's merge (`behind`).
    Raises Refused(405) if it can't be merged."""
    with hub.lock:
        repo, account = hub.repos[pull.repo_id], hub.person(person)
        bare = hub.bare(repo)
        base = behind.head_sha if behind else bare.branch(pull.base_ref) or pull.base_sha
        tree = bare.merge_tree(base, pull.head_sha)
        if pull.state != "open" or pull.draft or tree is None:
            raise Refused(405, "Pull Request is not mergeable")
        message = f"Merge pull request #{pull.number} from {pull.head_owner}/{pull.head_ref}\n\n{pull.title}\n"
        parents = [base] if squash else [base, pull.head_sha]
        merge = bare.commit(tree, parents, message, repos.signature(hub, account), repos.committer(hub))
        branch = f"{BRANCHES}{pull.base_ref}/pr-{pull.number}-{base}"
        group = MergeGroup(pull.number, branch, merge, pull.base_ref, base)
        pushes.move_branch(hub, repo, branch, merge, account)
        hub.publish("merge_group", "checks_requested", repo, account, group=group)
        return group


def leave(hub: Hub, person: str, repo: Repo, group: MergeGroup) -> None:
    """Removes the group because its checks failed, or on request: deletes its branch; the pull request stays open."""
    with hub.lock:
        account = hub.person(person)
        pushes.move_branch(hub, repo, group.branch, None, account)
        hub.publish("merge_group", "destroyed", repo, account, group=group, reason="dequeued")


def land(hub: Hub, person: str, repo: Repo, group: MergeGroup) -> None:
    """Merges the group after its checks passed: its merge becomes the base branch's head."""
    with hub.lock:
        account = hub.person(person)
        pushes.move_branch(hub, repo, group.base_ref, group.head_sha, account)
        pushes.move_branch(hub, repo, group.branch, None, account)
        hub.publish("merge_group", "destroyed", repo, account, group=group, reason="merged")
