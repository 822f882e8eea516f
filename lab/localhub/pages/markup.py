"""Renders untrusted Markdown: only HTML that is listed here is passed through.

Three layers: markdown-it creates the tokens; of raw HTML only the bare tags in `BARE` pass, the rest becomes text, and
comments are removed; finally the tags are balanced, so that no text can close an element of the page around it.
"""

import html
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from lab.localhub.pages.visible import without_bidi

BARE = "details|summary|sub|sup|kbd|ins|br"
VOID = {"br", "hr", "input"}
RAW = re.compile(rf"(?P<comment><!--.*?(?:-->|\Z))|(?P<tag></?(?:{BARE})(?: open(?:=\"\")?)?\s*/?>)", re.DOTALL | re.I)
TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-z][a-z0-9]*)(?P<rest>[^<>]*)>")
LINK = re.compile(r"(?:https?://|mailto:|#|/(?![/\\]))", re.I)
CLASSES = {"text-align:left": "left", "text-align:center": "middle", "text-align:right": "right"}
MAX_LENGTH = 200_000  # characters; GitHub's own limits are below

Suggestion = tuple[tuple[str, ...], Markup]
"""The lines that a button would commit, and how they are shown."""


class Strict(MarkdownIt):
    """Allows only links to web pages, mail addresses, this page and this site."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 -- markdown-it's name
        """Whether a link to the URL is allowed."""
        return bool(LINK.match(url)) and super().validateLink(url)


class Safe(RendererHTML):
    """Renders tokens as HTML; `env["suggestion"]` replaces a suggestion block."""

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Renders an HTML block."""
        return _raw(tokens[idx].content)

    html_inline = html_block

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Shows an image's alternative text; images are never fetched."""
        return f'<span class="no-image">image: {escape(tokens[idx].content or "without words")}</span>'

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Renders code, or the given suggestion if the block is the one that would be committed."""
        token = tokens[idx]
        kind = (token.info.split() or [""])[0]
        known: Suggestion | None = env.get("suggestion")
        if kind == "suggestion" and known and tuple(token.content.split("\n")[:-1]) == known[0]:
            env["suggestion"] = None
            return known[1]
        label = f'<span class="kind">{escape(kind)}</span>' if kind not in ("", "text") else ""
        body = _diff(token.content) if kind == "diff" else escape(token.content)
        return f'<div class="block">{label}<pre tabindex="0"><code>{body}</code></pre></div>\n'

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Opens a table in an element that scrolls."""
        return '<div class="table"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Closes what `table_open` opened."""
        return "</table></div>\n"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    options = {"html": True, "breaks": True, "maxNesting": 20}
    return Strict("commonmark", options, renderer_cls=Safe).enable(["table", "strikethrough"])


def render(text: str | None, suggestion: Suggestion | None = None) -> Markup:
    """Renders Markdown as HTML. `suggestion` replaces its block; if no block matches it, it is shown at the end."""
    return _rendered(text or "") if suggestion is None else _made(text or "", suggestion)


@lru_cache(maxsize=256)
def _rendered(text: str) -> Markup:
    """Cached: a long text full of brackets takes most of a second, and pages are reloaded often."""
    return _made(text, None)


def _made(text: str, suggestion: Suggestion | None) -> Markup:
    env: dict[str, Any] = {}
    if suggestion:
        env["suggestion"] = (tuple(without_bidi(line) for line in suggestion[0]), suggestion[1])
    parser = _parser()
    tokens = parser.parse(without_bidi(text)[:MAX_LENGTH], env)
    _each(tokens, _tame)
    done = Markup(balanced(str(parser.renderer.render(tokens, parser.options, env))))  # noqa: S704 -- made above
    return done + suggestion[1] if suggestion and env.get("suggestion") else done


def balanced(page: str) -> str:
    """Returns HTML in which every element is closed where it was opened, without surplus end tags."""
    out: list[str] = []
    stack: list[str] = []
    at = 0
    for tag in TAG.finditer(page):
        out.append(page[at : tag.start()])
        at, name = tag.end(), tag["name"]
        if not tag["close"]:
            out.append(tag.group())
            if name not in VOID:
                stack.append(name)
        elif name in stack and not _outside(stack, name):
            while (open_ := stack.pop()) != name:
                out.append(f"</{open_}>")
            out.append(tag.group())
    return "".join([*out, page[at:], *(f"</{name}>" for name in reversed(stack))])


def _outside(stack: list[str], name: str) -> bool:
    """Whether closing the element would close elements outside: `</details>` must not close the list, quote or table
    that contains it."""
    if name not in BARE.split("|"):
        return False
    inner = stack[len(stack) - stack[::-1].index(name) :]
    return any(one not in BARE.split("|") for one in inner)


def _raw(text: str) -> str:
    parts: list[str] = []
    at = 0
    for found in RAW.finditer(text):
        parts.append(_plain(text[at : found.start()]))
        at = found.end()
        parts.append(re.sub(r"\s*/?>$", ">", found["tag"].lower()) if found["tag"] else "")
    return "".join([*parts, _plain(text[at:])])


def _plain(text: str) -> str:
    """Escapes text between tags, and keeps existing entities."""
    return html.escape(html.unescape(text))


def _diff(text: str) -> str:
    kinds = {"+": "add", "-": "del", "@": "hunk"}
    rows = []
    for line in text.split("\n"):
        kind = kinds.get(line[:1])
        rows.append(f'<span class="{kind}">{escape(line)}</span>' if kind else str(escape(line)))
    return "\n".join(rows)


def _each(tokens: Sequence[Token], do: Callable[[Token], None]) -> None:
    for token in tokens:
        do(token)
        _each(token.children or (), do)


def _tame(token: Token) -> None:
    """Makes links send no referrer, and turns a cell's alignment into a class, since styles are not allowed."""
    if token.type == "link_open":
        token.attrSet("rel", "nofollow noopener noreferrer")
    style = token.attrs.pop("style", None)
    if style in CLASSES:
        token.attrSet("class", CLASSES[str(style)])
