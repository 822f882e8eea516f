"""REST of the git database: refs, commits, trees, blobs."""

import base64
import binascii
from datetime import datetime
from typing import Any

from lab.localhub import auth, pushes, rules
from lab.localhub import repos as domain
from lab.localhub.bare import GitError, Signature
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.shapes import repos
from lab.localhub.state import Refused, node_id

table = Table()
MODES = ("100644", "100755", "040000", "160000", "120000")


@table.on("GET", "/R/git/ref/{ref:path}", "contents:read")
def get_ref(call: Call) -> Answer:
    """Returns one ref, such as `heads/main`."""
    name = f"refs/{call.params['ref']}"
    sha = call.hub.bare(call.repo).refs(name).get(name)
    if sha is None:
        raise Refused(404, "Not Found")
    return Answer(repos.ref(call.hub, call.repo, name, sha))


@table.on("GET", "/R/git/matching-refs/{ref:path}", "contents:read")
def matching_refs(call: Call) -> Answer:
    """Lists all refs with a prefix."""
    prefix = f"refs/{call.params['ref']}"
    refs = [pair for pair in call.hub.bare(call.repo).refs().items() if pair[0].startswith(prefix)]
    return paged(call, refs, lambda pair: repos.ref(call.hub, call.repo, *pair))


@table.on("POST", "/R/git/refs", "contents:write")
def create_ref(call: Call) -> Answer:
    """Creates a branch or tag."""
    name, sha = call.need("ref", str), call.need("sha", str)
    bare = call.hub.bare(call.repo)
    if not name.startswith("refs/") or name.count("/") < 2 or name.startswith("refs/pull/"):
        raise Refused(422, f"{name} is not a valid ref name.")
    if bare.sha(sha) != sha:
        raise Refused(422, "Object does not exist")
    if not bare.refs():
        raise Refused(409, "Git Repository is empty.")
    if name in bare.refs(name):
        raise Refused(422, "Reference already exists")
    _move(call, name, None, sha)
    return Answer(repos.ref(call.hub, call.repo, name, sha), 201)


@table.on("PATCH", "/R/git/refs/{ref:path}", "contents:write")
def update_ref(call: Call) -> Answer:
    """Moves a ref; only fast-forward unless `force`."""
    name, sha = f"refs/{call.params['ref']}", call.need("sha", str)
    bare = call.hub.bare(call.repo)
    old = bare.refs(name).get(name)
    if old is None:
        raise Refused(422, "Reference does not exist")
    if bare.sha(sha) != sha:
        raise Refused(422, "Object does not exist")
    if not call.body.get("force") and not bare.is_ancestor(old, sha):
        raise Refused(422, "Update is not a fast forward")
    _move(call, name, old, sha)
    return Answer(repos.ref(call.hub, call.repo, name, sha))


@table.on("DELETE", "/R/git/refs/{ref:path}", "contents:write")
def delete_ref(call: Call) -> Answer:
    """Deletes a ref."""
    name = f"refs/{call.params['ref']}"
    old = call.hub.bare(call.repo).refs(name).get(name)
    if old is None:
        raise Refused(422, "Reference does not exist")
    _move(call, name, old, None)
    return Answer(None, 204)


@table.on("GET", "/R/git/commits/{sha}", "contents:read")
def get_commit(call: Call) -> Answer:
    """A commit object."""
    bare = call.hub.bare(call.repo)
    sha = bare.sha(call.params["sha"])
    if sha is None:
        raise Refused(404, "Not Found")
    return Answer(repos.git_commit(call.hub, call.repo, bare.info(sha)))


@table.on("POST", "/R/git/commits", "contents:write")
def create_commit(call: Call) -> Answer:
    """Creates a commit object; signed by GitHub only if no author and committer are sent."""
    bare = call.hub.bare(call.repo)
    tree, parents = call.need("tree", str), call.maybe("parents", list) or []
    if bare.sha(tree, "tree") != tree:
        raise Refused(422, "Tree SHA does not exist")
    if any(bare.sha(str(parent)) != parent for parent in parents):
        raise Refused(422, "Parent SHA does not exist or is not a commit object")
    mine = domain.signature(call.hub, call.account)
    author = _signature(call, "author", mine)
    plain = not (call.body.get("author") or call.body.get("committer") or call.body.get("signature"))
    committer = domain.committer(call.hub) if plain else _signature(call, "committer", author)
    sha = bare.commit(tree, parents, call.need("message", str), author, committer)
    return Answer(repos.git_commit(call.hub, call.repo, bare.info(sha)), 201)


