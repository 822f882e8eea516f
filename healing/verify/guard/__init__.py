"""The guard against cheating: computed from the diff, never asked of a model. One rule a file."""

from collections.abc import Callable, Iterator, Mapping

from healing.model import CIError
from healing.policy.fixes import Caps
from healing.verify.guard import (
    assertions,
    canned,
    caps,
    detection,
    doctests,
    duties,
    equality,
    excepts,
    exits,
    fixtures,
    forbidden,
    foreign,
    handlers,
    hidden,
    kinds,
    literals,
    patching,
    pieces,
    reach,
    settings,
    silencing,
    skips,
    sleeping,
    tests,
    unread,
    unusual,
)
from healing.verify.guard.patch import Change, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file

Rule = Callable[[WholeChange], Iterator[GuardFinding]]
__all__ = ["RULES", "GuardFinding", "findings", "flags", "refusals"]
RULES: tuple[Rule, ...] = tuple(
    module.findings
    for module in (
        kinds,
        hidden,
        forbidden,
        settings,
        fixtures,
        tests,
        assertions,
        skips,
        silencing,
        excepts,
        exits,
        equality,
        canned,
        detection,
        patching,
        sleeping,
        doctests,
        reach,
        unread,
        unusual,
        duties,
        foreign,
        handlers,
        literals,
        pieces,
    )
)


def findings(
    changes: Mapping[str, Change],
    errors: tuple[CIError, ...],
    read: Callable[[str], bytes | None] = lambda _: None,
    modes: Mapping[str, str] = {},
    by_tool: bool = False,
    at_fault: frozenset[str] = frozenset(),
    most: Caps = caps.DEFAULT,
) -> tuple[GuardFinding, ...]:
    """What speaks against a change as a fix of `errors`, by every rule, and what a person should look at. `read` gives
    the files before the change, to see what the failing tests expect; `modes` are git's, of files that are created;
    `by_tool`: a program that rewrites files made it, which may lay out as much again as it likes; `at_fault` are
    files in which an error lies though CI names them in none; `most` is how large a fix may be."""
    patch = WholeChange.of(changes, errors, read, modes, by_tool, at_fault)
    if any(map(caps.is_too_long, patch.files)):
        return tuple(caps.findings(patch, most))
    found = (*caps.findings(patch, most), *(one for rule in RULES for one in rule(patch)))
    return tuple(dict.fromkeys(found))


def refusals(
    changes: Mapping[str, Change],
    errors: tuple[CIError, ...],
    read: Callable[[str], bytes | None] = lambda _: None,
    modes: Mapping[str, str] = {},
    strict: bool = False,
    by_tool: bool = False,
    at_fault: frozenset[str] = frozenset(),
    most: Caps = caps.DEFAULT,
) -> tuple[str, ...]:
    """Why a change may not be offered as a fix of `errors`, each with its rule's name; empty where nothing speaks
    against it. `strict`: what would only be flagged speaks against it too, and so does every test, old or new, and all
    that tests compare with."""
    judged = findings(changes, errors, read, modes, by_tool, at_fault, most)
    found = tuple(f"{one.rule}: {one}" for one in judged if strict or not one.flag)
    return (*found, *_tests_in(changes)) if strict else found


def _tests_in(changes: Mapping[str, Change]) -> Iterator[str]:
    return (
        f"tests: {path}: is a test or belongs to tests, and no fix of a model that may cheat touches any"
        for path in sorted(changes)
        if is_test_file(path) or is_test_data(path)
    )


def flags(
    changes: Mapping[str, Change],
    errors: tuple[CIError, ...],
    read: Callable[[str], bytes | None] = lambda _: None,
    modes: Mapping[str, str] = {},
    by_tool: bool = False,
    at_fault: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """What a person should look at in a change that may be offered."""
    return tuple(str(found) for found in findings(changes, errors, read, modes, by_tool, at_fault) if found.flag)
