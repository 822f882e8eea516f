"""black --check: files that it would reformat, and files that it can't parse."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category


def _unformatted(groups: Mapping[str, Any], line: Line) -> Finding:
    return Finding(
        tool="black",
        category=Category.FORMAT,
        message="would reformat",
        file=groups["file"],
        log_line=line.number,
        excerpt=line.text,
        suggestion="Run black on this file.",
    )


def _unparsable(groups: Mapping[str, Any], line: Line) -> Finding:
    return Finding(
        tool="black",
        category=Category.SYNTAX,
        message=f"cannot format: {groups.get('what') or ''}{groups['message']}",
        file=groups["file"],
        line=number(groups["line"]),
        column=number(groups["column"]),
        log_line=line.number,
        excerpt=line.text,
    )


def _crash(groups: Mapping[str, Any], line: Line) -> Finding:
    """The finding for Black 26's `cannot parse: file:line:column`, whose column is 0-based. If the settings have a
    target version, `for target version Python 3.11` precedes the place."""
    return Finding(
        tool="black",
        category=Category.SYNTAX,
        message="cannot parse",
        file=groups["file"],
        line=number(groups["line"]),
        column=int(groups["column"]) + 1,
        log_line=line.number,
        excerpt=line.text,
    )


def _other_version(groups: Mapping[str, Any], line: Line) -> Finding:
    """The finding for Black's refusal to start: pyproject.toml asks for another version of it."""
    return Finding(
        tool="black",
        code="required-version",
        category=Category.CONFIG,
        message=groups["message"],
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = line_format(
    "black",
    ("would reformat ", "cannot format", "cannot parse", "The required version `"),
    (
        re.compile(
            r"Oh no! \W{0,12}(?P<message>The required version `[^`]{1,60}` does not match the running version"
            r" `[^`]{1,60}`)!$"
        ),
        _other_version,
    ),
    (re.compile(r"would reformat (?P<file>\S.{0,400}\.(?:pyi?|ipynb))$"), _unformatted),
    (
        re.compile(
            r"error: cannot format (?P<file>[^:]{0,400}(?::[\\/][^:]{0,400})?): "
            r"(?P<what>(?:Cannot parse[^:]{0,80}: )?)(?:(?P<line>\d{1,9}):(?P<column>\d{1,9}): )?(?P<message>.*)$"
        ),
        _unparsable,
    ),
    (
        re.compile(
            r"error:(?P<file>[^:]{1,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}):\s?cannot format: (?P<message>.*)$"
        ),
        _unparsable,
    ),
    (
        re.compile(
            r"error: cannot parse(?: for target versions? [^:]{1,400})?: "
            r"(?P<file>\S.{0,400}?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
        ),
        _crash,
    ),
)
