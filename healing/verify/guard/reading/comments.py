"""Finds comments that silence a tool, each with the rules that it silences."""

import re
from collections.abc import Iterator

from healing.verify.guard.reading.marks import Mark, MarkKind
from healing.verify.guard.reading.text import any_of

CODES = r"[ \t]*[:=]?[ \t]*(?P<codes>[\[(]?[\w@/.*-]{0,80}(?:[ \t]*,[ \t]*[\w@/.*-]{1,80}){0,40})"
WORDS = any_of(
    r"\bnoqa\b",
    r"\b(?:flake8|ruff)[ \t]*:[ \t]*(?:noqa|isort)\b",
    r"\btype[ \t]*:[ \t]*ignore\b",
    r"\bpyright[ \t]*:[ \t]*(?:ignore|basic|off)\b",
    r"\bpyre-(?:ignore|fixme)\b|\b(?:ty|pyrefly)[ \t]*:[ \t]*ignore\b",
    r"\bmypy[ \t]*:",
    r"\bpylint[ \t]*:[ \t]*(?:disable(?:-next|-msg)?|skip-file)\b",
    r"\bpragma[ \t]*:[ \t]*no[ \t]*(?:cover|branch)\b",
    r"\bfmt[ \t]*:[ \t]*(?:off|skip)\b",
    r"\byapf[ \t]*:[ \t]*disable\b",
    r"\bisort[ \t]*:[ \t]*(?:skip\w{0,10}|off)\b",
    r"\bnosec\b|\bnosemgrep\b|\bNOSONAR\b|\bnolint\b|\blint:(?:file-)?ignore\b",
    r"\beslint-disable(?:-next-line|-line)?\b|\btslint[ \t]*:[ \t]*disable|\bjshint[ \t]+ignore",
    r"@ts-(?:ignore|nocheck|expect-error)\b|\$Flow(?:FixMe|Ignore|ExpectedError)\b",
    r"\b(?:biome|prettier)-ignore(?:-\w{1,9})?\b|\boxlint-disable(?:-[a-z-]{1,12})?\b",
    r"\bdeno-(?:lint|fmt)-ignore(?:-file)?\b|\b(?:istanbul|c8|v8)[ \t]+ignore\b",
    # Other linters that are silenced, by name or by `lint`; an eslint setting in a comment.
    r"\b[\w-]{0,30}lint[ \t:-]{1,3}(?:disable|ignore|off)(?:-[a-z-]{1,15})?\b",
    r"\beslint[ \t]+[\"']?[\w@/-]{1,80}[\"']?[ \t]*:[ \t]*[\"'\[]{0,2}(?:0|off|warn|1)\b",
    r"\b(?:shellcheck[ \t]+disable|hadolint[ \t]+(?:global[ \t]+)?ignore|tfsec:ignore|checkov:skip|trivy:ignore)\b",
    r"@psalm-suppress\b|\bCHECKSTYLE[ \t]*:[ \t]*OFF\b|@file:Suppress\b|\bclang-format[ \t]+off\b",
    r"\bswiftlint:disable\b|\bcodespell:ignore\b|\brubocop:todo\b|\bNOLINT(?:NEXTLINE|BEGIN)?\b",
    # Marks of generated files: linters and formatters leave them out.
    r"\bCode generated\b[^\n]{0,200}\bDO NOT EDIT\b|@generated\b",
    r"\brubocop:disable\b|@phpstan-ignore\b|\bcoverage:ignore\b|\bignore_for_file:|\bcspell:(?:disable|ignore)\b",
    r"\bvale[ \t]+off\b",
)
# The silencing word, then the rules that it names.
SILENCERS = re.compile(f"(?P<word>{WORDS.pattern}){CODES}", re.IGNORECASE)
PREFIXES = ("#", "//", "/*", "<!--", "--", ";")


def silencers(comment: str) -> Iterator[Mark]:
    """A mark for each rule that a comment silences; `*` if it silences all of them."""
    for match in SILENCERS.finditer(comment[:20_000]):
        word = "".join(match["word"].split())
        codes = [code.strip(" \t[](),") for code in match["codes"].split(",")]
        named = [code for code in codes if code and not code.startswith("--")]
        yield from ((MarkKind.SILENCER, f"{word} {code}") for code in named or ["*"])


def in_words(text: str) -> Iterator[Mark]:
    """The same marks for a text whose comments can't be told apart from its strings."""
    for line in text.split("\n"):
        starts = [position for position in (line.find(prefix) for prefix in PREFIXES) if position >= 0]
        if starts:
            yield from silencers(line[min(starts) :])
