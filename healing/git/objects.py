"""One object store on disk, shared by many threads: trees, blobs and commits as plain values."""

import hashlib
import secrets
import threading
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from dulwich.errors import FileFormatException
from dulwich.objects import Commit, ObjectID, ShaFile, parse_tree, serialize_tree, sorted_tree_items
from dulwich.repo import Repo

from healing.edits.merge import TreeEntry
from healing.git.errors import GitError

TREE, BLOB, COMMIT, TAG = 2, 3, 1, 4
TYPES = {TREE: b"tree", BLOB: b"blob", COMMIT: b"commit"}
CACHED_TREES = 20_000
HELD_BYTES = 32 << 20  # of blobs: fixers, graph and names read the same thousands of files repeatedly
MALFORMED = (ValueError, AssertionError, IndexError, zlib.error, FileFormatException)


class ByteCache:
    """A thread-safe LRU cache of byte strings. `most` limits their total size in bytes; a value larger than an eighth
    of it isn't kept."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = 0
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """The value, or None if it isn't cached."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Caches the value; a key's value must never change."""
        if 8 * len(value) > self.most:
            return
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self.size += len(value)
            while self.size > self.most:
                self.size -= len(self._values.popitem(last=False)[1])


def object_id(kind: int, data: bytes) -> str:
    """The object id that git gives these bytes."""
    return hashlib.sha1(loose(kind, data), usedforsecurity=False).hexdigest()


def loose(kind: int, data: bytes) -> bytes:
    """The object with its header: the bytes that are hashed, and stored compressed."""
    return b"%s %d\0" % (TYPES[kind], len(data)) + data


class Objects:
    """Reads and writes the objects of one store. Thread-safe; several processes may share one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repo = Repo(str(path), bare=True)
        self._lock = threading.RLock()
        self._trees: OrderedDict[str, dict[bytes, TreeEntry]] = OrderedDict()
        self._blobs = ByteCache(HELD_BYTES)
        self._known: set[str] = set()

    def __enter__(self) -> "Objects":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self.repo.close()

    def has(self, sha: str) -> bool:
        with self._lock:
            return sha in self._known or ObjectID(sha.encode()) in self.repo.object_store

    def raw(self, sha: str, kind: int) -> bytes:
        """The object's bytes. Raises GitError where it is missing, corrupt or of another kind."""
        try:
            with self._lock:
                stored, data = self.repo.object_store.get_raw(ObjectID(sha.encode()))
        except KeyError:
            raise GitError(f"the object {sha} is not here; fetch its commit first") from None
        except MALFORMED as error:
            raise GitError(f"the object {sha} can't be read ({type(error).__name__}); fetch it again") from None
        if stored != kind:
            raise GitError(f"{sha} is not a {TYPES[kind].decode()}; name one")
        return data

    def blob(self, sha: str) -> bytes:
        """A file's bytes, from the cache where possible. Raises GitError as `raw` does."""
        data = self._blobs.get(sha)
        if data is None:
            data = self.raw(sha, BLOB)
            self._blobs.put(sha, data)
        return data

    def tree(self, sha: str) -> dict[bytes, TreeEntry]:
        """The entries of one folder by name. The dict is cached and shared; don't change it. Raises GitError."""
        with self._lock:
            if sha in self._trees:
                self._trees.move_to_end(sha)
                return self._trees[sha]
        try:
            parsed = parse_tree(self.raw(sha, TREE), sha_len=20)
        except MALFORMED as error:
            raise GitError(f"the tree {sha} is malformed ({type(error).__name__})") from None
        entries = {bytes(name): TreeEntry(mode, bytes(hexsha).decode()) for name, mode, hexsha in parsed}
        with self._lock:
            self._trees[sha] = entries
            while len(self._trees) > CACHED_TREES:
                self._trees.popitem(last=False)
        return entries

    def commit(self, sha: str) -> Commit:
        """The commit. Raises GitError where there is none."""
        try:
            return Commit.from_string(self.raw(sha, COMMIT))
        except MALFORMED as error:
            raise GitError(f"the commit {sha} is malformed ({type(error).__name__})") from None

    def root(self, sha: str) -> str:
        """The tree of a commit; a tree's own id. Raises GitError where the object is missing or corrupt."""
        with self._lock:
            try:
                kind, _ = self.repo.object_store.get_raw(ObjectID(sha.encode()))
            except KeyError:
                raise GitError(f"the object {sha} is not here; fetch its commit first") from None
            except MALFORMED as error:
                raise GitError(f"the object {sha} can't be read ({type(error).__name__}); fetch it again") from None
        if kind == TREE:
            return sha
        return str(self.commit(sha).tree.decode())

    def add_blob(self, data: bytes) -> str:
        return self.add(BLOB, data)

    def add_tree(self, entries: Mapping[bytes, TreeEntry]) -> str:
        dulwich_entries = {name: (mode, ObjectID(sha.encode())) for name, (mode, sha) in entries.items()}
        return self.add(TREE, b"".join(serialize_tree(sorted_tree_items(dulwich_entries, False))))

    def add_object(self, obj: ShaFile) -> str:
        return self.add(obj.type_num, obj.as_raw_string())

    def add(self, kind: int, data: bytes) -> str:
        """Stores the bytes unless they are here already; returns their id.

        The write is atomic, even under kill -9: to another name, then renamed. (dulwich's lock file would remain and
        block the object for ever.)
        """
        sha = object_id(kind, data)
        if self.has(sha):
            return sha
        folder = self.path / "objects" / sha[:2]
        folder.mkdir(mode=0o700, exist_ok=True)
        partial = folder / f"tmp_obj_{secrets.token_hex(8)}"
        partial.write_bytes(zlib.compress(loose(kind, data), 1))
        partial.rename(folder / sha[2:])
        self._known.add(sha)
        return sha
