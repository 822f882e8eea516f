"""The events that start a workflow: `on:` with GitHub's branch filters (docs: filter pattern cheat sheet)."""

import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError


def wants(data: bytes, event: str, branch: str) -> bool:
    """Whether a workflow file's `on:` matches the event and the branch: the pushed branch, or a pull request's base."""
    try:
        tree = YAML(typ="safe", pure=True).load(data.decode("utf-8", "replace"))
    except YAMLError:
        return False
    on = tree.get("on", tree.get(True)) if isinstance(tree, dict) else None
    if isinstance(on, str | list):
        return event == on or event in on
    if not isinstance(on, dict) or event not in on:
        return False
    return _wants_branch(on[event] if isinstance(on[event], dict) else {}, branch)


def _wants_branch(filters: dict[str, Any], branch: str) -> bool:
    if filters.get("branches"):
        return _matches(filters["branches"], branch)
    if filters.get("branches-ignore"):
        return not _matches(filters["branches-ignore"], branch)
    return "tags" not in filters and "tags-ignore" not in filters  # a filter of only tags excludes branches


def _matches(patterns: str | list[str], branch: str) -> bool:
    """The last matching pattern decides; one with `!` excludes."""
    matched = False
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        text = str(pattern)
        if re.fullmatch(_regexp(text.removeprefix("!")), branch):
            matched = not text.startswith("!")
    return matched


def _regexp(pattern: str) -> str:
    """Translates a pattern: `*` matches no slash, `**` does; `?`, `+` and `[]` are as in regular expressions."""
    parts = re.split(r"(\*\*|\*|\?|\+|\[[^\]]*\])", pattern)
    signs = {"**": ".*", "*": "[^/]*", "?": "?", "+": "+"}
    return "".join(signs.get(part) or (part if part.startswith("[") else re.escape(part)) for part in parts)
