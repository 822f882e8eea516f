"""Documents and data: what Sphinx, MkDocs and yamllint mind and a rule can repair."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.model import Category, CIError
from tests.repair.fixers.repos import Broken


def yamllint(text: str, *problems: tuple[str, int, int, str]) -> list[str]:
    """What is made of a file for problems (rule, line, column, message)."""
    broken = Broken({"conf.yml": text})
    broken.errors = [
        CIError(id=f"E{n}", tool="yamllint", code=rule, category=Category.LINT, file="conf.yml", line=line, column=column, message=message)
        for n, (rule, line, column, message) in enumerate(problems)
    ]  # fmt: skip
    return [broken.after(one)["conf.yml"] for one in broken.candidates() if one.source == "fixer:yaml_layout"]


# AF-3
@pytest.mark.parametrize(
    ("text", "problem", "new"),
    [
        ("a: 1  \n", ("trailing-spaces", 1, 5, "trailing spaces"), "a: 1\n"),
        ("a: 1", ("new-line-at-end-of-file", 1, 5, "no new line character at the end of file"), "a: 1\n"),
        ("a: 1\n\n\n\nb: 2\n", ("empty-lines", 4, 1, "too many blank lines (3 > 2)"), "a: 1\n\n\nb: 2\n"),
        ("a: 1\n\n\n", ("empty-lines", 3, 1, "too many blank lines (2 > 0)"), "a: 1\n"),
        ("a:   1\n", ("colons", 1, 5, "too many spaces after colon"), "a: 1\n"),
        ("a : 1\n", ("colons", 1, 2, "too many spaces before colon"), "a: 1\n"),
        ("a: 1 # x\n", ("comments", 1, 6, "too few spaces before comment: expected 2"), "a: 1  # x\n"),
        ("a: 1  #x\n", ("comments", 1, 8, "missing starting space in comment"), "a: 1  # x\n"),
        ("a: 1\n", ("document-start", 1, 1, 'missing document start "---"'), "---\na: 1\n"),
        ("a: [ 1, 2]\n", ("brackets", 1, 5, "too many spaces inside brackets"), "a: [1, 2]\n"),
        ("a: {b: 1 }\n", ("braces", 1, 9, "too many spaces inside braces"), "a: {b: 1}\n"),
        ("a: [1,2]\n", ("commas", 1, 7, "too few spaces after comma"), "a: [1, 2]\n"),
        ("a: [1 , 2]\n", ("commas", 1, 6, "too many spaces before comma"), "a: [1, 2]\n"),
        ("-   a\n", ("hyphens", 1, 4, "too many spaces after hyphen"), "- a\n"),
        ("a: yes\n", ("truthy", 1, 4, "truthy value should be one of [false, true]"), "a: true\n"),
        ("a: Off  # x\n", ("truthy", 1, 4, "truthy value should be one of [false, true]"), "a: false  # x\n"),
        ("a: 1\r\nb: 2\r\n", ("new-lines", 1, 5, 'wrong new line character: expected "\\n"'), "a: 1\nb: 2\n"),
    ],
)  # fmt: skip
def test_layout_that_yamllint_minds_is_repaired(text: str, problem: tuple[str, int, int, str], new: str) -> None:
    assert yamllint(text, problem) == [new]


# AF-3
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("on: 1\n", ("truthy", 1, 1, "truthy value should be one of [false, true]")),  # others may read the key
        ("a: 'x: 1 '\n", ("trailing-spaces", 9, 1, "trailing spaces")),
        ("a: |\n  text  \n", ("trailing-spaces", 2, 7, "trailing spaces")),  # it is part of what the file says
        ("a: 1\na: 2\n", ("key-duplicates", 2, 1, 'duplication of key "a" in mapping')),
        ("a: 'b'\n", ("colons", 7, 1, "too many spaces after colon")),
    ],
)
def test_what_the_file_says_stays(text: str, problem: tuple[str, int, int, str]) -> None:
    assert yamllint(text, problem) == []


# AF-3
def test_aliases_that_would_fill_the_memory_are_not_followed() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    assert yamllint(f"{bomb}b: 1  \n", ("trailing-spaces", 41, 5, "trailing spaces")) == [f"{bomb}b: 1\n"]


# AF-3
@pytest.mark.parametrize("line", [1, 2, 3])  # tools name the title, its marks or the line above
@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("\nA long title\n====\n\nText\n", "\nA long title\n============\n\nText\n"),
        ("====\nA long title\n====\n", "============\nA long title\n============\n"),
        ("\n長い題\n===\n", "\n長い題\n======\n"),
    ],
)
def test_the_marks_of_a_title_become_as_long_as_it(text: str, new: str, line: int) -> None:
    broken = Broken({"docs/a.rst": text}).said("WARNING: Title underline too short.", ("docs/a.rst", line))
    found = [broken.after(one) for one in broken.candidates() if one.source == "fixer:title_marks"]
    assert found in ([{"docs/a.rst": new}], [])
    assert found or line != 2


# AF-3
@pytest.mark.parametrize(
    ("file", "text", "message", "new"),
    [
        ("docs/index.rst", ".. toctree::\n\n   usage\n   guides/usage\n", "toctree contains reference to nonexisting document 'guides/usage'", ".. toctree::\n\n   usage\n   guides/using\n"),
        ("docs/index.rst", ":doc:`guides/usage`\n", "unknown document: 'guides/usage'", ":doc:`guides/using`\n"),
        ("docs/guides/a.rst", ":doc:`usage`\n", "unknown document: 'guides/usage'", None),
        ("docs/a.md", "[x](guides/usage.md#top)\n", "Doc file 'a.md' contains a link 'guides/usage.md#top', but the target is not found", None),
        ("docs/a.md", "[x](guides/usage.md)\n", "Doc file 'a.md' contains a link 'guides/usage.md', but the target is not found", "[x](guides/page.md)\n"),
    ],
)  # fmt: skip
def test_a_moved_document_is_named_where_it_is_now(file: str, text: str, message: str, new: str | None) -> None:
    old, now = (
        ("docs/guides/usage.rst", "docs/guides/using.rst")
        if file.endswith(".rst")
        else ("docs/guides/usage.md", "docs/guides/page.md")
    )
    before = {file: text, old: "Usage\n=====\n"}
    broken = Broken({file: text, now: "Usage\n=====\n"}, before).said(message, (file, 1))
    found = [broken.after(one) for one in broken.candidates() if one.source == "fixer:moved_document"]
    assert found == ([{file: new}] if new else []) or (new is None and len(found) == 1)


# AF-3
def test_a_document_that_is_gone_or_was_rewritten_is_named_nowhere_else() -> None:
    before = {"docs/index.rst": "   usage\n", "docs/usage.rst": "Usage\n"}
    for now in ({}, {"docs/other.rst": "Other\n"}, {"docs/a.rst": "Usage\n", "docs/b.rst": "Usage\n"}):
        broken = Broken({"docs/index.rst": "   usage\n", **now}, before)
        broken.said("toctree contains reference to nonexisting document 'usage'", ("docs/index.rst", 1))
        assert [one for one in broken.candidates() if one.source == "fixer:moved_document"] == []


LABELLED = ".. _old-part:\n\nPart\n----\n"
REFERS = "See :ref:`old-part`, :ref:`that <Old-Part>`, :numref:`old-part` and old-part.\n"


def referred(now: str, text: str = REFERS) -> list[dict[str, str]]:
    broken = Broken({"docs/a.rst": now, "docs/b.rst": text}, {"docs/a.rst": LABELLED, "docs/b.rst": text})
    broken.said("undefined label: 'old-part'", ("docs/b.rst", 1), category=Category.LINT)
    return [broken.after(one) for one in broken.candidates() if one.source == "fixer:renamed_label"]


# AF-3
def test_references_follow_a_label_that_was_renamed() -> None:
    new = "See :ref:`new`, :ref:`that <new>`, :numref:`new` and old-part.\n"
    assert referred(LABELLED.replace("old-part", "new")) == [{"docs/b.rst": new}]
    myst = "See {ref}`old-part`.\n"
    assert referred(LABELLED.replace("old-part", "new"), myst) == [{"docs/b.rst": "See {ref}`new`.\n"}]


def test_a_label_that_is_gone_without_another_in_its_place_is_followed_nowhere() -> None:
    assert referred("Part\n----\n") == []
    assert referred(LABELLED) == []
