"""Ruby itself: uncaught exceptions with their stack, and syntax errors of its parsers (the old one and Prism)."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, at_line
from healing.logs.formats.ruby._stacks import RubyFrame, blame, category, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/]|<internal:)?[^\s:`'\"#][^:`'\"]{0,400}?)"
_RAISED = re.compile(
    rf"(?:bundler: failed to load command: .{{0,200}}|\S{{0,40}}ruby: )?{_FILE}:(?P<line>\d{{1,9}}):"
    r"in [`'](?P<function>.{1,200}?)': (?P<message>.*?)(?: \((?P<name>[A-Z][\w:]{1,200})\))?$"
)
_SYNTAX = re.compile(
    rf"(?:ruby: |-e: )?{_FILE}:(?P<line>\d{{1,9}}): (?P<message>(?:syntax error|void value expression|Invalid |"
    r"formal argument|dynamic constant|duplicated|unterminated|unexpected ).{0,600}?)(?: \(SyntaxError\))?$"
)
_WARNING = re.compile(
    r"(?P<file>[^\s:\[\]][^:\[\]]{0,400}\.(?:rb|rake|ru|erb|gemspec)):(?P<line>\d{1,9}): warning: (?P<message>\S.*)$"
)
_LAST = re.compile(
    r"(?:.{0,200} )?\((?P<name>[A-Z][\w:]{1,200}(?:Error|Exception|NotFound|Exit|Interrupt|Invalid)?)\)$"
)
_PRISM = re.compile(r"\s{0,12}\| {0,200}\^~*\s{1,4}(?P<words>\S.*)$")
_PICTURE = re.compile(r"[> ]?\s{0,10}(?:\d{1,7}|~+) ?\||\s{0,12}\||\s{1,60}\^|\s{1,60}\S")
_LINES = 60


class _Reader:
    """Reads exceptions with the stack or code frame below."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._head: re.Match[str] | None = None
        self._at = 0
        self._last = 0
        self._frames: list[RubyFrame] = []
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._head is not None and self._joins(line):
            return ()
        done = self.close()
        return (*done, *self._open(line))

    def close(self) -> Iterable[Finding]:
        head, self._head = self._head, None
        if head is None:
            return ()
        place = blame(self._frames, self._paths)
        name = head.groupdict().get("name") or next((m["name"] for t in self._lines if (m := _LAST.match(t))), None)
        message = " ".join([head["message"].strip(), *self._message_lines()])
        syntax = "function" not in head.groupdict()
        return (
            Finding(
                tool="ruby",
                code=None if syntax else name,
                category=Category.SYNTAX if syntax else category(f"{name}: {message}", Category.RUNTIME),
                message=f"{name}: {message}" if name and not syntax else message,
                file=place.file if place else None if self._frames[1:] else self._frames[0].file,
                line=place.line if place else None if self._frames[1:] else self._frames[0].line,
                log_line=self._at,
                span=(self._at, self._last),
                related=tuple(f.related() for f in reversed(self._frames[:30])),
                excerpt="\n".join(self._lines),
            ),
        )

    def _message_lines(self) -> list[str]:
        """The messages that Prism prints beside its carets; [] if there are more than three."""
        pointed = [m["words"] for text in self._lines[1:] if (m := _PRISM.match(text))]
        return [] if pointed[3:] else pointed

    def _open(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if len(text) > 4000:
            return ()
        if match := _WARNING.match(text):
            return (_warning(match, line),)
        head = _SYNTAX.match(text) or (_RAISED.match(text) if ":in " in text else None)
        if head is None:
            return ()
        self._head, self._at, self._last = head, line.number, line.number
        self._frames = [RubyFrame(head["file"], int(head["line"]), head.groupdict().get("function") or "")]
        self._lines = [text]
        return ()

    def _joins(self, line: Line) -> bool:
        text = line.text
        if len(self._lines) > _LINES:
            return False
        stack = frame(text) if text.lstrip().startswith("from ") else None
        if stack:
            self._frames.append(stack)
        elif not (_PICTURE.match(text) or text.startswith("Did you mean?") or (text == "" and len(self._lines) < 4)):
            return False
        self._lines.append(text)
        self._last = line.number
        return True


def _warning(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="ruby", category=Category.LINT, severity=Severity.WARNING, message=match["message"], file=match["file"],
        line=int(match["line"]), log_line=line.number, excerpt=line.text, score=0.2,
    )  # fmt: skip


FORMAT = Format(
    "ruby",
    (
        ":in `",
        ":in '",
        ": syntax error",
        ".rb: warning: ",
        *at_line(".rb", ".erb", "Gemfile", "Rakefile", ".rake", ".gemspec"),
    ),
    _Reader,
    rank=1,
)
