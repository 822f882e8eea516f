"""What an agent may leave in its worktree: nothing of it is executed by Heal's own git, nor believed."""

import asyncio
import shutil
from pathlib import Path

import pytest

from bot.queue_socket import worktrees
from handlers.errors import UserError
from healing.git import GitError
from healing.git.branches import Branches, branch_problem
from healing.verify.queue.refusal import QueueRefusal
from tests.git.oracle import git, word
from tests.queue.conftest import Clone, Desk

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "reference-transaction",
         "post-index-change", "pre-auto-gc", "post-rewrite", "post-merge", "pre-merge-commit")  # fmt: skip


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A program that leaves a trace when it is run; `traces` says by whom."""
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/traces\ncat\n')
    program.chmod(0o755)
    return program


def traces(canary: Path) -> str:
    place = canary.parent / "traces"
    return place.read_text() if place.exists() else ""


def plant(clone: Clone, canary: Path) -> None:
    """Hooks and programs in the clone's own configuration, as an agent may write it."""
    for name in HOOKS:
        shutil.copy(canary, clone.at / ".git/hooks" / name)
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.editor",
                "gpg.program", "core.sshCommand", "diff.external", "merge.evil.driver", "diff.evil.textconv",
                "core.pager", "credential.helper", "core.gitProxy", "core.alternateRefsCommand"):  # fmt: skip
        git(clone.at, "config", key, str(canary))
    git(clone.at, "config", "filter.evil.required", "true")
    git(clone.at, "config", "commit.gpgSign", "true")
    (clone.at / ".git/info/attributes").write_text("* filter=evil diff=evil merge=evil\n")


# MQ-5
def test_join_and_done_run_no_hook_filter_or_program_of_the_clone(clone: Clone, canary: Path, tmp_path: Path) -> None:
    plant(clone, canary)
    (clone.at.parent / "traces").unlink(missing_ok=True)
    files = tmp_path / "trees/a"
    asyncio.run(worktrees.add(clone.at / ".git", files, "agent/s/a", clone.base))
    (files / ".gitattributes").write_text("* filter=evil diff=evil merge=evil text eol=crlf\n")
    (files / "new.txt").write_text("new\n")
    tree = worktrees.find_tree(files)
    assert asyncio.run(worktrees.commit(tree, "agent/s/a", "-m '$(touch x)' `id`\n--amend", "a"))
    assert asyncio.run(worktrees.remove(tree, "agent/s/a", None))
    assert traces(canary) == ""
    for key in ("commit.gpgSign", "core.fsmonitor", "core.pager", "filter.evil.required"):
        git(clone.at, "config", "--unset", key)
    assert b"new" in git(clone.at, "-c", "core.hooksPath=/dev/null", "cat-file", "blob", "agent/s/a:new.txt")


# MQ-5
async def test_the_queues_own_merging_runs_nothing_of_the_clone(desk: Desk, canary: Path) -> None:
    await desk.joins("one")
    await desk.joins("two")
    desk.clone.commit("agent/s/one", {"a.txt": b"one\n", ".gitattributes": b"* merge=evil filter=evil\n"})
    desk.clone.commit("agent/s/two", {"b.txt": b"two\n"})
    plant(desk.clone, canary)
    for name in ("one", "two"):
        await desk.queue.enqueue("s", name)
        assert (await desk.queue.wait("s", name)).state == "MERGED"
    assert traces(canary) == ""


# MQ-5
def test_a_worktree_that_names_another_git_folder_is_not_believed(clone: Clone, canary: Path, tmp_path: Path) -> None:
    files = tmp_path / "tree"
    asyncio.run(worktrees.add(clone.at / ".git", files, "agent/s/a", clone.base))
    own = worktrees.find_tree(files).own
    fake = files / "fake/worktrees/tree"
    shutil.copytree(own, fake)
    git(files, "init", "-q", "--bare", str(tmp_path / "other"))
    for output in (f"gitdir: {fake}", f"gitdir: {tmp_path / 'other'}", f"gitdir: {own}/../../..", "", "gitdir: \0x"):
        (files / ".git").write_text(output + "\n")
        with pytest.raises(UserError):
            worktrees.find_tree(files) if "fake" not in output else _not_ours(files, clone)
    (files / ".git").unlink()
    (files / ".git").symlink_to(own)
    with pytest.raises(UserError):
        worktrees.find_tree(files)
    shutil.rmtree(files)
    with pytest.raises(UserError):
        worktrees.find_tree(tmp_path)
    del canary


def _not_ours(files: Path, clone: Clone) -> None:
    """A forged folder that knows the worktree is another clone's to Heal, and no queue is served for that."""
    if worktrees.find_tree(files).common != clone.at / ".git":
        raise UserError("another clone")


@pytest.mark.parametrize(
    "name",
    ["", "-f", "--output=x", "a..b", "a b", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "/a", "a/", "a//b", "a.lock",
     "a/.b", "HEAD", "@", "a@{b", "a\nb", "a\0b", "\x1b[31m", "x" * 300, "../../config", "a/../../b", "\u202egpj"],
)  # fmt: skip
def test_a_name_that_git_would_not_take_for_a_branch_is_refused_before_git_sees_it(clone: Clone, name: str) -> None:
    assert branch_problem(name)
    with Branches.of(clone.at) as branches, pytest.raises(GitError):
        branches.tip(name)


def test_a_branch_that_leads_to_another_ref_or_out_of_the_clone_is_not_followed_into_a_file(clone: Clone) -> None:
    heads = clone.at / ".git/refs/heads"
    (heads / "loop").write_text("ref: refs/heads/loop\n")
    (heads / "out").write_text("ref: ../../../../etc/passwd\n")
    (heads / "junk").write_text("no object id\n")
    with Branches.of(clone.at) as branches:
        for name in ("loop", "junk"):
            with pytest.raises(GitError, match=name):
                branches.tip(name)
        assert branches.tip("out") is None


async def test_messages_and_names_come_through_as_they_are(desk: Desk) -> None:
    message = "Fix \x1b[31m <!-- x --> `rm -rf` \u202e ]]>\n\nSigned-off-by: someone"
    await desk.proposes("one", {"tab\tname.txt": b"x", "nön.txt": b"x"}, message=message)
    assert (await desk.queue.wait("s", "one")).state == "MERGED"
    assert word(desk.clone.at, "log", "-1", "--format=%B", "heal/s") == message


async def test_a_commit_that_is_damaged_ends_its_entry_and_nothing_else(desk: Desk) -> None:
    await desk.joins("bad")
    tree = word(desk.clone.at, "rev-parse", "main^{tree}")
    raw = f"tree {tree}\nparent {desk.clone.base}\nauthor nobody\ncommitter\n\nhm".encode()
    sha = word(desk.clone.at, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=raw)
    (desk.clone.at / ".git/refs/heads/agent/s").mkdir(parents=True)
    (desk.clone.at / ".git/refs/heads/agent/s/bad").write_text(sha + "\n")
    with pytest.raises(QueueRefusal) as refused:
        await desk.queue.enqueue("s", "bad")
    assert refused.value.code == "GIT"
    await desk.proposes("good", {"x": b"x"})
    assert (await desk.queue.wait("s", "good")).state == "MERGED"
