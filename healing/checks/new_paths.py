"""Which path a command names that an older tree doesn't have."""

import posixpath
import re

from healing.checks.check import Script
from healing.view import TreeView

WORD = re.compile(r"""[^\s;&|()<>="'`]+""")


def newly_named(step: Script, before: TreeView, after: TreeView) -> str:
    """The first file or folder of `after` that the step names, or runs in, and `before` doesn't have; empty where there
    is none. There the step fails because that is missing, whatever the rest of `before` is like."""
    named = (posixpath.join(step.cwd, word.partition("::")[0]) for word in WORD.findall(step.run))
    for path in map(posixpath.normpath, (step.cwd, *named)):
        if path != "." and not path.startswith(("/", "..")) and _has(after, path) and not _has(before, path):
            return path
    return ""


def _has(view: TreeView, path: str) -> bool:
    return view.mode(path) is not None or any(one.startswith(f"{path}/") for one in view.paths())
