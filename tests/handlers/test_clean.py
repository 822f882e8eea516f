"""Foreign text is harmless once it is on the page: judged by a real Markdown reader."""

import json
import re
from base64 import b64decode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from handlers.comments import clean, marks
from tests.handlers.corpus import corpus

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
BAD = {"html_inline", "html_block", "image", "link_open", "heading_open", "hr", "bullet_list_open", "blockquote_open"}

SIGNS = [
    *("@ada", "#12", "GH-7", "![x](y)", "[a](b)", "<b>", "<!--", "-->", "heal:v1", "`", "``", "```", "~~~", "\\", "*"),
    *("_", "|", "http://x.y", "www.x.y", "mailto:a@b.c", "\n", "</details>", "&", "&#64;", "&lt;", "\u202e", "-"),
    *("\u200b", "\x1b[31m", "+", "1.", "=", "$x$", "ada/x#1", "<http://x.y>", "a@b.c"),
]
NASTY = st.lists(
    st.sampled_from(SIGNS) | st.text(max_size=6),
    max_size=20,
).map(" ".join)
TIGHT = NASTY.map(lambda text: text.replace(" ", ""))


def tokens(markdown: str) -> list[Token]:
    flat: list[Token] = []
    for token in READER.parse(markdown):
        flat += [token, *(token.children or [])]
    return flat


def check_harmless(markdown: str) -> None:
    found = tokens(markdown)
    assert not BAD & {token.type for token in found}
    read = "".join(token.content for token in found if token.type == "text")
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.\w", read), read
    assert "heal:v1" not in markdown
    assert not clean.hidden_in(markdown)


# GH-2
@given(NASTY | TIGHT)
@example("http://x.y``@ada`@ada``")
@example("`a``@ada`http://x.y")
def test_prose_has_no_mention_reference_image_html_link_or_mark(text: str) -> None:
    for markdown in (clean.prose(text), f"**Why:** {clean.prose(text)}"):
        check_harmless(markdown)
        assert "\n" not in markdown


# GH-2
@given(NASTY | TIGHT)
def test_code_stays_code_whatever_is_in_it(text: str) -> None:
    markdown = f"a {clean.code(text)} z"
    check_harmless(markdown)
    assert [token.type for token in tokens(markdown) if token.type in ("code_inline", "em_open")] != []


# GH-2
@given(NASTY | TIGHT)
def test_a_block_can_not_be_left(text: str) -> None:
    found = READER.parse(f"before\n\n{clean.block(text)}\n\nafter")
    assert [token.type for token in found if token.level == 0 and token.type == "fence"] == ["fence"]
    assert [token.content for token in found if token.type == "inline"] == ["before", "after"]


# GH-2
@given(NASTY | TIGHT)
def test_a_table_cell_keeps_its_row(text: str) -> None:
    table = f"| a | b |\n|---|---|\n| {clean.cell(clean.prose(text))} | {clean.cell(clean.code(text))} |"
    found = tokens(table)
    assert sum(token.type == "td_open" for token in found) == 2
    assert sum(token.type == "tr_open" for token in found) == 2


# GH-2
@given(NASTY | TIGHT)
def test_a_diagram_label_has_no_signs_that_a_diagram_reads(text: str) -> None:
    assert not set(clean.label(text)) & set("\"'`<>[](){}|;#@&%\n")
    assert "://" not in clean.label(text)


# GH-2
def test_hidden_characters_are_shown() -> None:
    assert clean.prose("a\u202eb\u200bc") == "a⟨U+202E⟩b⟨U+200B⟩c"
    assert clean.hidden_in("x\u2066y\u2066") == ("U+2066",)


# GH-2
def test_letters_that_only_look_latin_are_shown_where_they_hide_in_a_word() -> None:
    assert clean.code("say\u041dello()") == "`say⟨U+041D⟩ello()`"
    assert clean.hidden_in("p\u0430ypal") == ("U+0430",)
    for honest in ("Привет, мир", "UTF-8-кодировка", "test_сумма", "5 μs", "naïve", "2αx + βy"):
        assert clean.prose(honest, 99).replace("\\", "") == honest
        assert not clean.hidden_in(honest)


# GH-2
def test_every_known_disguise_is_named() -> None:
    for item in json.loads(b64decode((corpus() / "safety" / "safety.json.b64").read_bytes()))["hidden"]:
        foreign = {char for char in item["text"] if not char.isascii()}
        assert set(clean.hidden_in(item["text"])) == {f"U+{ord(char):04X}" for char in foreign}
        for text in (clean.prose(item["text"]), clean.code(item["text"]), clean.block(item["text"])):
            assert not foreign & set(text)


# GH-2
def test_a_strangers_text_can_not_forge_our_marks() -> None:
    forged = marks.of_proposal("abcd", 1, 1)
    for text in (clean.prose(forged), clean.code(forged), clean.block(forged)):
        assert forged not in text
        assert marks.proposal_in(text) is None


# GH-4
@given(st.lists(st.integers(0, 40_000), max_size=6))
def test_a_comment_never_grows_too_long(sizes: list[int]) -> None:
    text = clean.joined(["x" * size for size in sizes])
    assert len(text) <= clean.MAX_COMMENT
    assert ("left out" in text) == (len(text) < sum(sizes))


# GH-2
@pytest.mark.parametrize("kind", ["injections", "hidden"])
def test_known_attacks_are_harmless(kind: str) -> None:
    items = json.loads(b64decode((corpus() / "safety" / "safety.json.b64").read_bytes()))[kind]
    for item in items:
        for text in (value for value in item.values() if isinstance(value, str)):
            check_harmless(clean.prose(text))
            check_harmless(f"x {clean.code(text)}")
            assert len(READER.parse(clean.block(text))) == 1
