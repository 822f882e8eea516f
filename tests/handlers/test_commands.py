"""Comment text → commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.slash import BY_WORD, HELP, WORDS
from handlers.slash.reading.commands import Command, parse_command
from handlers.slash.reading.guessing import SYNONYMS, nearest


# SC-1
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("/heal", Command(word="")),
        ("  /heal help  ", Command(word="help")),
        ("/HEAL Apply abc123", Command(word="apply", args=("abc123",), rest="abc123")),
        ("Thanks!\n/heal reject ab12 too clever\n/heal help", Command(word="reject", args=("ab12", "too", "clever"))),
        ("/heal retry how: use a set\r\nbye", Command(word="retry", args=("how:", "use", "a", "set"))),
        ("text\n\n```py\nx\n```\n/heal list", Command(word="list")),
        ("> quote\n\n/heal list", Command(word="list")),
        ("<!-- x -->\n/heal list", Command(word="list")),
    ],
)
def test_the_first_plain_line_that_starts_with_heal_is_the_command(body: str, wanted: Command) -> None:
    found = parse_command(body)
    assert found is not None
    assert (found.word, found.args) == (wanted.word, wanted.args)


# SC-2
@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /heal",
        "/healthy",
        "/heal-me",
        "> /heal apply all",
        "> quoted\n/heal apply all",  # a lazy continuation: still the quote
        "```\n/heal apply all\n```",
        "~~~~\n~~~\n/heal apply all\n~~~~",
        "```\n/heal apply all",
        "`\n/heal apply all\n`",
        "    /heal apply all",
        "\t/heal apply all",
        "<!-- \n/heal apply all\n-->",
        "<!--\n```\n-->\n```\n/heal apply all\n```",
        "- /heal apply all",
        "1. item\n/heal apply all",
        "# /heal apply all",
        "| /heal |",
    ],
)
def test_code_quotes_lists_and_hidden_text_hold_no_command(body: str) -> None:
    assert parse_command(body) is None


PIECES = st.lists(
    st.sampled_from(["/heal apply", "`", "```", "~~~", "> ", "- ", "\n", "\n\n", "<!--", "-->", "    ", "x", "\r\n"])
    | st.text(max_size=4),
    max_size=25,
).map("".join)


# SC-2
@given(PIECES)
def test_reading_a_comment_never_raises(body: str) -> None:
    parse_command(body)


LINE = st.text(st.characters(exclude_characters="\r\n`~"), max_size=20)


# SC-2
@given(st.lists(LINE, max_size=5), st.sampled_from(["```", "~~~", "````"]))
def test_a_fenced_command_is_none(lines: list[str], fence: str) -> None:
    inside = "\n".join(line for line in lines if "<!--" not in line)
    assert parse_command(f"{fence}\n{inside}\n/heal apply all\n{fence}") is None


# SC-2
@given(st.lists(LINE, max_size=5))
def test_a_quoted_command_is_none(lines: list[str]) -> None:
    body = "\n".join(f"> {line}" for line in [*lines, "/heal apply all"])
    assert parse_command(body) is None


# SC-2
def test_an_unknown_word_gets_the_nearest_command() -> None:
    assert nearest("rolback", WORDS) == "rollback"
    assert nearest("zzzz", WORDS) is None


# SC-2
@pytest.mark.parametrize(
    ("typed", "meant"),
    [("revert", "rollback"), ("undo", "rollback"), ("accept", "apply"), ("merge", "apply"), ("stop", "cancel"),
     ("start", ""), ("run", ""), ("rerun", "retry"), ("ignore", "reject"), ("why", "explain"), ("settings", "config"),
     ("skip", "pause"), ("revret", "rollback"), ("of", "off"), ("?", "help"), ("fix", ""), ("dismiss", "reject"),
     ("replay", "retry"), ("aply", "apply"), ("apply!", "apply"), ("pausing", "pause"), ("ignored", "reject")],
)  # fmt: skip
def test_a_word_that_other_bots_know_gets_the_command_that_means_it(typed: str, meant: str) -> None:
    assert nearest(typed, WORDS) == meant


# SC-2
@pytest.mark.parametrize(
    ("typed", "meant", "looks_like"),
    [("confirm", "apply", "config"), ("cause", "explain", "pause"), ("unreject", "retry", "reject"),
     ("unfix", "rollback", "unfixable"), ("post", "", "cost"), ("lint", "", "list"), ("all", "apply", "on"),
     ("no", "reject", "on"), ("push", "apply", "pause"), ("how", "retry", "show"), ("heal", "", "help")],
)  # fmt: skip
def test_a_word_that_looks_like_a_command_and_means_another_gets_the_one_that_it_means(
    typed: str, meant: str, looks_like: str
) -> None:
    assert looks_like in WORDS
    assert nearest(typed, WORDS) == meant


# SC-2
@pytest.mark.parametrize("typed", ["thanks", "resolve", "never", "deploy", "switch", "release", "x" * 20_000, "!", ""])
def test_a_word_that_means_no_command_gets_no_guess(typed: str) -> None:
    assert nearest(typed, WORDS) is None


# SC-2
def test_every_word_that_is_guessed_by_meaning_leads_to_a_command_and_is_none_itself() -> None:
    assert set(SYNONYMS.values()) <= set(BY_WORD)
    assert not set(SYNONYMS) & set(BY_WORD)


# SC-1
def test_help_names_every_command_with_its_syntax_and_who_may() -> None:
    rows = [line for line in HELP.text().splitlines() if line.startswith("| `/heal")]
    assert len(rows) == len(BY_WORD)
    for (word, slash), row in zip(BY_WORD.items(), rows, strict=True):
        assert slash.SYNTAX.split()[1:2] == ([word] if word else [])
        assert slash.SYNTAX.replace("|", r"\|") in row
        assert slash.HELP in row
        assert ("write access" in row) == (slash.PERMISSION == "write")


# SC-3
def test_only_reading_commands_are_for_everybody() -> None:
    free = {word for word, slash in BY_WORD.items() if slash.PERMISSION == "anyone"}
    assert free == {"list", "show", "status", "unfixable", "help"}
