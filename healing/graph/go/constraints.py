"""Determines the systems that a Go file is built for: by `_linux_arm64` in its name and by `//go:build`."""

import re
from functools import lru_cache

SYSTEMS = ("linux", "darwin", "windows", "freebsd", "openbsd", "netbsd", "dragonfly", "solaris", "illumos", "aix", "plan9", "android", "ios", "js", "wasip1")  # fmt: skip  # noqa: E501
MACHINES = ("amd64", "arm64", "386", "arm", "ppc64", "ppc64le", "mips", "mipsle", "mips64", "mips64le", "riscv64", "s390x", "loong64", "wasm")  # fmt: skip  # noqa: E501
UNIX = frozenset(SYSTEMS) - {"windows", "plan9", "js", "wasip1"}
EVERYWHERE = frozenset((system, machine) for system in SYSTEMS for machine in MACHINES)
TOKEN = re.compile(r"\s*+(\|\||&&|[!()]|[\w.]++)")
CONSTRAINT = re.compile(
    rb"\A(?:[ \t\r]*+(?://(?!go:build)[^\n]*+)?\n|/\*(?:[^*]++|\*(?!/))*+\*/)*+//go:build[ \t]++([^\n]{1,500})\n"
)
MAX_DEPTH = 50
Answer = tuple[bool, bool]  # whether it can be true, whether it can be false: the `-tags` of a build are unknown


def constraint(data: bytes) -> str:
    """The expression after `//go:build`; empty if there is none."""
    match = CONSTRAINT.match(data[:20_000])
    return match.group(1).decode("utf-8", "replace").strip() if match else ""


@lru_cache(maxsize=4096)
def built_for(stem: str, expression: str) -> frozenset[tuple[str, str]]:
    """The (system, machine) pairs for which the file `stem` plus `.go` is built."""
    words = stem.removesuffix("_test").split("_")[1:]
    machine = words.pop() if words and words[-1] in MACHINES else None
    system = words.pop() if words and words[-1] in SYSTEMS else None
    pairs = (
        pair
        for pair in EVERYWHERE
        if (system is None or _is(system, pair[0])) and (machine is None or machine == pair[1])
    )
    if not expression:
        return frozenset(pairs)
    tokens = tuple(TOKEN.findall(expression))
    return frozenset(pair for pair in pairs if Expression(tokens, pair).can_hold())


def _is(tag: str, system: str) -> bool:
    return tag == system or (tag, system) in {("linux", "android"), ("darwin", "ios"), ("solaris", "illumos")}


class Expression:
    """A build constraint, evaluated for one system. Malformed parts count as unknown."""

    def __init__(self, tokens: tuple[str, ...], pair: tuple[str, str]) -> None:
        self.tokens, self.pair, self.at = tokens, pair, 0

    def can_hold(self) -> bool:
        """Whether any set of build tags makes it true."""
        return self._any(0)[0]

    def _any(self, depth: int) -> Answer:
        can, cannot = self._all(depth)
        while self._next("||"):
            right = self._all(depth)
            can, cannot = can or right[0], cannot and right[1]
        return can, cannot

    def _all(self, depth: int) -> Answer:
        can, cannot = self._one(depth)
        while self._next("&&"):
            right = self._one(depth)
            can, cannot = can and right[0], cannot or right[1]
        return can, cannot

    def _one(self, depth: int) -> Answer:
        if depth > MAX_DEPTH or self.at >= len(self.tokens):
            return True, True
        if self._next("!"):
            can, cannot = self._one(depth + 1)
            return cannot, can
        if self._next("("):
            inner = self._any(depth + 1)
            self._next(")")
            return inner
        self.at += 1
        return self._tag(self.tokens[self.at - 1])

    def _tag(self, tag: str) -> Answer:
        system, machine = self.pair
        if tag in SYSTEMS:
            holds = _is(tag, system)
        elif tag in MACHINES:
            holds = tag == machine
        elif tag == "unix":
            holds = system in UNIX
        elif tag == "ignore":
            holds = False
        elif tag == "gc" or re.fullmatch(r"go1\.\d+", tag):
            holds = True
        else:
            return True, True
        return holds, not holds

    def _next(self, token: str) -> bool:
        matches = self.at < len(self.tokens) and self.tokens[self.at] == token
        self.at += matches
        return matches
