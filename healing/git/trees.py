"""Trees as values: lists the paths of one, compares two, and derives an edited one."""

from collections.abc import Iterator, Mapping

from healing.edits.merge import TreeEntry
from healing.git.errors import GitError, UnsafePath
from healing.git.names import MAX_DEPTH, MAX_PATH, hostile_name
from healing.git.objects import BLOB, TREE, Objects

MAX_ENTRIES = 500_000  # more than any real tree; a few small objects can unfold to billions of entries


def walk(objects: Objects, tree: str, rejected: list[tuple[bytes, str]]) -> Iterator[tuple[bytes, TreeEntry]]:
    """Every file, symlink and submodule, in no particular order; hostile names go to `rejected` with the reason.

    Raises GitError where the tree has more than MAX_ENTRIES or an object is missing.
    """
    todo = [(b"", tree, 0)]
    seen = 0
    while todo:
        prefix, sha, depth = todo.pop()
        for name, entry in objects.tree(sha).items():
            seen += 1
            if seen > MAX_ENTRIES:
                raise GitError(f"the tree {tree} has more than {MAX_ENTRIES:,} entries; Heal doesn't take such trees")
            path = prefix + name
            if why := refused(name, path, depth):
                rejected.append((path, why))
            elif entry.folder:
                todo.append((path + b"/", entry.sha, depth + 1))
            else:
                yield path, entry


def refused(name: bytes, path: bytes, depth: int) -> str | None:
    """Why an entry is never written to disk or shown; None if it is safe."""
    if depth >= MAX_DEPTH or len(path) > MAX_PATH:
        return "lies too deep"
    return hostile_name(name)


def differences(objects: Objects, before: str, after: str) -> dict[bytes, tuple[TreeEntry | None, TreeEntry | None]]:
    """Old and new entry of each changed path: files, symlinks and submodules, hostile names included. Equal folders
    aren't opened. Raises GitError where there are too many differences."""
    changes: dict[bytes, tuple[TreeEntry | None, TreeEntry | None]] = {}
    todo: list[tuple[bytes, str | None, str | None]] = [(b"", before, after)]
    while todo:
        prefix, old_sha, new_sha = todo.pop()
        old = objects.tree(old_sha) if old_sha else {}
        new = objects.tree(new_sha) if new_sha else {}
        for name in old.keys() | new.keys():
            pair = (old.get(name), new.get(name))
            if pair[0] == pair[1]:
                continue
            path = prefix + name
            folders = [entry.sha if entry and entry.folder else None for entry in pair]
            if any(folders):
                todo.append((path + b"/", folders[0], folders[1]))
            old_entry, new_entry = [None if entry and entry.folder else entry for entry in pair]
            if old_entry or new_entry:
                changes[path] = (old_entry, new_entry)
            if len(changes) > MAX_ENTRIES or len(todo) > MAX_ENTRIES or path.count(b"/") > MAX_DEPTH:
                raise GitError("the two trees differ in too many places; Heal doesn't take such changes")
    return changes


def new_in_tree(objects: Objects, tree: str, known: set[str], seen: set[str]) -> Iterator[tuple[int, str]]:
    """Kind and id of the trees and blobs in `tree` that aren't at the same path in one of the trees `known`, nor in
    `seen`, to which they are added."""
    if tree in known or tree in seen:
        return
    seen.add(tree)
    yield TREE, tree
    before = [objects.tree(sha) for sha in known]
    for name, entry in objects.tree(tree).items():
        old = [entries[name] for entries in before if name in entries]
        if entry.folder:
            yield from new_in_tree(objects, entry.sha, {each.sha for each in old if each.folder}, seen)
        elif entry.mode != 0o160000 and entry.sha not in seen and entry.sha not in {each.sha for each in old}:
            seen.add(entry.sha)
            yield BLOB, entry.sha


def edited(objects: Objects, base: str, changes: Mapping[bytes, TreeEntry | None]) -> str:
    """The id of `base` with these paths set, or deleted where None; folders that become empty are removed.

    Raises UnsafePath where a file would lie below a file, or replace a folder that isn't empty.
    """
    return _edited(objects, base, changes, b"") or objects.add_tree({})


def _edited(objects: Objects, base: str | None, changes: Mapping[bytes, TreeEntry | None], prefix: bytes) -> str | None:
    entries = dict(objects.tree(base)) if base else {}
    below: dict[bytes, dict[bytes, TreeEntry | None]] = {}
    here: dict[bytes, TreeEntry | None] = {}
    for path, entry in changes.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = entry
        else:
            here[name] = entry
    for name, entry in here.items():
        if entry is None and name in entries and not entries[name].folder:
            del entries[name]
    for name, inner in below.items():
        _edit_folder(objects, entries, name, inner, prefix)
    for name, entry in here.items():
        if entry is not None:
            if name in entries and entries[name].folder:
                raise UnsafePath(f"{_show(prefix + name)} is a folder; delete what is in it first")
            entries[name] = entry
    return objects.add_tree(entries) if entries else None


def _edit_folder(
    objects: Objects, entries: dict[bytes, TreeEntry], name: bytes, inner: dict[bytes, TreeEntry | None], prefix: bytes
) -> None:
    old = entries.get(name)
    if old is None or not old.folder:
        inner = {path: entry for path, entry in inner.items() if entry is not None}
        if not inner:
            return
        if old is not None:
            raise UnsafePath(f"{_show(prefix + name)} is not a folder; nothing can be written below it")
    sha = _edited(objects, old.sha if old else None, inner, prefix + name + b"/")
    if sha is None:
        entries.pop(name, None)
    else:
        entries[name] = TreeEntry(0o040000, sha)


def _show(path: bytes) -> str:
    return path.decode("utf-8", "replace")
