"""npm, pnpm and Yarn: packages that could not be resolved, fetched, found or locked."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from healing.logs.format import Finding, Format, line_format
from healing.logs.formats.javascript._npm_details import details
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_ROW = re.compile(r"npm (?:ERR!|error)(?: (?P<text>.*))?$")
_CODE = re.compile(r"code (?P<code>\w{1,40})$")
_FILLER = re.compile(
    r"(?:code|errno|syscall|path|cwd|command|signal|dest|node_modules|A complete log"
    r"|\S*/_logs/|For a full report|See |Fix the upstream"
    r"|this command with|to accept an incorrect|Log files|network |If you are behind"
    r"|'?proxy'? config|enoent This is related|enoent\s*$)\b"
)
_SCRIPT_FAILED = re.compile(
    r"(?:Lifecycle script .* failed|command failed|.*Exit status \d|.*: `.*`$|Failed at the "
    r"|This is probably not a problem|.* script\.?$"
    r"|Test failed\.\s+See above|in workspace:|at location:|workspace |location )"
)
_ROWS_OF_THEIR_OWN = ("  ", "404", "notsup ", "engine ")  # not the rest of a sentence that npm has wrapped
_FAILED_CODES = ("ELIFECYCLE", "1")
_KEPT = 60
_CODES = {
    "ERESOLVE": Category.DEPENDENCY,
    "EJSONPARSE": Category.SYNTAX,
    "EUSAGE": Category.CONFIG,
    "ENOENT": Category.CONFIG,
    "EBADENGINE": Category.CONFIG,
    "EBADPLATFORM": Category.CONFIG,
    "EACCES": Category.INFRASTRUCTURE,
    "ENOSPC": Category.INFRASTRUCTURE,
    "ECONNRESET": Category.INFRASTRUCTURE,
    "ETIMEDOUT": Category.INFRASTRUCTURE,
    "ENOTFOUND": Category.INFRASTRUCTURE,
    "EAI_AGAIN": Category.INFRASTRUCTURE,
    "ENOTCACHED": Category.INFRASTRUCTURE,
    "ECONNREFUSED": Category.INFRASTRUCTURE,
    "ENETUNREACH": Category.INFRASTRUCTURE,
    "EHOSTUNREACH": Category.INFRASTRUCTURE,
    "ERR_SOCKET_TIMEOUT": Category.INFRASTRUCTURE,
}
_UNLOCKED = "package.json and package-lock.json are not in sync"
# Words that npm puts before every row of an error, beside its code.
_PREFIX = re.compile(r"(?:notsup|notarget|engine|404|network|enoent) (?=\S)")


class _Npm:
    """Collects the rows of one error; the first meaningful one is its message."""

    def __init__(self, _paths: Paths) -> None:
        self._lines: list[tuple[int, str]] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        match = _ROW.match(line.text)
        if match is None:
            return self.close()
        if len(self._lines) < _KEPT:
            self._lines.append((line.number, (match["text"] or "").rstrip()))
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        code = next((m["code"] for _, text in lines if (m := _CODE.match(text))), None)
        sentences = [(at, text) for at, text in lines if text.strip() and not _FILLER.match(text)]
        if not sentences or code in _FAILED_CODES or _SCRIPT_FAILED.match(sentences[0][1]):
            return ()
        at, message = sentences[0][0], _sentence(sentences)
        more = details(code, [text for _, text in lines])
        return (
            Finding(
                tool="npm",
                code=code,
                category=_CODES.get(code or "", Category.CONFIG if "script" in message else Category.DEPENDENCY),
                message=_message(code, message, more),
                file=_file(code, message, more),
                log_line=at,
                span=(lines[0][0], lines[-1][0]),
                suggestion=_suggestion(message),
                excerpt="\n".join(f"npm error {text}" for _, text in lines),
            ),
        )


def _sentence(sentences: list[tuple[int, str]]) -> str:
    """The first sentence, joined from npm's wrapped rows; a blank row ends it."""
    (at, words), *rest = sentences
    words = words.strip()
    for next_at, text in rest[:2]:
        at += 1
        if next_at != at or words.endswith((".", ":", ")", '"')) or text.startswith(_ROWS_OF_THEIR_OWN):
            break
        words = f"{words} {text.strip()}"
    return words


