"""rustc, clippy, rustdoc, miri and cargo: errors with code frame, notes and suggestions; the short form too."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_HEAD = re.compile(
    r"(?P<level>error|warning)(?: of type)?(?:\[(?P<code>[A-Z]\d{4}|[a-z][\w:-]{1,80})\])?: (?P<message>\S.*)$"
)
_ARROW = re.compile(
    r"\s{0,8}--> (?P<file>(?:[A-Za-z]:)?[^:]{1,400}\.(?:rs|toml|lock|md)):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?$"
)
_SHORT = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,400}\.rs):(?P<line>\d{1,9}):(?P<column>\d{1,9}): "
    r"(?P<level>error|warning)(?:\[(?P<code>[\w:]{1,80})\])?: (?P<message>\S.*)$"
)
_GUTTER = re.compile(
    r"\s{0,8}\d{0,9}\s{0,4}[|=~+-](?:\s|$)|\s{0,8}\d{0,9}\s{0,4}(?:\||=|:::|\.\.\.)|\.{3}|\s{2}|\d{1,9}\s"
)
_LABEL = re.compile(r"\s{0,8}\|[\s|_]{0,400}\^{1,400}(?:[\s-]{0,200})(?P<label>[^\s^|_-].*)$")
_CHILD = re.compile(r"(?:\s{1,10}= )?(?P<kind>note|help): (?P<message>\S.*)$")
_LINT = re.compile(r"`(?:#!?\[(?:warn|deny|forbid)\((?P<on>[\w:]{1,80})\)\]|-[DWF] (?P<flag>[\w:-]{1,80}))`")
_PAGE = re.compile(r"rust-clippy/[\w.-]{1,40}/(?:index\.html)?#/?(?P<name>\w{1,80})")
_SIDES = re.compile(r"expected (?P<want>.{1,200}?), found (?P<got>.{1,200})$")
_CONSEQUENCE = re.compile(
    r"could not compile|aborting due to|build failed|\d+ warnings? emitted"
    r"|`?[\w./ ()\"-]{0,200}`? \([^)]{1,60}\) generated \d+"
    r"|(?:test|doctest|bench) failed, to rerun|\d+ targets? failed|process didn't exit successfully|test run failed"
    r"|some (?:crates|errors)|\d+ (?:previous )?(?:errors?|vulnerabilit)|The following warnings were emitted"
)
_PLACELESS = re.compile(  # only messages that no other tool prints: many begin a line with `error: `
    r"failed to (?:select a version|get `|parse (?:manifest|lock)|load (?:manifest|source)|download|run custom build"
    r"|read `|resolve"
    r"|fetch|query replaced|verify the checksum|determine package|acquire package|compile `|publish|find tool)"
    r"|no matching package|linking with `|could not find `?(?:Cargo\.toml|native static|`)|no such (?:sub)?command: `"
    r"|couldn't read `?\S{1,200}\.rs|package (?:`|ID )|(?:the lock|lock) file |cannot (?:create|update) the lock file"
    r"|the (?:package|option) `"
    r"|virtual manifest|checksum (?:for|of) `|no (?:bin|lib|library|test|example|bench) target|manifest path `"
    r"|current package believes"
    r"|toolchain '|component '|rustup |rustc [\d.]+|internal compiler error|cyclic package|two packages named|Package `"
    r"|Undefined Behavior:|memory leaked:|unsupported operation:|can't find crate|the crate `|multiple (?:packages"
    r"|workspace)"
)
_CARGO = re.compile(r"`[^`]{0,300}?(?P<file>[\w./\\:-]{0,300}(?:Cargo\.toml|Cargo\.lock|rust-toolchain(?:\.toml)?))`")
_ADVICE = re.compile(r"https?://|to override `|the (?:following|trait) |for more information")
_LINKED = re.compile(r"undefined|cannot find|error|multiple definition|not found|ld returned")
_COMMAND_LINE = re.compile(r'\s{0,12}(?:\||= note:\s{1,3}"|= note: some arguments|= note: use the `)')
_BEFORE_ARROW, _BLOCK, _NOTES = 12, 240, 30
_SYNTAX = re.compile(
    r"expected .{1,200}found|unclosed|mismatched closing|unexpected (?:token|closing)|unterminated|unknown start"
)


@dataclass(slots=True)
class _Open:
    """An error that is being read; until an arrow follows it may be another tool's."""

    head: re.Match[str]
    first: int
    last: int
    arrow: re.Match[str] | None = None
    more: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class _Reader:
    """Reads errors; each lasts from the headline to the blank line after its code frame."""

    def __init__(self, _paths: Paths) -> None:
        self._open: _Open | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._open is not None and self._continues(self._open, line):
            return ()
        done = self.close()
        if head := _HEAD.match(text):
            if not _CONSEQUENCE.match(head["message"]):
                self._open = _Open(head, line.number, line.number, lines=[text])
        elif ".rs:" in text and (match := _SHORT.match(text)):
            return (*done, _short(match, line))
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None:
            return ()
        if done.arrow is not None:
            return (_pictured(done),)
        finding = _placeless(done)
        return (finding,) if finding else ()

    def _continues(self, open_: _Open, line: Line) -> bool:
        text = line.text
        if _HEAD.match(text) or len(open_.lines) >= _BLOCK:
            return False
        if open_.arrow is None:
            return self._heading(open_, line)
        if not text.strip() or not (_GUTTER.match(text) or _CHILD.match(text) or text[:1] == " "):
            return False
        open_.lines.append(text)
        open_.last = line.number
        return True

    def _heading(self, open_: _Open, line: Line) -> bool:
        """Reads a line before the arrow, where the message may continue; without an arrow these are cargo's causes and
        notes. Returns whether the line belongs to the error."""
        text = line.text
        if arrow := _ARROW.match(text):
            open_.arrow = arrow
        elif len(open_.more) >= (_BLOCK if text[:1] == " " else _BEFORE_ARROW) or _ends(text):
            return False
        else:
            open_.more.append(text)
        open_.lines.append(text)
        open_.last = line.number if text.strip() else open_.last
        return True


