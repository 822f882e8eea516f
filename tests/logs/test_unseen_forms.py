"""What tools of many languages print, written before the formats had seen it: the share of errors that is read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from healing.logs.reading import read_log
from healing.model import CIError

FORMS = Path(__file__).parent / "unseen_forms.txt"
LANGUAGES = ("c/c++", "java", "yaml", "shell", "checkers")
BEFORE = ("+ set -euo pipefail", "##[group]Run make check", "##[endgroup]")
AFTER = ("##[error]Process completed with exit code 1.",)


class Form(NamedTuple):
    """What a tool prints of one error."""

    name: str
    file: str
    line: int | None
    words: str
    log: str


def forms(language: str) -> Iterator[Form]:
    """The blocks of a language: `%%% language: tool`, `@ file|line|words`, and the lines."""
    for block in FORMS.read_text().split("%%% ")[1:]:
        name, reported, *lines = block.rstrip("\n").split("\n")
        if name.startswith(f"{language}: "):
            file, line, words = reported.removeprefix("@ ").split("|", 2)
            yield Form(name, file, int(line) if line else None, words, "\n".join((*BEFORE, *lines, *AFTER)))


def tells(error: CIError, form: Form) -> bool:
    """Whether the error has the form's line, the last part of its path, and its first words."""
    if form.line and error.line != form.line:
        return False
    if form.file and re.split(r"[\\/]", error.file or "")[-1].lower() != re.split(r"[\\/]", form.file)[-1].lower():
        return False
    wanted, output = (re.sub(r"\W+", "", text).lower() for text in (form.words, f"{error.test or ''}{error.message}"))
    return wanted[:25] in output or bool(output and output[:25] in wanted)


# EX-3 EX-10
@pytest.mark.parametrize("language", LANGUAGES)
def test_of_the_listed_forms_of_a_language_at_least_nine_of_ten_are_read(language: str) -> None:
    listed = list(forms(language))
    missed = [form.name for form in listed if not any(tells(e, form) for e in read_log(form.log.encode()).errors)]
    assert len(listed) >= 15
    assert len(missed) <= 0.1 * len(listed), missed
