"""Whether a setting of a checker demands less than before, derived from its name and its values."""

import re

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


def weaker(key: str, old: object, new: object) -> bool:
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
    """Whether the second demands less than the first where more means stricter."""
    if isinstance(much, tuple):
        return bool(set(much) - set(little if isinstance(little, tuple) else ()))
    if isinstance(much, bool | int | float):
        return not isinstance(little, bool | int | float) or little < much
    return much is not None and bool(much) and (little is None or (isinstance(little, str) and str(much) not in little))


def _level(value: object) -> int | None:
    return LEVELS.get(value.lower()) if isinstance(value, str) else None