def _ends(text: str) -> bool:
    plain = text.strip()
    return plain.startswith(("Compiling ", "Checking ", "Finished ", "warning: build failed", "##[", "make: "))


def _short(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="rustc",
        code=match["code"],
        category=_category(match["code"], match["message"], match["level"]),
        severity=Severity(match["level"]),
        message=match["message"],
        file=match["file"],
        line=number(match["line"]),
        column=number(match["column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if match["level"] == "error" else 0.2,
    )


def _pictured(done: _Open) -> Finding:
    head, arrow = done.head, done.arrow
    assert arrow is not None
    code = head["code"] or _lint(done.lines)
    message = "\n".join([head["message"], *(more.strip() for more in done.more if more.strip())])
    label = next((match["label"] for text in done.lines if (match := _LABEL.match(text))), "")
    sides = _SIDES.match(label) if head["code"] in ("E0308", "E0271") else None
    return Finding(
        tool="clippy" if (code or "").startswith("clippy::") else "rustc",
        code=code,
        category=_category(code, head["message"], head["level"]),
        severity=Severity(head["level"]),
        message=message,
        file=arrow["file"],
        line=number(arrow["line"]),
        column=number(arrow["column"]),
        related=_notes(done.lines, label, arrow),
        suggestion=_suggestion(done.lines, label),
        expected=sides["want"].strip("`") if sides else None,
        actual=sides["got"].strip("`") if sides else None,
        log_line=done.first,
        span=(done.first, done.last),
        excerpt="\n".join(done.lines),
        score=1.0 if head["level"] == "error" else 0.2,
    )


def _placeless(done: _Open) -> Finding | None:
    head = done.head
    if head["level"] != "error" or not (head["code"] or _PLACELESS.match(head["message"])):
        return None
    if any(text.lstrip().startswith("--> ") for text in done.more):
        return None  # an arrow to a file that isn't Rust: other compilers print such arrows too
    file = _CARGO.search("\n".join(done.lines))
    more = [text.strip() for text in done.more if text.strip() and not _COMMAND_LINE.match(text)]
    if "linking" in head["message"]:
        more = [text.removeprefix("= note: ") for text in more if _LINKED.search(text)]
    return Finding(
        tool="cargo",
        code=head["code"],
        category=Category.COMPILE if "linking" in head["message"] or head["code"] else Category.DEPENDENCY,
        message="\n".join([head["message"], *more[:20]]),
        file=file["file"] if file else None,
        log_line=done.first,
        span=(done.first, done.last) if done.last > done.first else None,
        excerpt="\n".join(done.lines),
        score=0.8,
    )


def _lint(lines: list[str]) -> str | None:
    lint = next((match for text in lines if (match := _LINT.search(text))), None)
    page = next((match for text in lines if (match := _PAGE.search(text))), None)
    if page:
        return f"clippy::{page['name']}"
    return (lint["on"] or lint["flag"].replace("-", "_")) if lint else None


def _notes(lines: list[str], label: str, arrow: re.Match[str]) -> tuple[Related, ...]:
    notes = [Related(file=arrow["file"], line=number(arrow["line"]), message=label)] if label else []
    waiting = ""
    for text in lines[1:]:
        if child := _CHILD.match(text):
            if waiting:
                notes.append(Related(message=waiting))
            waiting = child["message"]
        elif waiting and (spot := _ARROW.match(text)):
            notes.append(Related(file=spot["file"], line=number(spot["line"]), message=waiting))
            waiting = ""
    if waiting:
        notes.append(Related(message=waiting))
    return tuple(notes[:_NOTES])


def _suggestion(lines: list[str], label: str) -> str | None:
    """The first `help:` block with its code, else a `help:` label, else an inline one."""
    for index, text in enumerate(lines):
        if text.startswith("help: "):
            block = [text]
            for more in lines[index + 1 :]:
                if not _GUTTER.match(more) or _CHILD.match(more):
                    break
                block.append(more)
            return "\n".join(block).removeprefix("help: ")
    inline = next((t.partition("= help: ")[2] for t in lines if "= help: " in t and not _ADVICE.search(t)), "")
    return label.removeprefix("help: ") if label.startswith("help: ") else inline or None


def _category(code: str | None, message: str, level: str) -> Category:
    if code in ("E0432", "E0433", "E0463", "E0583"):
        return Category.IMPORT
    if code in ("E0308", "E0277", "E0271"):
        return Category.TYPE
    if not code and _SYNTAX.match(message):
        return Category.SYNTAX
    lint = level == "warning" or (code is not None and not re.fullmatch(r"E\d{4}", code))
    return Category.LINT if lint else Category.COMPILE


FORMAT = Format("rustc", ("error: ", "error[", "warning: ", "warning["), _Reader)
