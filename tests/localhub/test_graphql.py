"""The GraphQL operations, through githubkit at the address of an Enterprise server."""

import base64
from typing import Any

import pytest
from githubkit.exception import GraphQLFailed

from lab.localhub import pulls, reviews
from lab.localhub.reviews import Draft
from lab.localhub.state import node_id
from tests.localhub.conftest import World

THREADS = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 1, after: $after) { pageInfo { hasNextPage endCursor }
      nodes { id isResolved isOutdated path line startLine diffSide
        comments(first: 5) { nodes { id fullDatabaseId author { login } } } } } } } }"""
COMMIT = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } ref { name } } }"""
RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
READY = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }"
MINIMIZE = """mutation($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } } }"""


async def ask(world: World, query: str, permissions: dict[str, str] | None = None, **variables: Any) -> Any:
    client = world.client(permissions=permissions) if permissions else world.client()
    async with client:
        return await client.async_graphql(query, variables)


def change(world: World, head: str, path: str = "code.py", branch: str = "feature") -> dict[str, Any]:
    added = [{"path": path, "contents": base64.b64encode(b"x = 1\n").decode()}]
    return {
        "branch": {"repositoryNameWithOwner": "octo/demo", "branchName": branch},
        "expectedHeadOid": head,
        "message": {"headline": "Fix it", "body": "Heal-Proposal: 1"},
        "fileChanges": {"additions": added, "deletions": [{"path": "new.py"}]},
    }


async def test_threads_are_paged_and_say_whether_they_are_outdated_or_resolved(world: World) -> None:
    reviews.create_review(
        world.hub, "heal[bot]", world.pull, "x", drafts=(Draft("code.py", "a", 10), Draft("new.py", "b", 2))
    )
    where = {"owner": "octo", "name": "demo", "number": 1}
    found = (await ask(world, THREADS, **where))["repository"]["pullRequest"]["reviewThreads"]
    (thread,) = found["nodes"]
    assert (thread["line"], thread["isOutdated"], thread["isResolved"]) == (10, False, False)
    assert thread["comments"]["nodes"][0]["author"]["login"] == "heal"
    assert found["pageInfo"]["hasNextPage"]
    after = found["pageInfo"]["endCursor"]
    found = (await ask(world, THREADS, after=after, **where))["repository"]["pullRequest"]["reviewThreads"]
    assert (found["nodes"][0]["path"], found["pageInfo"]["hasNextPage"]) == ("new.py", False)


async def test_a_commit_is_made_only_on_the_expected_head(world: World) -> None:
    head = world.pull.head_sha
    done = await ask(world, COMMIT, input=change(world, head))
    info = world.hub.bare(world.repo).info(done["createCommitOnBranch"]["commit"]["oid"])
    assert (info.parents, world.pull.head_sha) == ((head,), info.sha)
    assert (info.author_name, info.committer_name) == ("heal[bot]", "GitHub")
    assert info.message == "Fix it\n\nHeal-Proposal: 1"
    assert world.hub.bare(world.repo).read("feature", "new.py") is None
    with pytest.raises(GraphQLFailed) as raised:
        await ask(world, COMMIT, input=change(world, head))
    assert raised.value.response.errors[0].type == "STALE_DATA"
    assert world.pull.head_sha == info.sha


async def test_githubs_refusals_of_a_commit(world: World) -> None:
    head = world.pull.head_sha
    workflow = change(world, head, ".github/workflows/ci.yml")
    for given, permissions, kind in [
        (workflow, None, "FORBIDDEN"),
        (change(world, head), {"contents": "read"}, "FORBIDDEN"),
        (change(world, head, branch="absent"), None, "NOT_FOUND"),
    ]:
        with pytest.raises(GraphQLFailed) as raised:
            await ask(world, COMMIT, permissions, input=given)
        assert raised.value.response.errors[0].type == kind
    assert world.pull.head_sha == head


async def test_resolving_needs_contents_write_besides(world: World) -> None:
    made = reviews.create_comment(world.hub, "heal[bot]", world.pull, Draft("code.py", "a", 10))
    thread = world.hub.threads[made.thread_id]
    with pytest.raises(GraphQLFailed, match="Resource not accessible by integration"):
        await ask(world, RESOLVE, {"pull_requests": "write"}, id=thread.node_id)
    assert not thread.resolved
    both = {"pull_requests": "write", "contents": "write"}
    assert (await ask(world, RESOLVE, both, id=thread.node_id))["resolveReviewThread"]["thread"]["isResolved"]


async def test_a_draft_becomes_ready_and_a_comment_is_hidden(world: World) -> None:
    pulls.set_draft(world.hub, world.hub.person("ada"), world.pull, True)
    async with world.raw() as client:
        await client.patch("/pulls/1", json={"draft": False})
    assert world.pull.draft
    await ask(world, READY, id=node_id("PR", world.pull.id))
    assert not world.pull.draft
    made = pulls.comment(world.hub, "heal[bot]", world.pull, "old")
    await ask(world, MINIMIZE, id=node_id("IC", made.id))
    assert made.minimized == "OUTDATED"
