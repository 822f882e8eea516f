"""Rule: what CI checks stays as it is: rules, strictness, thresholds, and what is collected.

If CI found fault with the settings themselves they may change, but never so that they demand less.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from healing.verify.guard.patch import AT_FAULT, File, Follows, GuardFinding, WholeChange
from healing.verify.guard.reading.tables import Table, UnreadableTable, table
from healing.verify.guard.reading.text import any_of, plain

RULE = "settings"
# Files that only configure checks.
CHECKERS = any_of(
    r"(^|/)(?:noxfile\.py|conftest\.py|\.?pytest\.(?:ini|toml)|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc)$",
    r"(^|/)(?:\.coveragerc|pyrightconfig\.json|\.pre-commit-config\.yaml|\.bandit|\.?codecov\.ya?ml)$",
    r"(^|/)\.(?:eslintrc|prettierrc|mocharc|nycrc|c8rc|rubocop|stylelintrc|yamllint|markdownlint|hadolint|golangci)[^/]*$",
    r"(^|/)(?:eslint|prettier|jest|vitest|playwright|cypress|stylelint)\.(?:config|setup|workspace)\.[^/]+$|(^|/)karma\.conf\.[^/]+$",
    r"(^|/)(?:\.eslintignore|\.prettierignore|biome\.jsonc?|\.oxlintrc\.json|phpstan\.neon[^/]*)$",
    r"(^|/)(?:\.?clippy\.toml|\.?rustfmt\.toml|deny\.toml|\.config/nextest\.toml)$",
    r"(^|/)(?:sonar-project\.properties|\.shellcheckrc)$",
)
# Files that also configure other things: the keys that configure checks.
TOOLS = (
    r"ruff|mypy|pytest|coverage|pyright|basedpyright|pylint|flake8|bandit|tox|nox|pyre|pytype|ty|black|isort|interrogate|vulture|"
    r"pydocstyle|codespell|hatch\.envs|pdm\.scripts|poe|taskipy|djlint|deptry|pydoclint|import_?linter|mutmut"
)
MIXED: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(rf"(^|/){name}$"), re.compile(keys))
    for name, keys in (
        (r"pyproject\.toml", rf"tool\.(?:{TOOLS})\b"),
        (
            r"Cargo\.toml|\.cargo/config(?:\.toml)?",
            r"(?:workspace\.)?lints\b|(?:lib|bin|package|test|bench)\b.{0,40}"
            r"\b(?:test|doctest|autotests|harness)\b|profile\..{1,40}(?:checks|assertions)|build\.rustflags|target\..*rustflags",
        ),
        (
            r"package\.json",
            r"scripts\.|jest\b|eslint\w*\b|mocha\b|nyc\b|c8\b|ava\b|prettier\b|xo\b|standard\b|lint-staged|husky|"
            r"vitest\b|stylelint\b|tsd\b",
        ),
        (
            r"setup\.cfg|tox\.ini",
            r"mypy|flake8|tool:pytest|pytest|coverage|pylint|pycodestyle|pydocstyle|isort|testenv|tox|bandit",
        ),
        (
            r"[jt]sconfig[^/]*\.json",
            r"compilerOptions\.(?:strict|no[A-Z]|use[A-Z]|check|allow[UJ]|skip|exact|alwaysStrict|suppress)|"
            r"exclude|include|files\b",
        ),
    )
)


# The names and values that show whether a setting of a checker demands less than before.
LEVELS = {
    "off": 0,
    "allow": 0,
    "none": 0,
    "ignore": 0,
    "basic": 1,
    "silent": 0,
    "warn": 1,
    "warning": 1,
    "information": 1,
    "standard": 2,
    "error": 2,
    "deny": 2,
    "strict": 3,
    "forbid": 3,
}
ALLOWS = re.compile(
    r"ignore|exclude|omit|disable|skip|allow|suppress|deselect|exempt|silence|filterwarnings|baseline|not|untyped_globals|"
    r"rerun|retr|follow_imports|passwithnotests|warn_only|timeout|expected"
)
LIMITS = re.compile(r"max|limit|length|complexity|tolerance|delta")
DEMANDS = re.compile(
    r"select|enable|strict|check|warn|disallow|fail|threshold|include|testpaths|testmatch|files|paths|require|branch|lines|functions|"
    r"statements|deny|forbid|plugins|rules|no[A-Z]|source|use[A-Z]|exact|addopts|error|test|autotests|commands|lints|hooks|mode"
)


def is_weaker(key: str, old: object, new: object) -> bool:
    """Whether `key` demands less with `new` than with `old` (None: not set)."""
    levels = _level(old), _level(new)
    if levels[0] is not None and (levels[1] is not None or new is None) and not isinstance(old, bool):
        return (levels[1] or 0) < levels[0]
    if levels[1] is not None and old is None:
        return levels[1] < 2
    last = key.rpartition(".")[2]
    if re.search(r"disallow|no_implicit|forbid|fail|^no[A-Z]", last):
        return _less(old, new)
    if ALLOWS.search(key.lower()):
        return _less(new, old)
    if LIMITS.search(last.lower()) and isinstance(new, int | float):
        return isinstance(old, int | float) and new > old
    return bool(DEMANDS.search(key)) and _less(old, new)


def _less(much: object, little: object) -> bool:
    """Whether `little` demands less than `much`, for a setting where more means stricter."""
    if isinstance(much, tuple):
        return bool(set(much) - set(little if isinstance(little, tuple) else ()))
    if isinstance(much, bool | int | float):
        return not isinstance(little, bool | int | float) or little < much
    return much is not None and bool(much) and (little is None or (isinstance(little, str) and str(much) not in little))


def _level(value: object) -> int | None:
    return LEVELS.get(value.lower()) if isinstance(value, str) else None


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each settings file that demands less, or that a fix has no reason to change."""
    for file in patch.files:
        named = file.path in patch.named
        mended = _mended(file, patch.at_fault.get(file.path))
        if CHECKERS.search(file.path):
            yield from _weakened(mended, None) if named else [_forbidden(file)]
        for name, keys in MIXED:
            if name.search(file.path):
                yield from _mixed(mended, keys, named)


