"""Which commands an agent may run, and what it is told of those that it may not."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.repair.agents.rules import AgentRules
from healing.repair.agents.tools.commands import DEFAULTS, listed, refusal


# AG-2
@pytest.mark.parametrize(
    "line",
    [
        "python -m pytest -q tests/test_a.py::test_b",
        "pytest 'tests/test_a.py::test_x[/etc/../a]'",
        "ruff check src --select F",
        "mypy --strict src",
        "go vet ./...",
        "go test ./pkg/...",
        "tsc --noEmit -p .",
        "npx vitest run src/a.test.ts",
        "cargo test --offline",
        "rustc --explain E0308",
    ],
)
def test_what_looks_and_tests_may_be_run(line: str) -> None:
    assert refusal(tuple(shlex.split(line)), DEFAULTS) == ""


# AG-2
@pytest.mark.parametrize(
    "line",
    ["rm -rf .", "bash -c id", "sh", "python -c 'print(1)'", "python script.py", "env", "cat /etc/passwd", "git push",
     "pip install x", "curl http://example.org", "ruff", "go run ./x", "npm run lint", "PYTEST -q", "./pytest", ""],
)  # fmt: skip
def test_a_command_that_is_not_on_the_list_is_refused_and_the_list_is_named(line: str) -> None:
    why = refusal(tuple(shlex.split(line)), DEFAULTS)
    assert why
    assert "python -m pytest" in why or "1 to 60 words" in why


# AG-2
@pytest.mark.parametrize(
    "word",
    ["/etc/passwd", "../other", "a/../../b", "--rootdir=/", "--rootdir=../x", "-c/../x", "~/.ssh/id", ".git/config",
     "sub/.GIT/HEAD", "--config=.git/config", "--x=/proc/self/environ", "a,/b", "@/etc/passwd", "file:///etc/passwd",
     "a\n/b"],
)  # fmt: skip
def test_words_that_name_places_outside_the_repository_are_refused(word: str) -> None:
    assert "outside the repository" in refusal(("pytest", word), DEFAULTS)


@pytest.mark.parametrize("argv", [("pytest", "\0"), ("pytest",) * 99, ("pytest", "x" * 5000)])
def test_a_command_has_bounds(argv: tuple[str, ...]) -> None:
    assert "1 to 60 words" in refusal(argv, DEFAULTS)


# AG-2
@given(st.lists(st.text(max_size=20), max_size=8), st.sampled_from(sorted(DEFAULTS)))
def test_no_words_make_another_program_of_an_allowed_one(words: list[str], entry: tuple[str, ...]) -> None:
    if refusal((*entry, *words), DEFAULTS) == "":
        assert shlex.split(shlex.join((*entry, *words))) == [*entry, *words], "the shell text is the words, no more"
    if words and not any(tuple(words[: len(e)]) == e for e in DEFAULTS):
        assert refusal(tuple(words), DEFAULTS)


# AG-2, OP-7
def test_a_repository_extends_the_list_with_first_words() -> None:
    rules = AgentRules(commands=("npm run lint", "make test"))
    assert refusal(("npm", "run", "lint", "--", "src"), rules.allowed()) == ""
    assert refusal(("make", "test"), rules.allowed()) == ""
    assert "npm run lint" in refusal(("npm", "run", "deploy"), rules.allowed())
    assert refusal(("ruff", "check"), rules.allowed()) == ""


# OP-7
@pytest.mark.parametrize(
    "text", ["a; b", "a | b", "a && b", "$(a)", "`a`", "a > b", "A=b c", "", "a\nb", "'open", "~/x"]
)
def test_an_entry_that_is_meant_for_a_shell_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"shell|program|quotation"):
        listed(text)
    with pytest.raises(ValueError, match="commands"):
        AgentRules(commands=(text,))
