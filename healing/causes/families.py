"""Families of messages: how compilers, linters and interpreters of all languages report a missing name, member, module
or keyword. Errors that one edit fixes get the same family and names, whichever tool printed them."""

from typing import NamedTuple

from healing.model import CIError
from healing.patterns import LazyPattern

MESSAGE_LIMIT = 4000  # of a message; untrusted text is cut to this before any pattern is applied
QUOTE = "[\"'`‘’]"
NAME = rf"{QUOTE}?(?P<name>[A-Za-z_$][\w.$]{{0,200}}){QUOTE}?"
PATH = rf"{QUOTE}?(?P<name>[^\s\"'`‘’,;]{{1,300}}){QUOTE}?"
OWNER = rf"{QUOTE}(?P<owner>[^\"'`‘’\n]{{1,200}}){QUOTE}"


class Family(NamedTuple):
    """`hint` occurs in every message that `pattern` matches; it is searched for first, because that is cheap."""

    name: str
    hint: str
    pattern: LazyPattern


def _families(*rows: tuple[str, str, str]) -> tuple[Family, ...]:
    return tuple(Family(name, hint, LazyPattern(pattern)) for name, hint, pattern in rows)


FAMILIES = _families(
    # Python
    ("no-module", "No module named", rf"No module named {NAME}"),
    ("no-module", "stub", rf"(?:library stub|stubs) (?:not installed )?for (?:module named )?{NAME}"),
    ("missing-member", "cannot import name", rf"cannot import name {NAME} from [\"'](?P<owner>[\w.]+)"),
    ("missing-member", "cannot import name", rf"cannot import name {NAME}"),
    (
        "missing-member",
        "odule ",
        rf"[Mm]odule [\"'](?P<owner>[\w.]+)[\"'] (?:has no|does not explicitly export) attribute {NAME}",
    ),
    ("undefined-name", "is not defined", rf"[Nn]ame {NAME} is not defined"),
    ("undefined-name", "is used before", rf"[Nn]ame {NAME} is used before"),
    ("undefined-name", "ndefined ", rf"[Uu]ndefined (?:name|variable):? {NAME}"),
    ("unbound-local", "cannot access local variable", rf"cannot access local variable {NAME} where"),
    ("unbound-local", "referenced before assignment", rf"local variable {NAME} referenced before assignment"),
    ("keyword", "unexpected keyword", rf"(?P<owner>[\w.]{{1,200}})\(\) got an unexpected keyword argument {NAME}"),
    ("keyword", "Unexpected keyword", rf"Unexpected keyword argument {NAME} for \"(?P<owner>[\w.]+)\""),
    ("missing-attribute", "has no attribute", rf"{OWNER} (?:object )?has no attribute {NAME}"),
    ("missing-attribute", "AttributeError: ", rf"\AAttributeError: {NAME}\Z"),  # of a class's own `__getattr__`
    ("missing-fixture", "fixture ", rf"\bfixture {NAME} not found"),
    # TypeScript, JavaScript, their bundlers
    ("undefined-name", "Cannot find name", rf"Cannot find name {NAME}"),
    ("undefined-name", "is not defined", rf"(?:^|: ){NAME} is not defined"),
    ("no-module", "Cannot find", rf"Cannot find (?:module|package) {PATH}"),
    (
        "no-module",
        "resolve",
        rf"(?:[Uu]nable to|Could not|[Cc]an't|Failed to) resolve (?:path to module|import )?{PATH}",
    ),
    ("missing-attribute", "does not exist on type", rf"Property {NAME} does not exist on type {OWNER}"),
    (
        "missing-member",
        "has no exported member",
        rf"{QUOTE}{{0,2}}(?P<owner>[^\s\"'`]{{1,300}}){QUOTE}{{1,2}} has no exported member (?:named )?{NAME}",
    ),
    ("missing-member", "is not exported", rf"{NAME} is not exported (?:by|from) {OWNER}"),
    # Go
    (
        "missing-attribute",
        " undefined (type ",
        r"[\w.()]{1,200}\.(?P<name>\w{1,200}) undefined \(type (?P<owner>[^\s()]{1,200}) has no field or method",
    ),
    ("undefined-name", "undefined: ", rf"undefined: {NAME}"),
    ("undefined-name", "undeclared name: ", rf"undeclared name: {NAME}"),
    ("no-module", "could not import ", rf"could not import {PATH}"),
    ("no-module", "no required module", rf"no required module provides package {PATH}"),
    ("no-module", "cannot find package", rf"cannot find package {PATH}"),
    ("no-module", "is not in ", rf"package {PATH} is not in (?:GOROOT|std)"),
    # Rust
    ("undefined-name", "cannot find ", r"cannot find [\w ]{1,40} `(?P<name>\w{1,200})[!`]* in [\w ]{1,40}"),
    (
        "undefined-name",
        "undeclared",
        r"use of (?:undeclared|unresolved) [\w ]{1,40}`(?P<name>\w{1,200})`",
    ),
    ("no-module", "unlinked crate", r"unlinked crate `(?P<name>\w{1,200})`"),
    ("no-module", "can't find crate", r"can't find crate for `(?P<name>\w{1,200})`"),
    ("missing-member", "unresolved import", r"unresolved import `(?:(?P<owner>[\w:]{1,200})::)?(?P<name>\w{1,200})`"),
    (
        "missing-attribute",
        " named `",
        r"no (?:method|function|variant|associated)[\w ,]{0,60} named `(?P<name>\w{1,200})` found for"
        r"[\w &]{1,40}`&?(?:mut )?(?P<owner>[\w:]{1,200})",
    ),
    ("missing-attribute", "no field `", r"no field `(?P<name>\w{1,200})` on type `&?(?:mut )?(?P<owner>[\w:]{1,200})"),
    (
        "missing-attribute",
        "has no field named",
        r"`(?P<owner>[\w:]{1,200})` has no field named `(?P<name>\w{1,200})`",
    ),
    # Java, Kotlin
    (
        "missing-attribute",
        "cannot find symbol",
        r"symbol: *(?:method|variable) (?P<name>\w{1,200})[\s\S]{0,400}"
        r"location: *(?:variable \w+ of type|class|interface) (?P<owner>[\w.]{1,200})",
    ),
    ("undefined-name", "cannot find symbol", r"symbol: *\w+ (?P<name>\w{1,200})"),
    ("no-module", "does not exist", r"^package (?P<name>[\w.]{1,300}) does not exist"),
    ("undefined-name", "nresolved reference", rf"[Uu]nresolved reference:? {NAME}"),
    # C, C++
    (
        "undefined-name",
        "undeclared",
        rf"(?:use of undeclared identifier {NAME}|{QUOTE}(?P<other>\w+){QUOTE} undeclared)",
    ),
    ("undefined-name", "was not declared", rf"{NAME} was not declared in this scope"),
    ("undefined-name", "undefined reference", rf"undefined reference to {NAME}"),
    ("missing-attribute", "no member named", rf"{OWNER} has no member named {NAME}"),
    ("missing-attribute", "no member named", rf"no member named {NAME} in {OWNER}"),
    ("no-module", "file not found", rf"{PATH} file not found"),
    ("no-module", "No such file", r"fatal error: (?P<name>[\w./+-]{1,300}): No such file"),
)
TELLING = ("cannot find symbol",)  # messages whose names are in their notes


def reported_message(error: CIError) -> str:
    """The message, with its notes where these contain the names; cut to a bounded length."""
    message = error.message[:MESSAGE_LIMIT]
    if message.startswith(TELLING):
        message = "\n".join([message, *(note.message[:200] for note in error.related[:4])])
    return message


def match(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The family of a message and the names in it, the one at fault first."""
    for family, hint, pattern in FAMILIES:
        pattern_match = pattern.search(text) if hint in text else None
        if pattern_match:
            groups = pattern_match.groupdict()
            names = (groups.get("name"), groups.get("owner"))
            return family, tuple(clean for name in names if name and (clean := _clean(name)))
    return None


def _clean(name: str) -> str:
    stripped = name.strip("\"'`")
    return stripped.rstrip(".:") if stripped.startswith(".") else stripped.strip(".:")
