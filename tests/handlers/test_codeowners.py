"""Who owns which files, by GitHub's rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.delivery.fixups.codeowners import MAX_SIZE, Owners, matches, owners_of, rules_of


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("*", "a/b/c.py", True),
        ("*.js", "web/a.js", True),
        ("*.js", "web/a.jsx", False),
        ("/build/logs/", "build/logs/x/y.log", True),
        ("/build/logs/", "deep/build/logs/y.log", False),
        ("docs/*", "docs/getting-started.md", True),
        ("docs/*", "docs/build-app/troubleshooting.md", False),
        ("apps/", "apps/a.py", True),
        ("apps/", "deep/apps/x/a.py", True),
        ("apps/", "apps", False),
        ("/docs/", "docs/a.md", True),
        ("/docs/", "x/docs/a.md", False),
        ("**/logs", "build/logs/x.log", True),
        ("**/logs", "logs", True),
        ("/apps/github", "apps/github", True),
        ("/apps/github", "apps/github/x.py", True),
        ("/scripts/**/test.py", "scripts/a/b/test.py", True),
        ("/scripts/**/test.py", "scripts/test.py", True),
        ("/scripts/**", "scripts/a", True),
        ("/scripts/**", "scripts", False),
        ("a?c.py", "abc.py", True),
        ("a?c.py", "a/c.py", False),
        ("A.py", "a.py", False),
        ("a*b*c", "aXbXXc", True),
        ("a*b*c", "aXbXXd", False),
        ("/", "a.py", False),
    ],
)
def test_a_pattern_means_the_files_that_github_says(pattern: str, path: str, wanted: bool) -> None:
    assert matches(pattern, path) is wanted


# GH-5
def test_the_last_line_that_matches_decides_even_if_it_names_nobody() -> None:
    text = b"* @ada\n*.md @docs-lady me@example.com\nsecret.md\n/api/ @org/backend @bob # not @eve\n# @nobody\n"
    assert owners_of(text, ["a.py"]) == Owners(("ada",))
    assert owners_of(text, ["README.md"]) == Owners(("docs-lady",))
    assert owners_of(text, ["secret.md"]) == Owners()
    assert owners_of(text, ["api/x.py", "a.py"]) == Owners(("bob", "ada"), ("backend",))


def test_lines_that_github_does_not_understand_are_as_if_not_there() -> None:
    text = b"!a.py @ada\n[ab].py @ada\nb.py nobody\n\\#c.py @eve\nwith\\ blank.py @ada\n\xff\xfe @ada\n"
    assert [rule.pattern for rule in rules_of(text)] == ["#c.py", "with blank.py", "\ufffd\ufffd"]
    assert owners_of(text, ["with blank.py"]) == Owners(("ada",))
    assert owners_of(b"* @ada\n" + b"#" * MAX_SIZE, ["a.py"]) == Owners()


def test_no_more_are_asked_than_github_takes() -> None:
    everybody = " ".join(f"@p{number}" for number in range(40))
    assert len(owners_of(f"* {everybody}".encode(), ["a"]).people) == 15


@given(data=st.binary(max_size=300), path=st.text(min_size=1, max_size=40))
def test_reading_any_bytes_never_raises(data: bytes, path: str) -> None:
    owners_of(data, [path])


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not matches("a*" * 400 + "b", "a" * 900)
    assert not matches("**/" * 300 + "b", "a/" * 300 + "c")
