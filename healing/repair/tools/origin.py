"""Determines whose code a tool's program, plug-ins and configuration are: Heal's own environment's, or the branch's.

A tool's changes pass the same guard either way. The origin only decides the confidence, and what a person is told: a
program, a plug-in or an executable configuration file can write anything.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from healing.checks.check import Check
from healing.view import TreeView

SUREST = 99  # a tool of Heal's environment that reads the repository's files only as data
INSTALLED = 90  # the same where the repository's set-up may have replaced the program; npm's tools
OF_THE_BRANCH = 70  # programs, plug-ins or configuration of the branch ran
DATA_ONLY = frozenset({"ruff", "ruff-format", "black", "isort", "gofmt", "goimports", "rustfmt", "codespell"})
OF_NPM = frozenset({
    "eslint", "xo", "standard", "semistandard", "ts-standard", "prettier", "biome", "typescript",
    "stylelint", "markdownlint", "markdownlint-cli2",
})  # fmt: skip
RUNS = re.compile(  # files that are executed, or name what is executed, when npm's tools or cargo run
    r"(?:^|/)(?:node_modules/|\.?venv/|eslint\.config\.|\.eslintrc|\.prettierrc|prettier\.config\.|\.?biome\.jsonc?$"
    r"|\.stylelintrc|stylelint\.config\.|\.markdownlint"
    r"|xo\.config\.|\.xo-config|package\.json$|\.cargo/|build\.rs$|\.pre-commit-config\.yaml$)"
)
PROGRAM = re.compile(  # those of them that are programs themselves
    r"(?:^|/)(?:node_modules/."
    r"|(?:eslint\.config|xo\.config|\.xo-config|\.eslintrc|prettier\.config|\.prettierrc|stylelint\.config|\.stylelintrc"
    r"|\.markdownlint(?:-cli2)?)\.[cm]?[jt]s$)"
)
DATA = re.compile(
    r"(?:^|/)(?:\.eslintrc|\.stylelintrc|\.markdownlint|\.xo-config|\.prettierrc|\.?biome\.jsonc?$|package\.json$)"
)
LOADS = re.compile(  # from the branch
    rb"""["']?(?:plugins|customRules)["']?\s*:[^\]]{0,2000}?["'\s](?:\./|\.\./|file:)|["']file:"""
)
LOOKED_UP = re.compile(r"PATH$|^(?:BASH_ENV|ENV|PYTHON\w*|LD_\w+|NODE_OPTIONS|HOME)$")  # decide which program is run
MAX_NAMED = 3


@dataclass(frozen=True)
class Origin:
    """The confidence in a tool's output, its explanation for people, and the flags that they should check."""

    confidence: int
    explanation: str
    flags: tuple[str, ...] = ()


def origin_of(name: str, check: Check | None, view: TreeView, changed: Iterable[str]) -> Origin:
    """Where the tool comes from when it is called in place of `check` on the tree of `view`; `changed` are the files
    that the pull request changes."""
    touched = sorted(path for path in changed if RUNS.search(path)) if name not in DATA_ONLY else []
    if touched or runs_branch_code(name, view):
        return Origin(
            OF_THE_BRANCH,
            f"The output of {name}. Its program, plug-ins or configuration are code of this branch.",
            tuple(f"{path}: can decide what {name} writes, and this pull request changes it" for path in touched)[
                :MAX_NAMED
            ],
        )
    replaced = check is not None and (bool(check.setup) or any(map(LOOKED_UP.search, check.step.env)))
    explanation = f"This is what {name} itself changes, with the settings of this repository."
    return Origin(INSTALLED if replaced or name in OF_NPM else SUREST, explanation)


def runs_branch_code(name: str, view: TreeView) -> bool:
    """Whether a tool runs programs, plug-ins or configuration that are files of this tree."""
    if name in DATA_ONLY:
        return False
    if name not in OF_NPM:
        return True
    paths = tuple(view.paths())
    return any(map(PROGRAM.search, paths)) or any(LOADS.search(view.read(p) or b"") for p in paths if DATA.search(p))
