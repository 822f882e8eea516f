"""Pushes our own commits: moves a ref by compare-and-swap and sends only new objects."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from dulwich.objects import ObjectID, ShaFile
from dulwich.pack import UnpackedObject, pack_objects_to_data
from dulwich.refs import Ref

from healing.git.errors import RefMoved
from healing.git.fetching import fetched
from healing.git.objects import Objects
from healing.git.transport import Transport
from healing.git.trees import new_in_tree

NOTHING = b"0" * 40


def push(objects: Objects, transport: Transport, ref: str, tip: str | None, expected: str | None) -> None:
    """Sets `ref` to `tip` (None: deletes it) if it still is at `expected` (None: doesn't exist yet).

    Sends only objects that the remote can't have; dulwich's own selection would send the whole tree from a shallow
    store. Raises RefMoved where the ref is elsewhere or the remote refuses to set it, GitError where the push fails.
    """
    name = Ref(ref.encode())
    moved: list[str] = []

    def update(refs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
        sha = refs.get(name)
        current = sha.decode() if sha and sha != NOTHING else None
        if current != expected:
            moved.append(current or "gone")
            return {}
        return {name: ObjectID(tip.encode() if tip else NOTHING)}

    def pack(
        have: AbstractSet[ObjectID], want: AbstractSet[ObjectID], **_: Any
    ) -> tuple[int, Iterator[UnpackedObject]]:
        del want  # it is `tip`
        theirs = {sha.decode() for sha in have} | fetched(objects.path)
        new = list(new_objects(objects, tip, theirs)) if tip else []
        return pack_objects_to_data([(obj, None) for obj in new])

    result = transport.talk("push to", lambda: transport.client.send_pack(transport.path, update, pack))
    if moved:
        raise RefMoved(f"{ref} at {transport.where} is {moved[0]}, not {expected}; fetch the new commits first")
    refused = [why for why in (result.ref_status or {}).values() if why]
    if refused:
        raise RefMoved(transport.scrub(f"{transport.where} refused to set {ref} ({refused[0]}); fetch and retry"))


def new_objects(objects: Objects, tip: str, theirs: set[str]) -> Iterator[ShaFile]:
    """The commits from `tip` down to those in `theirs`, and the objects of their trees that no parent's tree has."""
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
        for kind, new in new_in_tree(objects, commit.tree.decode(), known, seen):
            yield ShaFile.from_raw_string(kind, objects.raw(new, kind))
        todo += parents
