"""Fetch by commit id and push of our own objects: how a store speaks with another repository."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from dulwich.objects import ObjectID, ShaFile
from dulwich.pack import UnpackedObject, pack_objects_to_data
from dulwich.refs import Ref
from dulwich.repo import Repo

from healing.gitio.errors import GitError, RefMoved
from healing.gitio.locks import locked
from healing.gitio.objects import Objects
from healing.gitio.transport import Transport
from healing.gitio.trees import new_in_tree

ALL = 0x7FFFFFFF  # git's own number for "the whole history"
NOTHING = b"0" * 40


def fetch(objects: Objects, transport: Transport, wants: Iterable[str], depth: int | None) -> None:
    """Brings commits by id, with their trees and `depth` generations; what is here already isn't asked for again.

    Raises GitError where the other side has no such commit or can't be reached.
    """
    asked = list(dict.fromkeys(wants))
    if odd := [sha for sha in asked if not re.fullmatch("[0-9a-f]{40}", sha)]:
        raise GitError(f"{odd[0]!r} is no commit id; give all 40 hex digits")
    with locked(objects.path / "heal.lock"):
        missing = [sha for sha in asked if not _complete(objects, sha, depth)]
        if not missing:
            return
        _clear_leftovers(objects.path)
        raw = [ObjectID(sha.encode()) for sha in missing]
        shallow = bool(_shallow(objects.path))

        def wanted(refs: Mapping[Ref, ObjectID | None], depth: int | None = None) -> list[ObjectID]:
            del refs, depth  # what is wanted is known already
            return raw

        generations = depth if depth is not None or not shallow else ALL
        with Repo(str(objects.path), bare=True) as target:
            transport.talk(
                "fetch from",
                lambda: transport.client.fetch(transport.path, target, determine_wants=wanted, depth=generations),
            )
        for sha in missing:
            if not objects.has(sha):
                raise GitError(f"{transport.where} did not send {sha}; check that the commit exists there")
            _remember(objects.path, sha)


def _complete(objects: Objects, sha: str, depth: int | None) -> bool:
    """Whether the commit and its ancestors up to `depth` generations are here."""
    if not objects.has(sha):
        return False
    if depth is None:
        return not _shallow(objects.path)
    generation = {sha}
    for _ in range(depth - 1):
        generation = {parent.decode() for one in generation for parent in objects.commit(one).parents}
        if not all(objects.has(one) for one in generation):
            return False
    return True


def _shallow(path: Path) -> set[str]:
    try:
        return set((path / "shallow").read_text().split())
    except FileNotFoundError:
        return set()


def _clear_leftovers(path: Path) -> None:
    """What a process that was killed while it fetched has left; nobody else fetches now."""
    for leftover in [path / "shallow.lock", *(path / "objects" / "pack").glob("tmp_pack_*")]:
        leftover.unlink(missing_ok=True)


def _remember(path: Path, sha: str) -> None:
    """A ref for what was fetched: the next fetch offers it, so that only what is new is sent."""
    partial = path / f"fetched-{os.getpid()}.tmp"
    partial.write_text(sha + "\n")
    partial.rename(path / "refs" / "heads" / sha)


def _fetched(path: Path) -> set[str]:
    return {ref.name for ref in (path / "refs" / "heads").iterdir()}


def push(objects: Objects, transport: Transport, ref: str, tip: str | None, expected: str | None) -> None:
    """Sets `ref` to `tip` (None: removes it) if it still is `expected` (None: is not there yet); sends only objects
    that the other side can't have. (dulwich's own choice would send the whole tree from a shallow store.)

    Raises RefMoved where the ref is elsewhere, GitError where the push is refused.
    """
    name = Ref(ref.encode())
    moved: list[str] = []

    def update(refs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
        found = refs.get(name)
        now = found.decode() if found and found != NOTHING else None
        if now != expected:
            moved.append(now or "gone")
            return {}
        return {name: ObjectID(tip.encode() if tip else NOTHING)}

    def pack(
        have: AbstractSet[ObjectID], want: AbstractSet[ObjectID], **_: Any
    ) -> tuple[int, Iterator[UnpackedObject]]:
        del want  # the tip, which we know
        theirs = {sha.decode() for sha in have} | _fetched(objects.path)
        new = list(new_objects(objects, tip, theirs)) if tip else []
        return pack_objects_to_data([(obj, None) for obj in new])

    result = transport.talk("push to", lambda: transport.client.send_pack(transport.path, update, pack))
    if moved:
        raise RefMoved(f"{ref} at {transport.where} is {moved[0]}, not {expected}; look at what is new there first")
    refused = [why for why in (result.ref_status or {}).values() if why]
    if refused:
        raise RefMoved(transport.scrub(f"{transport.where} refused to set {ref} ({refused[0]}); look at it again"))


def new_objects(objects: Objects, tip: str, theirs: set[str]) -> Iterator[ShaFile]:
    """The commits down to those of the other side, and what their trees have that their parents' don't."""
    todo, seen = [tip], set(theirs)
    while todo:
        sha = todo.pop()
        if sha in seen:
            continue
        seen.add(sha)
        commit = objects.commit(sha)
        yield commit
        parents = [parent.decode() for parent in commit.parents]
        known = {objects.root(parent) for parent in parents if objects.has(parent)}
        for kind, one in new_in_tree(objects, commit.tree.decode(), known, seen):
            yield ShaFile.from_raw_string(kind, objects.raw(one, kind))
        todo += parents
