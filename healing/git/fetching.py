"""Fetches commits by id: whole ones, to be checked out, or partial ones, of which only some files are read.

A commit is fetched shallow: its trees and no history. A partial one is fetched without files where the server supports
that (protocol 2 with `filter`), and the few files that are needed follow in one request by their ids. Partial commits
are recorded in the store's folder `partial` before the request, so that none passes for whole after a kill. Only whole
commits become refs, and only refs are offered as "have": objects that a server therefore doesn't send are really here.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from dulwich.client import HttpGitClient
from dulwich.object_store import ObjectStoreGraphWalker
from dulwich.objects import ObjectID
from dulwich.refs import Ref
from dulwich.repo import Repo

from healing.git.checkout import SUBMODULE
from healing.git.errors import GitError, Unreachable
from healing.git.locks import locked
from healing.git.objects import Objects
from healing.git.packs import merge_packs
from healing.git.transport import Transport
from healing.git.trees import walk

ALL = 0x7FFFFFFF  # git's own number for "the whole history"
NO_FILES = b"blob:none"
ONE_REF = [b"HEAD"]  # a repository may have a hundred thousand refs; we ask for ids, so one is enough
MAX_FILES = 10_000  # in one request
Refs = Mapping[Ref, ObjectID | None]
Wanted = Callable[[str], bool]  # by path


def fetch(objects: Objects, transport: Transport, wants: Iterable[str], depth: int | None) -> None:
    """Fetches commits by id, with all their files and `depth` generations (None: the whole history); commits that are
    here already aren't requested again.

    Raises GitError where the remote has no such commit or can't be reached.
    """
    asked = _ids(wants)
    with locked(objects.path / "heal.lock"):
        missing = [sha for sha in asked if not _complete(objects, sha, depth)]
        if missing:
            _tidy(objects.path)
            _fetch(objects, transport, missing, depth)


def fetch_files(objects: Objects, transport: Transport, commit: str, wanted: Wanted) -> None:
    """Fetches one commit, with at least those of its files that are wanted. Raises GitError as `fetch` does."""
    [commit] = _ids([commit])
    with locked(objects.path / "heal.lock"):
        _tidy(objects.path)
        if not objects.has(commit):
            _note_partial(objects.path, commit)
            _ask(objects, transport, [commit], 1, NO_FILES)
            _check_arrived(objects, transport, [commit])
            if not any(absent(objects, commit, _any)):  # the server doesn't support the filter
                _note_whole(objects.path, commit)
        lacking = sorted(set(absent(objects, commit, wanted)))
        try:
            for start in range(0, len(lacking), MAX_FILES):
                _ask_for_files(objects, transport, lacking[start : start + MAX_FILES])
            lacking = list(absent(objects, commit, wanted))
        except Unreachable:
            raise
        except GitError:
            pass  # the server doesn't serve files by id
        if lacking:
            _fetch(objects, transport, [commit], 1)


def absent(objects: Objects, commit: str, wanted: Wanted) -> Iterator[str]:
    """The ids of the commit's files that are wanted and not here."""
    for path, entry in walk(objects, objects.root(commit), []):
        if entry.mode != SUBMODULE and wanted(os.fsdecode(path)) and not objects.has(entry.sha):
            yield entry.sha


def _any(path: str) -> bool:
    del path
    return True


def is_whole(objects: Objects, sha: str) -> bool:
    """Whether the commit is here with all its files."""
    return objects.has(sha) and not _partial(objects.path, sha).exists()


def fetched(path: Path) -> set[str]:
    """The ids of all commits that were fetched into the store at `path`, whole or partial."""
    return {commit.name for place in (path / "refs" / "heads", path / "partial") for commit in place.glob("*")}


def _ids(wants: Iterable[str]) -> list[str]:
    shas = list(dict.fromkeys(wants))
    if invalid := [sha for sha in shas if not re.fullmatch("[0-9a-f]{40}", sha)]:
        raise GitError(f"{invalid[0]!r} is no commit id; give all 40 hex digits")
    return shas


