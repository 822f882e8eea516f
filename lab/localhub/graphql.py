"""The few GraphQL operations that REST lacks, with GitHub's names and its kinds of errors."""

import base64
import binascii
from functools import cache
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema, graphql_sync

from lab.localhub import auth, pulls, pushes, repos, reviews, rules
from lab.localhub.hub import Hub
from lab.localhub.shapes import repos as shapes
from lab.localhub.shapes.people import when
from lab.localhub.state import IssueComment, Pull, Refused, Repo, ReviewComment, Thread, Token, node_id

SDL = """
scalar URI
scalar DateTime
scalar GitObjectID
scalar Base64String
scalar BigInt
enum ReactionContent { THUMBS_UP THUMBS_DOWN LAUGH CONFUSED HEART HOORAY ROCKET EYES }
enum DiffSide { LEFT RIGHT }
enum ReportedContentClassifiers { SPAM ABUSE OFF_TOPIC OUTDATED DUPLICATE RESOLVED LOW_QUALITY }
type Query { repository(owner: String!, name: String!): Repository }
type Repository { id: ID! nameWithOwner: String! pullRequest(number: Int!): PullRequest }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type Actor { login: String! }
type PullRequest {
  id: ID! number: Int! isDraft: Boolean! state: String! headRefOid: GitObjectID! headRefName: String!
  reviewThreads(first: Int, last: Int, after: String, before: String): PullRequestReviewThreadConnection!
}
type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] totalCount: Int! pageInfo: PageInfo! }
type PullRequestReviewThread {
  id: ID! isResolved: Boolean! isOutdated: Boolean! isCollapsed: Boolean! path: String! line: Int startLine: Int
  originalLine: Int originalStartLine: Int diffSide: DiffSide! startDiffSide: DiffSide resolvedBy: Actor
  comments(first: Int, last: Int, after: String, before: String): PullRequestReviewCommentConnection!
}
type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] totalCount: Int! pageInfo: PageInfo! }
type PullRequestReviewComment {
  id: ID! databaseId: Int fullDatabaseId: BigInt body: String! path: String! author: Actor outdated: Boolean!
  isMinimized: Boolean! minimizedReason: String createdAt: DateTime!
}
interface Minimizable { isMinimized: Boolean! minimizedReason: String }
type MinimizedThing implements Minimizable { isMinimized: Boolean! minimizedReason: String }
type Ref { name: String! target: Commit }
type Commit { oid: GitObjectID! url: URI! message: String! }
type Mutation {
  createCommitOnBranch(input: CreateCommitOnBranchInput!): CreateCommitOnBranchPayload
  markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
  resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
  unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
  minimizeComment(input: MinimizeCommentInput!): MinimizeCommentPayload
  addReaction(input: AddReactionInput!): AddReactionPayload
}
input CommittableBranch { id: ID repositoryNameWithOwner: String branchName: String }
input CommitMessage { headline: String! body: String = "" }
input FileAddition { path: String! contents: Base64String! }
input FileDeletion { path: String! }
input FileChanges { additions: [FileAddition!] = [] deletions: [FileDeletion!] = [] }
input CreateCommitOnBranchInput {
  branch: CommittableBranch! expectedHeadOid: GitObjectID! message: CommitMessage! fileChanges: FileChanges
  clientMutationId: String
}
type CreateCommitOnBranchPayload { commit: Commit ref: Ref clientMutationId: String }
input MarkPullRequestReadyForReviewInput { pullRequestId: ID! clientMutationId: String }
type MarkPullRequestReadyForReviewPayload { pullRequest: PullRequest clientMutationId: String }
input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
input UnresolveReviewThreadInput { threadId: ID! clientMutationId: String }
type UnresolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
input MinimizeCommentInput { subjectId: ID! classifier: ReportedContentClassifiers! clientMutationId: String }
input AddReactionInput { subjectId: ID! content: ReactionContent! clientMutationId: String }
type Reaction { id: ID! content: ReactionContent! }
type AddReactionPayload { reaction: Reaction clientMutationId: String }
type MinimizeCommentPayload { minimizedComment: Minimizable clientMutationId: String }
"""
Shape = dict[str, Any]
THUMBS = {"THUMBS_UP": "+1", "THUMBS_DOWN": "-1"}


@cache
def schema() -> GraphQLSchema:
    """Returns the schema, which is built once."""
    return build_schema(SDL)


def execute(hub: Hub, token: Token, query: str, variables: Shape) -> Shape:
    """Returns the response body; the status is always 200, and errors with GitHub's `type` are next to the data."""
    result = graphql_sync(schema(), query, root_value=Root(hub, token), variable_values=variables)
    body: Shape = {"data": result.data}
    if result.errors:
        body["errors"] = [_error(error) for error in result.errors]
    return body


def _error(error: GraphQLError) -> Shape:
    shape: Shape = {"message": error.message}
    if isinstance(error.original_error, Refused):
        shape |= {"type": (error.original_error.errors or ["UNPROCESSABLE"])[0], "path": error.path}
    return shape | {"locations": [{"line": at.line, "column": at.column} for at in error.locations or []]}