def _mended(file: File, word: Follows | None) -> File:
    """The file as if its misspelt word had been right before: mending that takes no demand back."""
    if word is None or word.in_text or file.old is None:
        return file
    wrong, right = word.old.encode(), word.new.encode()
    return replace(file, old=re.sub(rb"(?<!\w)(?<!\w-)%b(?![\w-])" % re.escape(wrong), right, file.old))


def _forbidden(file: File) -> GuardFinding:
    return GuardFinding(RULE, file.path, "decides what CI checks; a fix may not touch it")


def _mixed(file: File, keys: re.Pattern[str], named: bool) -> Iterator[GuardFinding]:
    """Findings for the keys of checkers; other keys are free. New commands are allowed, existing ones must stay."""
    if named:
        yield from _weakened(file, keys)
        return
    try:
        changed = [key for key, old, new in _changes(file, keys) if not _is_new_command(key, old)]
    except UnreadableTable:
        changed = ["can't be read"]
    if changed:
        shown = ", ".join(changed)[:120]
        yield GuardFinding(RULE, file.path, f"decides what CI checks ({shown}); a fix may not touch it")


def _is_new_command(key: str, old: object) -> bool:
    return old is None and re.fullmatch(r"scripts\.(?!pre|post)[\w:.-]{1,80}", key) is not None


def _weakened(file: File, keys: re.Pattern[str] | None) -> Iterator[GuardFinding]:
    flag = partial(GuardFinding, RULE, file.path, f"what CI checks changes, {AT_FAULT}", True)
    if file.new is None:
        yield GuardFinding(RULE, file.path, "demands less of the code than before: it is deleted")
        return
    try:
        less = [key for key, old, new in _changes(file, keys) if is_weaker(key, old, new)]
    except UnreadableTable:
        less = ["in words"] if _allowing(file.new) > _allowing(file.old) else []
    yield (
        GuardFinding(RULE, file.path, f"demands less of the code than before ({', '.join(less)[:120]})")
        if less
        else flag()
    )


def _changes(file: File, keys: re.Pattern[str] | None) -> list[tuple[str, object, object]]:
    """(key, old, new) of each change; a value that moved to another table under its own name doesn't count."""
    old, new = table(file.path, file.old), table(file.path, file.new)
    changed = [key for key in (*old, *(k for k in new if k not in old)) if old.get(key) != new.get(key)]
    dropped, added = _named(old, changed), _named(new, changed)
    moved = {key for key in changed if (_last(key), old.get(key, new.get(key))) in dropped & added}
    matching = (key for key in changed if key not in moved and (keys is None or keys.match(key)))
    return [(key, old.get(key), new.get(key)) for key in matching]


def _named(settings: Table, keys: list[str]) -> set[tuple[str, object]]:
    return {(_last(key), settings[key]) for key in keys if key in settings}


def _last(key: str) -> str:
    return key.rpartition(".")[2]


ALLOWING = re.compile(
    r"['\"]off['\"]|\b(?:ignore|exclude|disable|skip|omit|allow|collect_ignore|xfail|deselect)\w*|:\s*0\b|--exit-zero"
    r"|--no-\w+|passWithNoTests|\bpytest_\w+|autouse"
)


def _allowing(data: bytes | None) -> int:
    return len(ALLOWING.findall(plain(data or b"")))