def _fetch(objects: Objects, transport: Transport, wants: list[str], depth: int | None) -> None:
    try:
        _ask(objects, transport, wants, depth)
    except Unreachable:
        raise
    except GitError:
        if not _old(transport):
            raise
        _ask(objects, transport, None, None)
    _check_arrived(objects, transport, wants)
    for sha in wants:
        _note_whole(objects.path, sha)


def _old(transport: Transport) -> bool:
    """Whether the server uses a protocol version in which it may refuse ids that no ref points to; then all refs are
    fetched."""
    return isinstance(transport.client, HttpGitClient) and transport.client.protocol_version < 2


def _ask(
    objects: Objects, transport: Transport, wants: list[str] | None, depth: int | None, leave_out: bytes | None = None
) -> None:
    """Sends one request for these commits; None requests those of all refs."""

    def wanted(refs: Refs, depth: int | None = None) -> list[ObjectID]:
        del depth  # passed below
        return [ObjectID(sha.encode()) for sha in wants] if wants is not None else [sha for sha in refs.values() if sha]

    generations = depth if depth is not None or not _shallow(objects.path) else ALL
    with Repo(str(objects.path), bare=True) as target:
        transport.talk(
            "fetch from",
            lambda: transport.client.fetch(
                transport.path,
                target,
                determine_wants=wanted,
                depth=generations,
                ref_prefix=None if wants is None else ONE_REF,
                filter_spec=leave_out,
            ),
        )


def _ask_for_files(objects: Objects, transport: Transport, shas: list[str]) -> None:
    """Sends one request for exactly these objects."""

    def wanted(refs: Refs, depth: int | None = None) -> list[ObjectID]:
        del refs, depth
        return [ObjectID(sha.encode()) for sha in shas]

    with Repo(str(objects.path), bare=True) as target:
        file, commit, abort = target.object_store.add_pack()
        nothing_here = ObjectStoreGraphWalker([], lambda _: [])
        try:
            transport.talk(
                "fetch files from",
                lambda: transport.client.fetch_pack(
                    transport.path, wanted, nothing_here, file.write, ref_prefix=ONE_REF
                ),
            )
        except BaseException:
            abort()
            raise
        transport.talk("read the files of", commit)


def _check_arrived(objects: Objects, transport: Transport, wants: list[str]) -> None:
    for sha in wants:
        if not objects.has(sha):
            raise GitError(f"{transport.where} did not send {sha}; check that the commit exists there")


def _complete(objects: Objects, sha: str, depth: int | None) -> bool:
    """Whether the commit and its ancestors are here whole, up to `depth` generations."""
    if not is_whole(objects, sha):
        return False
    if depth is None:
        return not _shallow(objects.path)
    generation = {sha}
    for _ in range(depth - 1):
        generation = {parent.decode() for each in generation for parent in objects.commit(each).parents}
        if not all(is_whole(objects, each) for each in generation):
            return False
    return True


def _shallow(path: Path) -> set[str]:
    try:
        return set((path / "shallow").read_text().split())
    except FileNotFoundError:
        return set()


def _tidy(path: Path) -> None:
    """Removes what a process that was killed during a fetch left, and merges small packs. The caller holds the lock."""
    for leftover in [path / "shallow.lock", *(path / "objects" / "pack").glob("tmp_pack_*")]:
        leftover.unlink(missing_ok=True)
    merge_packs(path)


def _partial(path: Path, sha: str) -> Path:
    return path / "partial" / sha


def _note_partial(path: Path, sha: str) -> None:
    mark = _partial(path, sha)
    mark.parent.mkdir(mode=0o700, exist_ok=True)
    mark.touch()


def _note_whole(path: Path, sha: str) -> None:
    """Makes a ref for the fetched commit. The next fetch offers it, so that only new objects are sent."""
    partial = path / f"fetched-{os.getpid()}.tmp"
    partial.write_text(sha + "\n")
    partial.rename(path / "refs" / "heads" / sha)
    _partial(path, sha).unlink(missing_ok=True)
