"""Flags edits that change the same lines as another fix of the same run."""

from collections.abc import Callable, Iterable

from healing.model import Edit, Proposal

Span = tuple[int, int]  # first and last line, from 0


def fixed_again(
    edits: Iterable[Edit], accepted: Iterable[Proposal], read: Callable[[str], bytes | None]
) -> tuple[str, ...]:
    """A sentence for each accepted proposal whose lines one of the edits changes. `read` returns the files that the
    edits are for, with or without the proposals applied."""
    own_spans = [(edit.file, _span(edit.old_string, read(edit.file))) for edit in edits if edit.kind == "replace"]
    sentences = []
    for proposal in accepted:
        files = sorted(
            {edit.file for edit in proposal.edits if any(_overlap(edit, *own_span, read) for own_span in own_spans)}
        )
        sentences += [f"changes lines of {file} again that {proposal.id} fixed in this run" for file in files]
    return tuple(sentences)


def _overlap(theirs: Edit, file: str, mine: Span | None, read: Callable[[str], bytes | None]) -> bool:
    if theirs.file != file or mine is None:
        return False
    data = read(file)
    span = _span(theirs.new_string, data) or _span(theirs.old_string, data)
    return span is not None and span[0] <= mine[1] and mine[0] <= span[1]


def _span(text: str, data: bytes | None) -> Span | None:
    """The first and last line of the text; None if it occurs nowhere or more than once."""
    raw = text.encode("utf-8", "surrogateescape")
    if not raw or data is None or data.count(raw) != 1:
        return None
    first = data[: data.index(raw)].count(b"\n")
    return first, first + raw.rstrip(b"\n").count(b"\n")
