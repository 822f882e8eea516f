"""Whether a push to a branch starts a workflow, judged by the `on:` of its file.

The patterns are those of docs.github.com's filter pattern cheat sheet.
"""

import re

import re2  # type: ignore[import-untyped] # it has no types

from healing.checks.source import Items, SourceMapping, WorkflowError, read_yaml

MAX_PATTERNS = 200
MAX_LENGTH = 500  # characters of a pattern
PARTS = re.compile(r"(\*\*|\*|\?|\+|\[[^\]]{0,100}\])")
SIGNS = {"**": ".*", "*": "[^/]*", "?": "?", "+": "+"}


def starts_on_push(path: str, data: bytes, branch: str) -> bool:
    """Whether a push to `branch` may start the workflow. False only where the file rules it out; a filter of paths, for
    example, can't be judged from the file."""
    try:
        on = read_yaml(path, data).get("on")
    except WorkflowError:
        return True
    if not isinstance(on, SourceMapping):
        return "push" in (on if isinstance(on, Items) else [on])
    return "push" in on and (not isinstance(on["push"], SourceMapping) or _of_branch(on["push"], branch))


def _of_branch(filters: SourceMapping, branch: str) -> bool:
    if filters.get("branches"):
        return _matches(filters["branches"], branch)
    if filters.get("branches-ignore"):
        return not _matches(filters["branches-ignore"], branch)
    return not ({"tags", "tags-ignore"} & set(filters))  # a filter of tags alone leaves branches out


def _matches(patterns: object, branch: str) -> bool:
    """Whether the last pattern that matches the branch includes it; one with `!` excludes."""
    included = False
    for pattern in (patterns if isinstance(patterns, Items) else [patterns])[:MAX_PATTERNS]:
        text = str(pattern)[:MAX_LENGTH]
        if _fits(text.removeprefix("!"), branch):
            included = not text.startswith("!")
    return included


def _fits(pattern: str, branch: str) -> bool:
    """Whether a branch matches a pattern: `*` stays within one part of the name, `**` doesn't; `?`, `+` and `[]` are as
    in regular expressions."""
    parts = PARTS.split(pattern)
    regex = "".join(SIGNS.get(part) or (part if part.startswith("[") else re2.escape(part)) for part in parts)
    try:
        return bool(re2.fullmatch(regex, branch))
    except re2.error:
        return False