def _message(code: str | None, sentence: str, more: tuple[str, ...]) -> str:
    """The sentence without npm's prefixes, and what it is about: packages and versions that lower rows name."""
    if code and sentence.startswith(f"{code} "):
        sentence = sentence.removeprefix(f"{code} ")
    sentence = _PREFIX.sub("", sentence).strip()
    if not more:
        return sentence
    if code == "EUSAGE":
        return f"{_UNLOCKED}: {'; '.join(more)}"
    if code in ("EBADENGINE", "EBADPLATFORM"):
        return "; ".join(more)
    return f"{sentence.rstrip('.:')}: {'; '.join(more)}"


def _file(code: str | None, message: str, more: tuple[str, ...]) -> str | None:
    """The file that the error names, or whose lines it is about; npm prints no line of it."""
    if code == "EJSONPARSE" or "Missing script" in message:
        return "package.json"
    if code == "EUSAGE" and more:
        return "package-lock.json"
    from_root = any(words.endswith("from the root project") for words in more)
    return "package.json" if code == "ERESOLVE" and from_root else None


def _suggestion(message: str) -> str | None:
    return "Run npm install and commit package-lock.json." if "package-lock.json" in message else None


_PNPM = re.compile(
    r"\s{0,2}(?:\[(?P<boxed>ERR_PNPM_\w{1,60})\]|(?P<code>ERR_PNPM_(?!OUTDATED_LOCKFILE)\w{1,60}))\s{1,3}(?P<message>\S.*)$"
)
_BERRY = re.compile(
    r"(?:➤ )?(?P<code>YN0(?:001|009|016|018|022|027|028|035|041|048|050|071|078|080|081|082"
    r"|083)): (?:[│└┌] )?(?:\S{1,80}: )?(?P<message>\S.*)$"
)
_USAGE = re.compile(r"(?P<code>Usage Error|Internal Error): (?P<message>.*)$")
_YARN = re.compile(
    r"error (?P<code>)(?P<message>(?:Couldn't find (?:package|any versions|a package|match)"
    r"|Your lockfile needs|Command \"[^\"]{1,100}\" not found"
    r"|An unexpected error occurred|Found incompatible module|\S{1,120}: The (?:engine"
    r"|platform)|Incorrect integrity|Received (?:invalid|malformed)"
    r"|No lockfile|Integrity check|https?://\S{1,300}: |Package \"[^\"]{1,100}\" refers"
    r"|Outdated lockfile|Extracting tar content).*)$"
)


def _manager(groups: Mapping[str, Any], line: Line) -> Finding | None:
    code = groups["code"] or groups.get("boxed") or None
    if code == "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL":
        return None
    script = "script" in groups["message"] or 'Command "' in groups["message"]
    return Finding(
        tool="pnpm" if code and code.startswith("ERR_PNPM") else "yarn",
        code=code,
        category=Category.CONFIG if script else Category.DEPENDENCY,
        message=groups["message"],
        log_line=line.number,
        excerpt=line.text,
    )


FORMATS = (
    Format("npm", ("npm ERR!", "npm error"), _Npm, before=0),
    line_format(
        "yarn",
        (
            *("ERR_PNPM_", "YN0", "Usage Error: ", "Internal Error: ", ": The engine", ": The platform"),
            *("error Couldn't", "error Your lockfile", "error Command ", "error An unexpected", "error Found"),
            *(
                "error Inc",
                "error Rec",
                "error http",
                "error No ",
                "error Package ",
                "error Outdated",
                "error Extracting",
            ),
        ),
        (_PNPM, _manager),
        (_BERRY, _manager),
        (_USAGE, _manager),
        (_YARN, _manager),
    ),
)
