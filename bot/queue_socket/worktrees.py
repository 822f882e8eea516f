"""Creates, commits and removes registered git worktrees for external agents.

Agents can write anything into a worktree, and a sandboxed agent can write nowhere else. So a worktree's `.git` file is
only trusted if the clone lists the worktree too.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from bot.queue_socket.restricted_git import RestrictedGit
from handlers.errors import UserError


@dataclass(frozen=True)
class Tree:
    """A worktree: its files, its own git folder inside the clone, and the git folder that all worktrees share."""

    files: Path
    own: Path
    common: Path


def find_tree(path: Path) -> Tree:
    """The linked worktree around `path`, if the clone that it names lists it. Raises UserError."""
    start = path.resolve()
    files = next((folder for folder in (start, *start.parents) if os.path.lexists(folder / ".git")), None)
    pointer = files / ".git" if files else None
    if files is None or pointer is None or pointer.is_symlink() or not pointer.is_file():
        raise UserError(f"{path} is not in a worktree that `heal queue join` has made; go there, or name it")
    text = pointer.read_bytes()[:5000].removeprefix(b"gitdir:").strip()
    if b"\0" in text or not text:
        raise UserError(f"{pointer} is no pointer of a worktree; join the queue again")
    own = (files / os.fsdecode(text)).resolve()
    back = own / "gitdir"
    known = own.parent.name == "worktrees" and back.is_file() and back.read_bytes().strip() == os.fsencode(pointer)
    if not known:
        raise UserError(f"{pointer} names {own}, which does not know this worktree; join the queue again")
    return Tree(files, own, own.parent.parent)


async def add(common: Path, files: Path, branch: str, start: str) -> None:
    """Registers a worktree with a checkout of `branch`, which starts at the commit `start` unless it exists and has
    commits that `start` has not. Raises UserError."""
    files.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    git, ref = RestrictedGit(common), _ref(branch)
    await git("worktree", "prune")
    exists = await git.ok("show-ref", "--verify", "--quiet", ref)
    has_work = exists and not await git.ok("merge-base", "--is-ancestor", ref, start)
    arguments = (str(files), branch) if has_work else ("-B", branch, str(files), start)
    await git("worktree", "add", "--quiet", *arguments)


async def commit(tree: Tree, branch: str, message: str, who: str) -> bool:
    """Commits everything in the worktree. Returns False if there was nothing to commit. Raises UserError if a conflict
    is not solved, or if the worktree is not on its branch."""
    git = RestrictedGit(tree.own, tree.files)
    if not await git.ok("symbolic-ref", "--quiet", "HEAD") or (await git("symbolic-ref", "HEAD")).strip() != _ref(
        branch
    ):
        raise UserError(
            f"{tree.files} is not on {branch} (a rebase that goes on?); finish that, or: git switch {branch}"
        )
    unsolved = (await git("diff", "--name-only", "-z", "--diff-filter=U")).split("\0")[:-1]
    if unsolved:
        raise UserError(f"still in conflict: {', '.join(unsolved[:10])}. Solve them, `git add` them, then try again")
    await git("add", "--all", ".")
    merging = (tree.own / "MERGE_HEAD").exists()
    if not merging and await git.ok("diff", "--cached", "--quiet", "--no-ext-diff"):
        return False
    known = await git.ok("var", "GIT_COMMITTER_IDENT")
    named = () if known else ("-c", f"user.name={who}", "-c", f"user.email={who}@localhost")
    text = ("--no-edit",) if merging and not message else ("-m", message or f"Work of {who}")
    await git(*named, "commit", "--quiet", "--no-verify", "--cleanup=whitespace", *text)
    return True


def _ref(branch: str) -> str:
    return f"refs/heads/{branch}"


async def remove(tree: Tree, branch: str, tip: str | None) -> bool:
    """Removes a clean worktree, and its branch if that is still at `tip`. Returns False if the worktree has changes,
    and then keeps it."""
    git = RestrictedGit(tree.common)
    gone = await git.ok("worktree", "remove", str(tree.files))
    if gone and tip:
        await git.ok("update-ref", "-d", _ref(branch), tip)
    return gone


async def sweep(common: Path, files: Path) -> bool:
    """Removes a worktree with all its changes; its branch stays. Returns False if git refuses."""
    return await RestrictedGit(common).ok("worktree", "remove", "--force", "--force", str(files))
