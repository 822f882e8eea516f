"""A fix as a patch for `git apply`: for forks, and for people who want to finish a fix by hand.

Bytes that a page would spoil (CRLF, hidden characters, what is no text) go in git's own form for binary files: letters
and signs only, and applied to exactly the bytes that it was made for.
"""

import zlib
from base64 import b85encode
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from hashlib import sha1

from handlers.comments.clean import shown
from healing.edits.exact import Read, apply_edits
from healing.model import Edit

CONTEXT = 3
BINARY = "GIT binary patch"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # a line's length: A is one byte
NO_NEWLINE = "\\ No newline at end of file\n"


def patch_of(edits: tuple[Edit, ...], read: Read) -> str | None:
    """The unified diff of all edits against what `read` gives; None where a file's name is one that a page would spoil.

    Raises what apply_edits raises.
    """
    changes = apply_edits(edits, read)
    modes = {edit.file: edit.mode for edit in edits}
    parts = [_file(path, read(path), changes[path], modes) for path in sorted(changes)]
    texts = [part for part in parts if part is not None]
    return "".join(texts) if len(texts) == len(parts) else None


def _file(path: str, old: bytes | None, new: bytes | None, modes: Mapping[str, str]) -> str | None:
    if not _carried(path) or '"' in path or "\n" in path or "\\" in path:
        return None
    head = [f"diff --git a/{path} b/{path}\n"]
    if old is None:
        head.append(f"new file mode {modes[path]}\n")
    if new is None:
        head.append(f"deleted file mode {modes[path]}\n")
    try:
        before, after = (old or b"").decode(), (new or b"").decode()
    except UnicodeDecodeError:
        return "".join([*head, *_binary(old, new)])
    if not _carried(before) or not _carried(after):
        return "".join([*head, *_binary(old, new)])
    head += [
        f"--- {'/dev/null' if old is None else 'a/' + path}\n",
        f"+++ {'/dev/null' if new is None else 'b/' + path}\n",
    ]
    return "".join([*head, *_hunks(_lines(before), _lines(after))])


def _carried(text: str) -> bool:
    """Whether a comment on a page shows the text as it is, and gives it back unharmed."""
    return shown(text) == text


def _binary(old: bytes | None, new: bytes | None) -> Iterator[str]:
    yield f"index {_blob(old)}..{_blob(new)}\n{BINARY}\nliteral {len(new or b'')}\n"
    packed = zlib.compress(new or b"", 9)
    for at in range(0, len(packed), len(_LETTERS)):
        part = packed[at : at + len(_LETTERS)]
        yield f"{_LETTERS[len(part) - 1]}{b85encode(part, pad=True).decode()}\n"
    yield "\n"


def _blob(data: bytes | None) -> str:
    """git's name for a file's bytes."""
    return "0" * 40 if data is None else sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def _lines(text: str) -> list[str]:
    """Lines as git sees them: split at \\n only."""
    parts = text.split("\n")
    return [line + "\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _hunks(a: list[str], b: list[str]) -> Iterator[str]:
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _marked(" ", a[i1:i2])
            else:
                yield from _marked("-", a[i1:i2])
                yield from _marked("+", b[j1:j2])


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"


def _marked(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line if line.endswith("\n") else f"{sign}{line}\n{NO_NEWLINE}"
