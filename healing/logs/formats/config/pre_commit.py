"""pre-commit: a hook that modified files, with the files; any other failed hook only if there is no other error."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.shapes import RowPair, shaped
from healing.model import Category

_HOOK = re.compile(r"- hook id: (?P<hook>\S{1,200})$")
_FIXED = re.compile(r"- files were modified by this hook$")
_FILE = re.compile(r"(?i:fixing|rewriting|sorting|fixed|reformatted|formatting) (?P<file>[^\s:'\"]{1,300}\.?\w{1,20})$")
_NEXT = re.compile(r".{1,200}\.{3,200}(?:\(.{1,60}\))?(?:Passed|Failed|Skipped)$")
_LINES = 400


class _Reader:
    """Reads hooks; busy from one that modified files to the next hook."""

    def __init__(self, _paths: Paths) -> None:
        self._hook: Line | None = None
        self._fixed = False
        self._files: list[tuple[str, Line]] = []
        self._seen = 0

    @property
    def busy(self) -> bool:
        return self._hook is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if _HOOK.match(line.text):
            done = self.close()
            self._hook, self._seen = line, 0
            return done
        if self._hook is None:
            return ()
        self._seen += 1
        self._fixed = self._fixed or _FIXED.match(line.text) is not None
        if match := _FILE.match(line.text.strip()):
            self._files.append((match["file"], line))
        if self._seen > _LINES or _NEXT.match(line.text):
            return self.close()
        return ()

    def close(self) -> Iterable[Finding]:
        hook, fixed, files = self._hook, self._fixed, self._files
        self._hook, self._fixed, self._files = None, False, []
        if hook is None or not fixed:
            return ()
        if not files:
            return (_finding(hook.text.removeprefix("- hook id: ").strip(), None, hook),)
        return tuple(_finding(hook.text.removeprefix("- hook id: ").strip(), file, line) for file, line in files)


def _finding(hook: str, file: str | None, line: Line) -> Finding:
    return Finding(
        tool="pre-commit",
        code=hook,
        category=Category.FORMAT,
        message=f"{hook}: files were modified by this hook",
        file=file,
        log_line=line.number,
        excerpt=line.text,
    )


FORMATS = (
    Format("pre-commit", ("- hook id: ",), _Reader, before=0),
    shaped(
        "pre-commit-failed",
        ("Failed\n",),
        RowPair(  # the ids of hooks that passed are printed too with --verbose
            tool="pre-commit",
            category=Category.LINT,
            score=0.4,
            first=re.compile(r".{1,300}\.{3,200}(?:\(.{1,60}\))?Failed$"),
            between=(re.compile(r"- hook id: (?P<message>(?P<code>\S{1,200}))$"),),
            then=re.compile(
                r"(?P<file>[^\s:][^:\n]{0,300}\.\w{1,15}):(?P<line>\d{1,7}):(?P<message>.{0,600}\S.{0,600})$"
            ),
            stop=_NEXT,
            reach=_LINES,
            many=True,
            alone=True,
        ),
        rank=-1,
    ),
)
