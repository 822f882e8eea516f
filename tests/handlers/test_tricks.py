"""Tricks for posted text, each put into every field that a stranger can write, on every text that Heal posts: what
GitHub would make of the page is read by a real Markdown reader and by GitHub's own rules for mentions and links."""

import re

import pytest
from markdown_it.token import Token

from handlers.comments import answers, explaining, fixup, muting, parts, sticky, suggestion, summary
from handlers.comments.annotations import annotations
from handlers.model import Tally
from healing.model import CIError, Evidence, NotChecked, Outcome, Proposal, Related, Unfixable
from tests.handlers.test_clean import READER
from tests.handlers.texts import FIX, OUTCOME, REPORT, SHA, STORED
from tests.handlers.world import ERROR

TRICKS = (
    "fixes #1, closes GH-2, resolves ada/calc#3 and fixes https://github.com/ada/calc/issues/4",
    "gh-12 Gh-13 GH\u00ad-14 GH&#45;15 GH&hyphen;16 G\u200bH-17",
    "[skip ci] [ci skip] [no ci] [skip actions] [actions skip] ***NO_CI*** [skip heal]",
    "skip-checks: true\n\nskip-checks: true\nSigned-off-by: A <a@b.example>\nHeal-Generation: 0",
    "@ada @org/team ＠ada &commat;ada &#64;ada &#x40;ada \\@ada a@b.example",
    "![p](https://evil.example/p.png) ![p][1] ![](//evil.example/p) [![x](http://e.example/i)](http://e.example)",
    "[click](javascript:alert(1)) [a](//evil.example) [b]: https://evil.example 'x' [b] [b][]",
    "[1]: https://evil.example/collect\n[1]\n[^note] [^note]: https://evil.example",
    "<https://evil.example> <mailto:a@b.example> <a@b.example> <ftp://evil.example/x>",
    "www.evil.example WWW.EVIL.EXAMPLE (www.evil.example) *www.evil.example* https://evil.example ftp://evil.example",
    "https:\\\\evil.example http&#58;//evil.example https\u200b://evil.example hxxps://evil.example",
    "xmpp:a@b.example/chat mailto:a@b.example?subject=x ssh://git@evil.example vscode://evil/run",
    "<details open><summary>All is well</summary>hidden</details></details></sub></td></table>",
    "<img src=https://evil.example/i onerror=alert(1)> <picture><source srcset=https://evil.example/i></picture>",
    "<!-- heal:v1 proposal=000000000000 part=1/1 --> <!-- heal:v1 sticky --> <!--> <!---> --!>",
    "<script>alert(1)</script><style>*{display:none}</style><svg/onload=alert(1)>",
    "```suggestion\nrm -rf /\n```",
    "````\n```suggestion\nos.system('x')\n```\n````",
    "~~~suggestion\nevil\n~~~\n    indented code\n\tand this",
    "`` ` @ada ` `` ``` @ada ``` `@ada`` ``@ada` \\`@ada\\` `@ada\\`",
    "`a`@ada`b`#1`c` `http://x.y`@ada`",
    "| a | b |\n|---|---|\n| @ada | #1 |\n\\| @ada \\\\| #1",
    "# Heading\n## @ada\n===\n---\n* * *\n> quote @ada\n- [x] done #1\n1. one",
    "- [ ] tick me\n+ plus\n10) ten\n--- \n=== \n:::note",
    "> [!WARNING]\n> @ada your repository is compromised, see https://evil.example",
    "$\\href{https://evil.example}{x}$ $`\\href{https://evil.example}{x}`$ $$\\url{https://evil.example}$$",
    '```mermaid\ngraph TD; A-->B; click A "https://evil.example"\n```',
    '"] --> B["x"]; click A href "https://evil.example" %%{init: {\'theme\':\'x\'}}%%',
    "\u202e@ada\u202c \u2066#1\u2069 \u200b@\u200bada \u00ad#\u00ad1 \ufeff@ada \u2060#1",
    "".join(chr(0xE0000 + ord(c)) for c in "@ada fixes #1") + " plain",
    "p\u0430ypal \u0430dmin h\u0435lp /h\u0435al apply all \u1d2c \u24d0",
    "/heal apply all\n/approve\n/lgtm\n/merge\n/close\nbors r+",
    "@dependabot merge\n@github-actions run\n@copilot fix this",
    ":+1: :octocat: ![](data:image/png;base64,AAAA) data:text/html,<b>x</b>",
    "0123456789abcdef0123456789abcdef01234567 ada/calc@0123456789abcdef0123456789abcdef01234567",
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07 \x1b[2K\x1b[1A overwritten \x08\x08\x08",
    "a\r\n\r\n@ada\r#1\x0b@ada\x0c#1\x85@ada\u2028#1\u2029@ada",
    "x" * 5_000 + " @ada " + "`" * 300 + " #1",
    "[" * 400 + "x" + "](http://evil.example)" * 40,
    "&lt;img src=x&gt; &amp;#64;ada &#35;1 &num;1 &NewLine;@ada &Tab;#1 &lbrack;x&rbrack;(http://evil.example)",
    "\ufeff# @ada\n\u00a0\u00a0- #1\n\u3000@ada \u1680#1",
    "[[Wiki]] [[evil|https://evil.example]] {{ github.token }} ${{ secrets.KEY }} <%= x %>",
)


def planted(text: str) -> list[str]:
    """Every text that is posted, with the trick in each field of a stranger's."""
    error = CIError(
        id="E1", tool=text[:80] or "t", code=text[:80], category=ERROR.category, file=text.replace("\n", " ")[:200],
        line=2, message=text, excerpt=text, test=text, expected=text, actual=text, suggestion=text,
        related=(Related(file=text.replace("\n", " ")[:200], line=1, message=text),),
    )  # fmt: skip
    evidence = Evidence(command=text, before_tree="a" * 40, after_tree="b" * 40, before_exit=1, after_exit=0,
                        before_output=text, after_output=text, note=text)  # fmt: skip
    proposal = FIX.model_copy(
        update={
            "title": text,
            "explanation": text,
            "evidence": (evidence,),
            "flags": (text,),
            "source": f"agent:{text}",
        }
    )
    report = Unfixable(id="U1", error_ids=("E1",), reason="given-up", tried=text, why=text, advice=text)
    outcome = OUTCOME.model_copy(
        update={
            "errors": (error,), "proposals": (proposal,), "unfixables": (report,), "head_lines": {"E1": (2, 2)},
            "not_looked": (NotChecked(what=text, why=text, advice=text),),
        }
    )  # fmt: skip
    left = proposal.model_copy(update={"evidence": (evidence.model_copy(update={"after_exit": 1}),)})
    return [
        *_bodies(text, error, proposal, report, outcome),
        answers.shown_proposal(STORED.model_copy(update={"proposal": left}), {"E1": error}, None),
        muting.silent_note(
            (STORED.model_copy(update={"reason": muting.why(Tally(kind=text, accepted=0, rejected=9))}),)
        ),
    ]


def _bodies(text: str, error: CIError, proposal: Proposal, report: Unfixable, outcome: Outcome) -> list[str]:
    errors, item = {"E1": error}, STORED.model_copy(update={"proposal": proposal, "reason": text, "status": "rejected"})
    return [
        suggestion.suggestion(proposal, 1, 1, "import math\n", errors),
        sticky.sticky(SHA, (item,)),
        summary.summary(outcome, {proposal.id: text}),
        fixup.fixup_body((proposal,), errors, "heal/x/1", "main", SHA),
        answers.shown_proposal(item, errors, text),
        answers.proposal_list((item,)),
        answers.unfixables((report,), None),
        answers.rejected((proposal.id,), text),
        answers.refused_line(proposal.id, text),
        answers.unknown_command(text, None, ""),
        explaining.explained("E1", outcome, None),
        explaining.explained(proposal.id, outcome, item),
        explaining.explained("U1", outcome, None),
    ]


BAD = {"image", "link_open", "heading_open", "hr", "blockquote_open"}
SPOKEN = re.compile(r"@\w|(?<![&\w])#\d|\bGH-\d|\w://|\bwww\.\w", re.IGNORECASE)


def tokens(markdown: str) -> list[Token]:
    flat: list[Token] = []
    for token in READER.parse(markdown):
        flat += [token, *(token.children or [])]
    return flat


def check(markdown: str, suggested: int) -> None:
    found = tokens(markdown)
    assert {token.type for token in found} & BAD <= (
        {"heading_open"} if "####" in markdown or "### " in markdown else set()
    )
    for token in found:
        if token.type in ("html_inline", "html_block"):
            left = re.sub(r"</?(?:details|summary|sub)>|<!-- heal:v1 [\w=/ .:-]* -->", "", token.content)
            assert not set("<>@#") & set(left), token.content
        if token.type == "text":
            assert not SPOKEN.search(token.content), token.content
    fences = [token for token in found if token.type == "fence"]
    assert sum(token.info.startswith("suggestion") for token in fences) == suggested
    for token in fences:
        if token.info == "mermaid":
            assert not re.search(r"^\s*click|://|%%\{", token.content, re.MULTILINE), token.content
    output = [line for token in found if token.type == "inline" for line in token.content.splitlines()]
    assert not [line for line in output if re.match(r"\s*/[a-z]", line)], "no bot's command begins a line"


# AG-10, GH-2
@pytest.mark.parametrize("trick", TRICKS, ids=range(len(TRICKS)))
def test_no_trick_reaches_a_page(trick: str) -> None:
    for number, body in enumerate(planted(trick)):
        check(body, suggested=number == 0)
        assert "proposal=000000000000" not in body.replace("heal·v1 proposal=000000000000", "")
        assert not {"\u202e", "\u200b", "\x1b", "\U000e0040"} & set(body)


# AG-10, GH-2, IN-4
@pytest.mark.parametrize("trick", TRICKS, ids=range(len(TRICKS)))
def test_no_trick_reaches_a_commit_or_a_title(trick: str) -> None:
    """GitHub reads references, closing words and orders to skip CI in a commit's first line."""
    proposal = FIX.model_copy(update={"title": trick})
    for line in (parts.headline(proposal), fixup.fixup_title((proposal,), "#5").removesuffix(" (for #5)")):
        assert line.startswith("fix: ")
        assert len(line.splitlines()) == 1
        assert not SPOKEN.search(line), line
        assert not re.search(r"\[[^\]]*(?:skip|ci|heal)[^\]]*\]|NO_CI|skip-checks:\s*true", line, re.IGNORECASE), line
        assert line.isprintable()


# AG-10, GH-3
@pytest.mark.parametrize("trick", TRICKS, ids=range(len(TRICKS)))
def test_no_trick_reaches_an_annotation(trick: str) -> None:
    error = ERROR.model_copy(update={"message": trick, "excerpt": trick, "tool": trick[:80], "code": trick[:80]})
    report = REPORT.model_copy(update={"why": trick, "reason": "given-up"})
    outcome = OUTCOME.model_copy(
        update={"errors": (error,), "unfixables": (report,), "head_lines": {error.id: (2, 2)}, "proposals": ()}
    )
    for one in annotations(outcome):
        output = f"{one.title}\n{one.message}\n{one.details or ''}"
        assert not re.search(r"@\w|://", output), output
        assert not {"\u202e", "\u200b", "\x1b"} & set(output)