def refuse(kind: str, message: str) -> Refused:
    """Returns a GraphQL error of a kind."""
    return Refused(200, message, [kind])


class Root:
    """The root fields; graphql-core calls the methods by their fields' names."""

    def __init__(self, hub: Hub, token: Token) -> None:
        self.hub = hub
        self.token = token

    def repository(self, _info: Any, owner: str, name: str) -> Shape:
        """Returns a repository to which the token has access."""
        repo = self._repo(f"{owner}/{name}")

        def pull_request(_info: Any, number: int) -> Shape:
            self._require(repo, "pull_requests:read")
            pull = self.hub.pulls.get((repo.id, number))
            if pull is None:
                raise refuse("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
            return self._pull(pull)

        return {"id": node_id("R", repo.id), "nameWithOwner": repo.full_name, "pullRequest": pull_request}

    def createCommitOnBranch(self, _info: Any, input: Shape) -> Shape:  # noqa: N802 -- GitHub's names
        """Creates a commit on a branch whose head must be the expected one; by the caller, signed by GitHub."""
        hub, branch = self.hub, input["branch"]
        repo = self._repo(branch.get("repositoryNameWithOwner") or "")
        name = str(branch.get("branchName") or "").removeprefix("refs/heads/")
        self._require(repo, "contents:write")
        bare, expected = hub.bare(repo), input["expectedHeadOid"]
        head = bare.branch(name)
        if head is None:
            raise refuse("NOT_FOUND", f"Could not resolve to a Ref with the name '{name}'.")
        if head != expected:
            message = f'Expected branch to point to "{expected}" but it did not. Pull and try again.'
            raise refuse("STALE_DATA", message)
        files = _files(input.get("fileChanges") or {})
        self._refuse_branch(repo, name, files)
        message = input["message"]
        text = "\n\n".join(part for part in (message["headline"], message.get("body")) if part) + "\n"
        try:
            sha = repos.commit_object(hub, repo, [head], files, text, self.token.account, repos.committer(hub))
        except Refused as no:
            raise refuse("FILE_NOT_FOUND", no.message) from no
        pushes.move_branch(hub, repo, name, sha, self.token.account)
        commit = {"oid": sha, "url": f"{shapes.page(hub, repo)}/commit/{sha}", "message": text}
        return {"commit": commit, "ref": {"name": name, "target": commit}} | _echo(input)

    def markPullRequestReadyForReview(self, _info: Any, input: Shape) -> Shape:  # noqa: N802
        """Marks a draft as ready for review."""
        pull = next((p for p in self.hub.pulls.values() if node_id("PR", p.id) == input["pullRequestId"]), None)
        if pull is None:
            raise _no_node(input["pullRequestId"])
        self._require(self.hub.repos[pull.repo_id], "pull_requests:write")
        pulls.set_draft(self.hub, self.token.account, pull, False)
        return {"pullRequest": self._pull(pull)} | _echo(input)

    def resolveReviewThread(self, _info: Any, input: Shape) -> Shape:  # noqa: N802
        """Resolves a thread."""
        return self._resolve(input, True)

    def unresolveReviewThread(self, _info: Any, input: Shape) -> Shape:  # noqa: N802
        """Unresolves a thread."""
        return self._resolve(input, False)

    def minimizeComment(self, _info: Any, input: Shape) -> Shape:  # noqa: N802
        """Hides a comment."""
        wanted = input["subjectId"]
        comments: list[IssueComment | ReviewComment] = [
            c for c in self.hub.comments.values() if node_id("IC", c.id) == wanted
        ]
        comments += [c for c in self.hub.review_comments.values() if node_id("PRRC", c.id) == wanted]
        if not comments:
            raise _no_node(wanted)
        self._require(self.hub.repos[comments[0].repo_id], "pull_requests:write")
        comments[0].minimized = input["classifier"]
        reason = input["classifier"].lower().replace("_", "-")
        thing = {"__typename": "MinimizedThing", "isMinimized": True, "minimizedReason": reason}
        return {"minimizedComment": thing} | _echo(input)

    def addReaction(self, _info: Any, input: Shape) -> Shape:  # noqa: N802
        """Adds a reaction to a submitted review, for which there is no REST operation."""
        wanted, content = input["subjectId"], input["content"]
        review = next((r for r in self.hub.reviews.values() if node_id("PRR", r.id) == wanted), None)
        if review is None or review.state == "PENDING":
            raise _no_node(wanted)
        self._require(self.hub.repos[review.repo_id], "pull_requests:write")
        reaction, _ = pulls.react(self.hub, self.token.account, review.id, THUMBS.get(content, content.lower()))
        return {"reaction": {"id": node_id("REA", reaction.id), "content": content}} | _echo(input)

    def _resolve(self, input: Shape, resolved: bool) -> Shape:
        thread = next((t for t in self.hub.threads.values() if t.node_id == input["threadId"]), None)
        if thread is None:
            raise _no_node(input["threadId"])
        repo = self.hub.repos[thread.repo_id]
        self._require(repo, "pull_requests:write")
        self._require(repo, "contents:write")  # GitHub requires both
        reviews.set_resolved(self.hub, self.token.account, thread, resolved)
        pairs = {t.id: comments for t, comments in self.hub.threads_of(self.hub.pull(repo, thread.number))}
        return {"thread": self._thread(thread, pairs[thread.id])} | _echo(input)

    def _refuse_branch(self, repo: Repo, name: str, files: dict[str, bytes | None]) -> None:
        workflows = [path for path in files if path.startswith(".github/workflows/")]
        if workflows and not auth.allows(self.hub, self.token, repo, "workflows:write"):
            raise refuse("FORBIDDEN", auth.NOT_YOURS)
        admin = self.token.installation_id is None and self.hub.may(repo, self.token.account.login, "admin")
        head = self.hub.bare(repo).branch(name)
        try:
            if not admin:
                rules.refuse_move(self.hub, repo, f"refs/heads/{name}", head, head)
        except Refused as no:
            raise refuse("UNPROCESSABLE", no.message) from no
        if any(secret.encode() in (data or b"") for secret in repo.secrets for data in files.values()):
            raise refuse("UNPROCESSABLE", repos.PROTECTED_PUSH)

    def _repo(self, full_name: str) -> Repo:
        try:
            return auth.repo_for(self.hub, self.token, full_name)
        except Refused as no:
            raise refuse("NOT_FOUND", f"Could not resolve to a Repository with the name '{full_name}'.") from no

    def _require(self, repo: Repo, need: str) -> None:
        try:
            auth.repo_for(self.hub, self.token, repo.full_name)
            auth.require(self.hub, self.token, repo, (need,))
        except Refused as no:
            raise refuse("FORBIDDEN", auth.NOT_YOURS) from no

    def _pull(self, pull: Pull) -> Shape:
        def review_threads(_info: Any, **page: Any) -> Shape:
            return connection([self._thread(*pair) for pair in self.hub.threads_of(pull)], **page)

        return {
            "id": node_id("PR", pull.id),
            "number": pull.number,
            "isDraft": pull.draft,
            "state": "MERGED" if pull.merged_at else pull.state.upper(),
            "headRefOid": pull.head_sha,
            "headRefName": pull.head_ref,
            "reviewThreads": review_threads,
        }

    def _thread(self, thread: Thread, comments: list[ReviewComment]) -> Shape:
        top = comments[0]
        outdated = top.line is None and top.subject_type == "line"
        return {
            "id": thread.node_id,
            "isResolved": thread.resolved,
            "isOutdated": outdated,
            "isCollapsed": thread.resolved or outdated,
            "path": top.path,
            "line": top.line,
            "startLine": top.start_line,
            "originalLine": top.original_line,
            "originalStartLine": top.original_start_line,
            "diffSide": top.side,
            "startDiffSide": top.start_side,
            "resolvedBy": _actor(thread.resolved_by.login) if thread.resolved_by else None,
            "comments": lambda _info, **page: connection([_comment(one) for one in comments], **page),
        }


def connection(
    items: list[Shape],
    first: int | None = None,
    last: int | None = None,
    after: str | None = None,
    before: str | None = None,
) -> Shape:
    """Returns one page of a list; the size is required and at most 100, as on GitHub."""
    size = first or last
    if size is None or size > 100:
        raise refuse("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value of at most 100.")
    start = int(after) if after and after.isdecimal() else 0
    end = int(before) - 1 if before and before.isdecimal() else len(items)
    start, end = (start, min(end, start + size)) if first else (max(start, end - size), end)
    info = {
        "hasNextPage": end < len(items),
        "hasPreviousPage": start > 0,
        "startCursor": str(start + 1) if items else None,
        "endCursor": str(end) if items else None,
    }
    return {"nodes": items[start:end], "totalCount": len(items), "pageInfo": info}


def _comment(comment: ReviewComment) -> Shape:
    return {
        "id": node_id("PRRC", comment.id),
        "databaseId": comment.id,
        "fullDatabaseId": str(comment.id),
        "body": comment.body,
        "path": comment.path,
        "author": _actor(comment.author.login),
        "outdated": comment.line is None and comment.subject_type == "line",
        "isMinimized": comment.minimized is not None,
        "minimizedReason": comment.minimized,
        "createdAt": when(comment.created_at),
    }


def _actor(login: str) -> Shape:
    """Returns an actor; in GraphQL a bot's login has no `[bot]`."""
    return {"login": login.removesuffix("[bot]")}


def _files(changes: Shape) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {one["path"]: None for one in changes.get("deletions") or []}
    for one in changes.get("additions") or []:
        try:
            files[one["path"]] = base64.b64decode(one["contents"], validate=True)
        except binascii.Error as bad:
            raise refuse("UNPROCESSABLE", f"The contents of {one['path']} are not valid Base64.") from bad
    return files


def _echo(given: Shape) -> Shape:
    return {"clientMutationId": given.get("clientMutationId")}


def _no_node(wanted: str) -> Refused:
    return refuse("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'")
