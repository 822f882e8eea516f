"""A proposal as a patch that `git apply` takes: for forks, and for who wants to finish a fix by hand (GH-8)."""

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from healing.edits import Read, apply_edits
from healing.model import Edit

CONTEXT = 3
NO_NEWLINE = "\\ No newline at end of file\n"


def patch_of(edits: tuple[Edit, ...], read: Read) -> str | None:
    """The unified diff of all edits against what `read` gives; None where a file is not plain UTF-8 text.

    Raises what apply_edits raises.
    """
    changes = apply_edits(edits, read)
    modes = {edit.file: edit.mode for edit in edits}
    parts = [_file(path, read(path), changes[path], modes) for path in sorted(changes)]
    texts = [part for part in parts if part is not None]
    return "".join(texts) if len(texts) == len(parts) else None


def _file(path: str, old: bytes | None, new: bytes | None, modes: Mapping[str, str]) -> str | None:
    try:
        before, after = (old or b"").decode(), (new or b"").decode()
    except UnicodeDecodeError:
        return None
    if any(char in path or char in before + after for char in "\0\r") or '"' in path or "\n" in path:
        return None  # a comment on a page doesn't carry these unharmed
    head = [f"diff --git a/{path} b/{path}\n"]
    if old is None:
        head.append(f"new file mode {modes[path]}\n")
    if new is None:
        head.append(f"deleted file mode {modes[path]}\n")
    head += [
        f"--- {'/dev/null' if old is None else 'a/' + path}\n",
        f"+++ {'/dev/null' if new is None else 'b/' + path}\n",
    ]
    return "".join([*head, *_hunks(_lines(before), _lines(after))])


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
