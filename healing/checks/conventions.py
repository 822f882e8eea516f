"""Conventions that developers of a language follow whatever their CI checks: Go and Rust each have one layout and one
formatter.

A convention counts only where this change broke it: its command is green on the commit that the work starts from and
red now. Where a repository never followed it, nothing is reported.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from healing.checks.check import Check, command_check
from healing.checks.running import Checker
from healing.view import TreeView

FORMATS = re.compile(r"gofmt|gofumpt|goimports|golangci-lint|rustfmt|cargo (?:\+\S+ )?fmt")
NOT_OURS = re.compile(r"(?:^|/)(?:vendor|testdata|target|third_party)/")
MAX_FILES = 200


async def broken_conventions(checks: Iterable[Check], before: str, tree: str, checker: Checker) -> tuple[Check, ...]:
    """Those of `checks` that are green on the tree `before` and red on `tree`."""
    broken = []
    for check in checks:
        if (await checker.run(check, before)).green:
            result = await checker.run(check, tree)
            broken += [] if result.green or result.not_run else [check]
    return tuple(broken)


def conventions(
    view: TreeView, changed: Iterable[str], known: Iterable[Check], installed: Callable[[str], bool]
) -> Iterator[Check]:
    """Yield the format checks for the changed files; none where one of the `known` checks covers formatting."""
    if any(FORMATS.search(check.step.run) for check in known):
        return
    own_files = [
        path for path in sorted(changed) if not NOT_OURS.search(path) and (view.mode(path) or "").startswith("100")
    ]
    go = [path for path in own_files if path.endswith(".go")][:MAX_FILES]
    if go and installed("gofmt"):
        yield command_check(f'test -z "$(gofmt -l {shlex.join(f"./{path}" for path in go)})"')
    if any(path.endswith(".rs") for path in own_files) and "Cargo.toml" in view.paths() and installed("cargo-fmt"):
        yield command_check("cargo fmt --check")
