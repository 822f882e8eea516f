"""The grammar of GitHub's expression language: parses text into a tree."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from healing.checks.expressions.values import Value, number

MAX_LENGTH = 21_000  # characters; GitHub's own limit
MAX_DEPTH = 50  # GitHub's own limit
TOKEN = re.compile(
    r"\s{0,1000}(?:(?P<text>'(?:[^']|''){0,21000}')|(?P<number>[-+]?(?:0x[0-9a-fA-F]{1,60}|0o[0-7]{1,60}|"
    r"(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][-+]?[0-9]{1,9})?)(?![\w.]))|"
    r"(?P<name>[A-Za-z_][\w-]{0,1000})|(?P<mark>&&|\|\||==|!=|<=|>=|[!<>()\[\].,*]))"
)
WORDS: dict[str, Value] = {"true": True, "false": False, "null": None, "nan": float("nan"), "infinity": float("inf")}
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="))


class ExpressionError(Exception):
    """Text that is not an expression."""


@dataclass(frozen=True)
class Literal:
    value: Value


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Member:
    """`target.key` or `target[key]`; a `key` of None means `target.*`."""

    target: "Node"
    key: "Node | None"


@dataclass(frozen=True)
class FunctionCall:
    name: str
    arguments: tuple["Node", ...]


@dataclass(frozen=True)
class Not:
    operand: "Node"


@dataclass(frozen=True)
class Binary:
    operator: str
    left: "Node"
    right: "Node"


Node: TypeAlias = Literal | Name | Member | FunctionCall | Not | Binary


@lru_cache(maxsize=4096)
def parse(source: str) -> Node:
    """The tree of an expression without its `${{ }}`. Raises ExpressionError."""
    if len(source) > MAX_LENGTH:
        raise ExpressionError(f"it is longer than {MAX_LENGTH} characters")
    parser = _Parser(_tokens(source))
    tree = parser.level(0)
    if parser.at < len(parser.tokens):
        raise ExpressionError(f"“{parser.tokens[parser.at][1][:40]}” is not expected there")
    return tree


def _tokens(source: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    source = source.strip()
    while at < len(source):
        match = TOKEN.match(source, at)
        if match is None:
            raise ExpressionError(f"“{source[at : at + 20]}” is not understood")
        tokens.append((str(match.lastgroup), match.group(str(match.lastgroup))))
        at = match.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def taken(self, *marks: str) -> str:
        """Consume and return the next mark if it is one of these; otherwise return an empty text."""
        if self.at < len(self.tokens) and self.tokens[self.at] in [("mark", mark) for mark in marks]:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def need(self, mark: str) -> None:
        if not self.taken(mark):
            raise ExpressionError(f"“{mark}” is missing")

    def level(self, number: int) -> Node:
        if number == len(LEVELS):
            return self.unary()
        left = self.level(number + 1)
        length = 0
        while operator := self.taken(*LEVELS[number]):
            left = Binary(operator, left, self.level(number + 1))
            length += 1
            if length > MAX_DEPTH * 4:
                raise ExpressionError("it has too many operators in a row")
        return left

    def unary(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"it is nested deeper than {MAX_DEPTH}")
        tree = Not(self.unary()) if self.taken("!") else self.members(self.primary())
        self.depth -= 1
        return tree

    def primary(self) -> Node:
        if self.taken("("):
            tree = self.level(0)
            self.need(")")
            return tree
        if self.at >= len(self.tokens):
            raise ExpressionError("it ends too early")
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "text":
            return Literal(word[1:-1].replace("''", "'"))
        if kind == "number":
            return Literal(number(word))
        if kind != "name":
            raise ExpressionError(f"“{word}” is not expected there")
        if self.taken("("):
            return FunctionCall(word, self.arguments())
        return Literal(WORDS[word.lower()]) if word.lower() in WORDS else Name(word)

    def arguments(self) -> tuple[Node, ...]:
        if self.taken(")"):
            return ()
        arguments = [self.level(0)]
        while self.taken(","):
            arguments.append(self.level(0))
        self.need(")")
        return tuple(arguments)

    def members(self, tree: Node) -> Node:
        length = 0
        while mark := self.taken(".", "["):
            length += 1
            if length > MAX_DEPTH:
                raise ExpressionError("it has too many members in a row")
            tree = Member(tree, self.key(mark))
        return tree

    def key(self, mark: str) -> Node | None:
        star = bool(self.taken("*"))
        if mark == "[":
            key = None if star else self.level(0)
            self.need("]")
            return key
        if star:
            return None
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != "name":
            raise ExpressionError("a name is missing after “.”")
        self.at += 1
        return Literal(self.tokens[self.at - 1][1])