@table.on("GET", "/R/git/trees/{sha}", "contents:read")
def get_tree(call: Call) -> Answer:
    """Returns a tree, with everything below it if `recursive`."""
    bare = call.hub.bare(call.repo)
    sha = bare.sha(call.params["sha"], "tree")
    if sha is None:
        raise Refused(404, "Not Found")
    entries = bare.entries(sha, recursive="recursive" in call.query)
    return Answer(repos.tree(call.hub, call.repo, sha, entries))


@table.on("POST", "/R/git/trees", "contents:write")
def create_tree(call: Call) -> Answer:
    """Creates a tree on top of `base_tree`; `sha: null` deletes."""
    bare = call.hub.bare(call.repo)
    base = call.maybe("base_tree", str)
    if base is not None and bare.sha(base, "tree") is None:
        raise Refused(422, "base_tree is not a valid tree oid")
    present = {entry.path for entry in bare.entries(base, recursive=True)} if base else set()
    changes = [_change(call, item, present) for item in call.need("tree", list)]
    try:
        sha = bare.tree(base, changes)
    except GitError as bad:
        raise Refused(422, "tree.path contains a malformed path component") from bad
    return Answer(repos.tree(call.hub, call.repo, sha, bare.entries(sha)), 201)


@table.on("GET", "/R/git/blobs/{sha}", "contents:read")
def get_blob(call: Call) -> Answer:
    """Returns a blob, in base64."""
    bare, sha = call.hub.bare(call.repo), call.params["sha"]
    if bare.sha(sha, "blob") != sha:
        raise Refused(404, "Not Found")
    data = bare.git("cat-file", "blob", sha)
    url = f"{repos.repo_url(call.hub, call.repo)}/git/blobs/{sha}"
    content = base64.encodebytes(data).decode()
    shape = {"sha": sha, "node_id": node_id("B", int(sha[:12], 16)), "size": len(data), "url": url}
    return Answer(shape | {"content": content, "encoding": "base64"})


@table.on("POST", "/R/git/blobs", "contents:write")
def create_blob(call: Call) -> Answer:
    """Stores bytes."""
    sha = call.hub.bare(call.repo).blob(_bytes(call.need("content", str), call.body.get("encoding", "utf-8")))
    return Answer({"url": f"{repos.repo_url(call.hub, call.repo)}/git/blobs/{sha}", "sha": sha}, 201)


def _move(call: Call, name: str, old: str | None, new: str | None) -> None:
    """Moves a ref under GitHub's rules on protected branches and workflow files, with all effects of a push."""
    hub, repo = call.hub, call.repo
    admin = call.token is not None and call.token.installation_id is None and hub.may(repo, call.account.login, "admin")
    if not admin:
        rules.refuse_move(hub, repo, name, old, new)
    if new and call.token and not auth.allows(hub, call.token, repo, "workflows:write"):
        files = hub.bare(repo).new_workflow_files(new)
        if files:
            start = "refusing to allow a GitHub App to create or update workflow"
            raise Refused(403, f"{start} `{files[0]}` without `workflows` permission")
    if new and repo.secrets and any(secret in hub.bare(repo).new_text(new) for secret in repo.secrets):
        raise Refused(422, f"Repository rule violations found\n\n{domain.PROTECTED_PUSH}")
    try:
        hub.bare(repo).set_ref(name, new, old)
    except GitError as bad:
        raise Refused(422, f"{name} is not a valid ref name.") from bad
    pushes.refs_moved(hub, repo, call.account, {name: (old, new)})


def _change(call: Call, item: dict[str, Any], present: set[str]) -> tuple[str, str | None, str]:
    """Parses one entry of a tree to create."""
    path, mode = str(item.get("path") or ""), str(item.get("mode") or "100644")
    if not path or mode not in MODES:
        raise Refused(422, "Must supply valid tree.mode" if path else "tree.path cannot be blank")
    if "content" in item:
        return mode, call.hub.bare(call.repo).blob(str(item["content"]).encode()), path
    sha = item.get("sha")
    if sha is None and path not in present:
        raise Refused(422, "GitRPC::BadObjectState")
    if sha is not None and call.hub.bare(call.repo).sha(str(sha), "blob") != sha:
        raise Refused(422, f"tree.sha {sha} is not a valid blob")
    return mode, sha, path


def _signature(call: Call, field: str, default: Signature) -> Signature:
    given = call.maybe(field, dict)
    if not given:
        return default
    date = given.get("date")
    moment = datetime.fromisoformat(date) if date else call.hub.now()
    return Signature(str(given.get("name")), str(given.get("email")), moment)


def _bytes(text: str, encoding: str) -> bytes:
    if encoding != "base64":
        return text.encode()
    try:
        return base64.b64decode(text)
    except binascii.Error as bad:
        raise Refused(422, "content is not valid Base64") from bad
