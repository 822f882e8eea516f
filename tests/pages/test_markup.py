"""Laws of what a page makes of foreign text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from lab.localhub import pages
from lab.localhub.pages import lines, markup, run_page, visible

ALLOWED = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "a", "ul", "ol", "li", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td", "hr", "br", "div", "span", "details", "summary", "sub", "sup", "kbd",
    "ins",
}  # fmt: skip
PIECES = (
    "<details>", "</details>", "<details open>", "<summary>", "</summary>", "<sub>", "</sub>", "</div>", "<div>", "<p>",
    "</article>", "<script>", "</script>", "<!--", "-->", "<![CDATA[", "<?", "<img src=x onerror=y>", "<SUB>", "<br/>",
    "<a href='javascript:x'>", "[a](javascript:x)", "[a](JaVaScRiPt&#58;x)", "[a](//evil)", "[a](data:text/html,x)",
    "[a](https://ok.example 'title \" onclick=x')", "![i](https://x/y)", "<https://ok.example>", "# h\n", "- ", "> ",
    "1. ", "\n", "\n\n", "    ", "`", "```\n", "```suggestion\n", "~~~\n", "| a | b |\n|:--|--:|\n", "*", "**", "~~",
    "&lt;", "&#x3c;", "\u202e", "\0", "text", '"', "'", "&", "<", ">", "\\",
)  # fmt: skip


class Reader(HTMLParser):
    """Notes what isn't allowed, and whether every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element opens."""
        if tag not in ALLOWED:
            self.wrong.append(tag)
        for name, value in attrs:
            safe = name in ("class", "rel", "title", "open", "tabindex", "start") or (
                name == "href" and re.match(r"https?://|mailto:|#|/(?![/\\])", value or "")
            )
            if not safe:
                self.wrong.append(f"{tag} {name}={value}")
        if tag not in ("br", "hr"):
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without an end."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """An element closes."""
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append(f"/{tag}")


def read(page: str) -> Reader:
    """A fragment, read."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=200))
def test_whatever_is_written_only_listed_elements_come_out_and_all_are_closed(text: str) -> None:
    reader = read(markup.render(text))
    assert reader.wrong == []
    assert reader.stack == []


def test_what_heal_writes_is_shown_as_it_means_it() -> None:
    page = markup.render(
        "### Heal: 2 fixes\n\n**x** `a|b`\n\n<details><summary>Evidence: exit 1 &lt; 2</summary>\n\n"
        "```text\nno <b>\n```\n\n</details>\n\n```mermaid\nflowchart LR\n```\n\n"
        "<sub>Fix `a2a4`</sub>\n\n<!-- heal:v1 sticky -->"
    )
    for part in ("<h3>Heal: 2 fixes</h3>", "<summary>Evidence: exit 1 &lt; 2</summary>", "no &lt;b&gt;", "flowchart LR",
                 "<sub>Fix <code>a2a4</code></sub>"):  # fmt: skip
        assert part in page
    assert "heal:v1" not in page


@pytest.mark.parametrize(
    "body", ["```suggestion\nx = 1\n```", "- item\n\n      ```suggestion\n      x = 1\n      ```", "no block at all"]
)
def test_a_suggestion_is_always_shown_once(body: str) -> None:
    assert markup.render(body, (("x = 1",), Markup("<div>SHOWN</div>"))).count("SHOWN") == 1


@given(st.lists(st.text("ab \r", max_size=4), max_size=6), st.lists(st.text("ab ", max_size=4), max_size=6))
def test_a_suggestion_shows_every_line_that_goes_and_every_line_that_comes(old: list[str], new: list[str]) -> None:
    rows = lines.replacement(old, new, 5)
    output = [("".join(text for text, _ in row.parts), row) for row in rows]
    assert [text for text, row in output if row.old] == [line.removesuffix("\r") for line in old]
    assert [text for text, row in output if row.new] == new
    assert [row.old for _, row in output if row.old] == [*range(5, 5 + len(old))]
    assert [row.new for _, row in output if row.new] == [*range(5, 5 + len(new))]


@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from(["##[group]", "##[endgroup]", "##[error]", "\x1b[", "m", "\n", "x"])).map(
        lambda p: "".join(p).encode()
    )
)
def test_any_log_is_shown_line_by_line(log: bytes) -> None:
    entries, left_out = run_page.log_entries(log)
    numbers = []
    for entry in entries:
        inner = [entry.title, *entry.lines] if isinstance(entry, run_page.Group) else [entry]
        numbers += [line.number for line in inner]
        assert not any("\x1b" in line.text for line in inner)
    assert left_out == 0
    assert numbers == sorted(set(numbers))


def test_a_long_log_keeps_its_end() -> None:
    entries, left_out = run_page.log_entries(b"x\n" * (run_page.MAX_LINES + 7))
    assert (len(entries), left_out) == (run_page.MAX_LINES, 7)


def test_hidden_characters_are_marked_in_code() -> None:
    assert visible.code("a\u200bb<\r") == 'a<mark class="hidden">U+200B</mark>b&lt;'
    assert visible.plain("\x1b[31mred\x1b[0m\x07") == "red⟨U+0007⟩"


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_has_enough_contrast(scheme: int) -> None:
    found: dict[str, str] = {}
    for name in ("page.css", "code.css"):
        blocks = re.findall(r":root \{(.*?)\}", (Path(pages.STATIC) / name).read_text(), re.DOTALL)
        found |= dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", blocks[scheme]))
    pairs = [(text, ground) for text in ("ink", "soft", "accent", "good", "bad", "care", "busy", "calm", "merged")
             for ground in ("bg", "card", "sunk")]  # fmt: skip
    pairs += [("ink", ground) for ground in ("add", "del", "add-strong", "del-strong", "said", "hunk", "accent-wash")]
    pairs += [("on-accent", "accent"), ("good", "good-wash"), ("bad", "bad-wash"), ("care", "care-wash")]
    pairs += [("merged", "merged-wash"), ("accent", "accent-wash"), ("soft", "hunk"), ("soft", "add"), ("soft", "del")]
    pairs += [("accent", "said"), ("ink", "line")]
    weak = {pair: round(contrast(found[pair[0]], found[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
