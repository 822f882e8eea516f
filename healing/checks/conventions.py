"""What developers of a language do whatever their CI asks for: Go and Rust have one layout, and one tool that makes it.

A convention counts only where this change broke it: its command is green on the commit that the work starts from, and
red now. Where a repository never kept it, nothing is said.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from healing.checks.check import Check, command_check
from healing.checks.running import Checker
from healing.view import TreeView

FORMATS = re.compile(r"gofmt|gofumpt|goimports|golangci-lint|rustfmt|cargo (?:\+\S+ )?fmt")
NOT_OURS = re.compile(r"(?:^|/)(?:vendor|testdata|target|third_party)/")
MOST_FILES = 200


async def broken_conventions(checks: Iterable[Check], before: str, tree: str, checker: Checker) -> tuple[Check, ...]:
    """Those of `checks` that are green on the tree `before` and red on `tree`."""
    found = []
    for check in checks:
        if (await checker.run(check, before)).green:
            now = await checker.run(check, tree)
            found += [] if now.green or now.not_run else [check]
    return tuple(found)


def conventions(
    view: TreeView, changed: Iterable[str], known: Iterable[Check], installed: Callable[[str], bool]
) -> Iterator[Check]:
    """The commands for the files that were changed; none where one of the `known` checks looks at their layout."""
    if any(FORMATS.search(check.step.run) for check in known):
        return
    ours = [path for path in sorted(changed) if not NOT_OURS.search(path) and (view.mode(path) or "").startswith("100")]
    go = [path for path in ours if path.endswith(".go")][:MOST_FILES]
    if go and installed("gofmt"):
        yield command_check(f'test -z "$(gofmt -l {shlex.join(f"./{path}" for path in go)})"')
    if any(path.endswith(".rs") for path in ours) and "Cargo.toml" in view.paths() and installed("cargo-fmt"):
        yield command_check("cargo fmt --check")
