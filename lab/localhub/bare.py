"""Bare repositories through the real git binary: without user settings or prompts, with fixed identities."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

ZERO = "0" * 40
HOOK = """#!/bin/sh
# What GitHub refuses of a push, asked before any ref moves.
while read -r old new ref; do
  case " $HUB_PROTECTED " in
    *" $ref "*) echo "GH006: Protected branch update failed for $ref." >&2; exit 1;;
  esac
  [ -n "$HUB_NO_WORKFLOWS" ] || continue
  case "$new" in *[!0]*) ;; *) continue;; esac
  for commit in $(git rev-list "$new" --not --all); do
    changed=$(git diff-tree -r --root --no-commit-id --name-only -m --first-parent "$commit" -- .github/workflows)
    file=$(echo "$changed" | head -n 1)
    if [ -n "$file" ]; then
      echo "refusing to allow a GitHub App to create or update workflow" \
        "\\`$file\\` without \\`workflows\\` permission" >&2
      exit 1
    fi
  done
done
"""
CONFIG = {
    "gc.auto": "0",
    "http.receivepack": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "uploadpack.allowFilter": "true",
    "receive.hideRefs": "refs/pull",
    "receive.autogc": "false",
}


class GitError(Exception):
    """git failed; the text is its stderr."""


def scrubbed_env() -> dict[str, str]:
    """Returns git's environment: PATH, and nothing of the user's configuration."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
    }


@dataclass(frozen=True)
class Signature:
    """Author or committer of a commit, with the time."""

    name: str
    email: str
    when: datetime

    def env(self, role: str) -> dict[str, str]:
        """Returns the variables for git's environment; `role` is AUTHOR or COMMITTER."""
        seconds = int(self.when.timestamp())
        return {f"GIT_{role}_NAME": self.name, f"GIT_{role}_EMAIL": self.email, f"GIT_{role}_DATE": f"{seconds} +0000"}


