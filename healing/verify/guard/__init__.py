"""The guard against cheating fixes: computed from the diff, without a model. One rule per file."""

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
from healing.verify.guard.patch import NOWHERE, AtFault, Change, GuardFinding, WholeChange
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
    at_fault: AtFault = NOWHERE,
    most: Caps = caps.DEFAULT,
) -> tuple[GuardFinding, ...]:
    """Every rule's objections to a change as a fix of `errors`, and what a reviewer should look at. `read` returns the
    files before the change, to see what the failing tests expect; `modes` are the git modes of created files;
    `by_tool`: a program that rewrites files made the change, so its reformatting may be of any size; `at_fault` are
    files in which an error lies though CI names none of them; `most` limits the size of a fix."""
    patch = WholeChange.of(changes, errors, read, modes, by_tool, at_fault)
    if any(map(caps.is_too_long, patch.files)):
        return tuple(caps.findings(patch, most))
    every = (*caps.findings(patch, most), *(finding for rule in RULES for finding in rule(patch)))
    return tuple(dict.fromkeys(every))


def refusals(
    changes: Mapping[str, Change],
    errors: tuple[CIError, ...],
    read: Callable[[str], bytes | None] = lambda _: None,
    modes: Mapping[str, str] = {},
    strict: bool = False,
    by_tool: bool = False,
    at_fault: AtFault = NOWHERE,
    most: Caps = caps.DEFAULT,
) -> tuple[str, ...]:
    """Why a change may not be offered as a fix of `errors`, each with its rule's name; empty if nothing is against it.
    `strict`: findings that would only be flagged are refused too, and so is any change to tests or to what they compare
    with."""
    judged = findings(changes, errors, read, modes, by_tool, at_fault, most)
    refused = tuple(f"{finding.rule}: {finding}" for finding in judged if strict or not finding.flag)
    return (*refused, *_tests_in(changes)) if strict else refused


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
    at_fault: AtFault = NOWHERE,
) -> tuple[str, ...]:
    """What a reviewer should look at in a change that may be offered."""
    return tuple(str(finding) for finding in findings(changes, errors, read, modes, by_tool, at_fault) if finding.flag)