@dataclass(frozen=True)
class CommitInfo:
    """The data of a commit; times are ISO 8601 in UTC."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: str
    committer_name: str
    committer_email: str
    committed_at: str
    message: str


@dataclass(frozen=True)
class Entry:
    """One path of a tree."""

    mode: str
    kind: str  # blob, tree, commit
    sha: str
    path: str
    size: int | None


@dataclass(frozen=True)
class Bare:
    """A bare repository at `path`. Methods run git and raise GitError with git's message."""

    path: Path

    @classmethod
    def create(cls, path: Path, branch: str) -> "Bare":
        """Creates an empty repository whose HEAD is `branch`, configured like GitHub's (fetch by SHA, refs/pull
        read-only)."""
        path.mkdir(parents=True)
        for cache in _CACHES:  # another repository may have existed at this path
            cache.cache_clear()
        bare = cls(path)
        bare.git("init", "-q", "--bare", "--template=", f"--initial-branch={branch}", ".")
        lines = [f"[{key.rpartition('.')[0]}]\n\t{key.rpartition('.')[2]} = {value}\n" for key, value in CONFIG.items()]
        with (path / "config").open("a") as config:
            config.write("".join(lines))
        hook = path / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(HOOK)
        hook.chmod(0o755)
        return bare

    def run(
        self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a git command and returns its result, with any exit code."""
        full = scrubbed_env() | dict(env or {}) | {"GIT_DIR": str(self.path)}
        return subprocess.run(
            ["git", *args], cwd=self.path, env=full, input=stdin or b"", capture_output=True, check=False
        )

    def git(self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        """Runs a git command and returns its output."""
        done = self.run(*args, stdin=stdin, env=env)
        if done.returncode != 0:
            raise GitError(f"git {args[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    # Reading -------------------------------------------------------------------------------------------------------

    def sha(self, rev: str, kind: str = "commit") -> str | None:
        """Returns the full SHA of `rev` (branch, tag, SHA, any revision without options), or None."""
        if not rev or rev.startswith("-"):
            return None
        known = rev if _SHA.fullmatch(rev) else self._loose(rev)
        if known == "":
            return None
        try:
            return _peeled(self, known or rev, kind) if known else self._parsed(f"{rev}^{{{kind}}}")
        except GitError:
            return None

    def _loose(self, ref: str) -> str | None:
        """Returns the SHA of a full ref or branch name, read from its file: git takes three milliseconds for it, and a
        conversation needs hundreds. Empty if there is none, None if only git can tell."""
        if not _NAME.fullmatch(ref) or (self.path / "packed-refs").exists() or (self.path / "reftable").exists():
            return None
        full = ref if ref.startswith("refs/") else f"refs/heads/{ref}"
        if full != ref and any((self.path / place / ref).exists() for place in (".", "refs", "refs/tags")):
            return None  # git gives these precedence
        try:
            held = (self.path / full).read_text().strip()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return "" if full == ref else None  # it may be another kind of revision
        return held if _SHA.fullmatch(held) else None

    def _parsed(self, rev: str) -> str:
        return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", rev).decode().strip()

    def sha_at(self, rev: str, path: str) -> str | None:
        """Returns the SHA of a file or folder at a revision."""
        tree = self.sha(rev, "tree")
        try:
            return _at(self, tree, path) if tree else None
        except GitError:
            return None

    def branch(self, name: str) -> str | None:
        """Returns the head of a branch."""
        return self.sha(f"refs/heads/{name}")

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Returns full ref name → SHA."""
        out = self.git("for-each-ref", "--format=%(objectname) %(refname)", prefix).decode()
        return {line[41:]: line[:40] for line in out.splitlines()}

    def read(self, rev: str, path: str) -> bytes | None:
        """Returns a file's bytes at a revision."""
        sha = self.sha(rev, "tree")
        try:
            return _read(self, sha, path) if sha else None
        except GitError:
            return None

    def entries(self, rev: str, path: str = "", recursive: bool = False) -> list[Entry]:
        """Returns a tree's entries; `path` is a folder inside it."""
        return list(_entries(self, self.sha(rev, "tree") or rev, path, recursive))

    def info(self, sha: str) -> CommitInfo:
        """Returns a commit's data."""
        return _info(self, sha)

    def changed_paths(self, sha: str) -> list[tuple[str, str]]:
        """Returns (status letter, path) of each file changed relative to the first parent."""
        return list(_changed_paths(self, sha))

    def new_workflow_files(self, new: str) -> list[str]:
        """Returns the workflow files changed by commits that no ref contains yet; they need the `workflows`
        permission."""
        fresh = self.git("rev-list", new, "--not", "--all").decode().split()
        paths = [path for sha in fresh for _, path in self.changed_paths(sha)]
        return [path for path in paths if path.startswith(".github/workflows/")]

    def new_text(self, new: str) -> str:
        """Returns the diff of commits that no ref contains yet."""
        return self.git("log", "-p", "--format=", new, "--not", "--all").decode(errors="replace")

    def merge_base(self, one: str, other: str) -> str | None:
        """Returns the best common ancestor, or None."""
        try:
            return _merge_base(self, self.sha(one) or one, self.sha(other) or other)
        except GitError:
            return None

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` contains `old`."""
        base = self.merge_base(old, new)
        return base is not None and base == self.sha(old)

    def commits(self, old: str | None, new: str) -> list[str]:
        """Returns the commits in `new` but not in `old`, oldest first."""
        return list(_commits(self, old and (self.sha(old) or old), self.sha(new) or new))

    # Writing -------------------------------------------------------------------------------------------------------

    def blob(self, content: bytes) -> str:
        """Stores bytes and returns the SHA."""
        return _blob(self, content)

    def tree(self, base: str | None, changes: list[tuple[str, str | None, str]]) -> str:
        """Creates a tree: `base` with the changes (mode, blob SHA or None to delete, path)."""
        lines = [f"{mode if sha else '0'} {sha or ZERO}\t{path}\0" for mode, sha, path in changes]
        with tempfile.TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": f"{folder}/index"}
            if base:
                self.git("read-tree", base, env=env)
            self.git("update-index", "-z", "--index-info", stdin="".join(lines).encode(), env=env)
            return self.git("write-tree", env=env).decode().strip()

    def commit(self, tree: str, parents: list[str], message: str, author: Signature, committer: Signature) -> str:
        """Creates a commit object, without moving a ref."""
        flags = [flag for parent in parents for flag in ("-p", parent)]
        env = author.env("AUTHOR") | committer.env("COMMITTER")
        return self.git("commit-tree", tree, *flags, stdin=message.encode(), env=env).decode().strip()

    def set_ref(self, ref: str, new: str | None, old: str | None = None) -> None:
        """Moves, creates or (with None) deletes a ref; with `old` only if the ref is at `old`."""
        if new is None:
            self.git("update-ref", "-d", ref, *([old] if old else []))
        else:
            self.git("update-ref", ref, new, *([old] if old else []))

    def merge_tree(self, ours: str, theirs: str) -> str | None:
        """Returns the tree of a merge of two commits, None on conflict."""
        return _merge_tree(self, self.sha(ours) or ours, self.sha(theirs) or theirs)

    def merge_tree_by_git(self, ours: str, theirs: str) -> str | None:
        """The same without the cache."""
        done = self.run("merge-tree", "--write-tree", "--no-messages", ours, theirs)
        if done.returncode == 0:
            return done.stdout.decode().split()[0]
        if done.returncode == 1:
            return None
        return self.merge_tree_by_index(ours, theirs)

    def merge_tree_by_index(self, ours: str, theirs: str) -> str | None:
        """The same for git older than 2.38 (without renames): three-way read-tree, then file by file."""
        base = self.merge_base(ours, theirs)
        if base is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": f"{folder}/index", "GIT_WORK_TREE": folder}
            self.git("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, env=env)
            if self.run("merge-index", "-o", "git-merge-one-file", "-a", env=env).returncode != 0:
                return None
            return self.git("write-tree", env=env).decode().strip()


# Objects never change and are never removed here, so results for full SHAs are cached. Errors are not, as a missing
# object may still be added.
_SHA = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[\w./-]+", re.ASCII)


@lru_cache(maxsize=4096)
def _peeled(bare: Bare, sha: str, kind: str) -> str:
    return bare._parsed(f"{sha}^{{{kind}}}")


@lru_cache(maxsize=1024)
def _at(bare: Bare, tree: str, path: str) -> str:
    return bare._parsed(f"{tree}:{path}")


@lru_cache(maxsize=1024)
def _read(bare: Bare, tree: str, path: str) -> bytes:
    return bare.git("cat-file", "blob", f"{tree}:{path}")


@lru_cache(maxsize=1024)
def _entries(bare: Bare, tree: str, path: str, recursive: bool) -> tuple[Entry, ...]:
    flags = ["-r", "-t"] if recursive else []
    out = bare.git("ls-tree", "-z", "-l", *flags, f"{tree}:{path}" if path else tree)
    found = []
    for line in filter(None, out.split(b"\0")):
        meta, _, name = line.partition(b"\t")
        mode, kind, sha, size = meta.decode().split()
        found.append(Entry(mode, kind, sha, os.fsdecode(name), None if size == "-" else int(size)))
    return tuple(found)


@lru_cache(maxsize=4096)
def _changed_paths(bare: Bare, sha: str) -> tuple[tuple[str, str], ...]:
    out = bare.git("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-status", "-m", "--first-parent", sha)
    fields = [os.fsdecode(field) for field in out.split(b"\0") if field]
    return tuple(zip(fields[::2], fields[1::2], strict=True))


@lru_cache(maxsize=4096)
def _merge_base(bare: Bare, one: str, other: str) -> str | None:
    done = bare.run("merge-base", one, other)
    if done.returncode > 1:  # 1: there is no common ancestor
        raise GitError(f"git merge-base: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode().strip() or None


@lru_cache(maxsize=4096)
def _commits(bare: Bare, old: str | None, new: str) -> tuple[str, ...]:
    out = bare.git("rev-list", "--reverse", "--topo-order", f"{old}..{new}" if old else new)
    return tuple(out.decode().split())


@lru_cache(maxsize=1024)
def _merge_tree(bare: Bare, ours: str, theirs: str) -> str | None:
    return bare.merge_tree_by_git(ours, theirs)


@lru_cache(maxsize=256)
def _blob(bare: Bare, content: bytes) -> str:
    return bare.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()


@lru_cache(maxsize=4096)
def _info(bare: Bare, sha: str) -> CommitInfo:
    """Cached, as commits don't change."""
    form = "%x00".join(("%H", "%T", "%P", "%an", "%ae", "%ad", "%cn", "%ce", "%cd", "%B"))
    date = "--date=format-local:%Y-%m-%dT%H:%M:%SZ"
    out = bare.git("log", "-1", "--no-walk", date, f"--format={form}", sha, env={"TZ": "UTC"})
    fields = out.decode(errors="replace").split("\0")
    who = fields[3:9]
    return CommitInfo(
        fields[0], fields[1], tuple(fields[2].split()), who[0], who[1], who[2], who[3], who[4], who[5],
        fields[9].rstrip("\n"),
    )  # fmt: skip


_CACHES = (_peeled, _at, _read, _entries, _changed_paths, _merge_base, _commits, _merge_tree, _blob, _info)
