"""What flake8, Pyflakes and Pylint find and Ruff can repair, where the repository has no Ruff of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from healing.edits.exact import EditSpan, splice
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.own_ruff import violations
from healing.repair.fixers.suggested.offsets import Offsets
from healing.repair.fixers.suggested.ruff import of_violation
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE

TOOLS = ("flake8", "pycodestyle", "pyflakes", "pylint", "pydocstyle")
# Plug-ins of flake8 that word their messages as Ruff does are read as Ruff, which repairs its own by itself.
RUFFS = ("ruff", "ruff-check")
SETTINGS = (".flake8", "setup.cfg", "tox.ini", "pyproject.toml", ".pre-commit-config.yaml", "Makefile", "noxfile.py")
# The rules of flake8 and its plug-ins that Ruff has under the same name. Unused imports are a rule of their own.
SAME = re.compile(
    r"(?!F401)[EFW]\d{3}|B\d{3}|C4\d\d|SIM\d{3}|PT\d{3}|RET\d{3}|RSE\d{3}|PIE\d{3}|UP\d{3}|D\d{3}|Q\d{3}|COM\d{3}"
)
OTHERS = {  # of Pylint, and of flake8-import-order
    "I100": "I001",
    "I101": "I001",
    "I201": "I001",
    "I202": "I001",
    "C0121": "E711,E712",
    "C0303": "W291,W293",
    "C0304": "W292",
    "C0305": "W391",
    "C0410": "E401",
    "R0205": "UP004",
    "R1705": "RET505",
    "R1714": "PLR1714",
    "R1720": "RET506",
    "R1725": "UP008",
    "W0107": "PIE790",
    "W0612": "F841",
    "W1309": "F541",
    "W1401": "W605",
}
BARE = re.compile(rb"(?<![\w.])except[ \t]*:")
BARE_EXCEPT = ("E722", "W0702")


@dataclass(frozen=True)
class Linted:
    """What Ruff calls safe comes first; what it calls unsafe is marked, and so is `except Exception:` for `except:`."""

    name: str = "linted"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        tools = (*TOOLS, *RUFFS) if _has_flake8(repo) else TOOLS
        if case.errors and all(e.tool in tools and e.file and e.line and e.code for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        codes = {error.code or "" for error in case.errors}
        rules = [OTHERS.get(code, code) for code in sorted(codes) if code in OTHERS or SAME.fullmatch(code)]
        title, why = (
            f"Repair {', '.join(sorted(codes))[:60]}",
            "As Ruff repairs the same rule, at the lines that are named.",
        )
        for least in (SURE, LIKELY) if rules else ():
            changes = {file: _repaired(data, rules, lines, least) for file, data, lines in _files(case)}
            mark = f"Ruff calls this repair of {rules[0]} unsafe" if least < SURE else ""
            yield self._marked(case, changes, title, why, mark)
        if codes <= set(BARE_EXCEPT):
            changes = {file: _bare(data, lines) for file, data, lines in _files(case)}
            why = "`except:` also catches what ends the program, such as Ctrl-C; this does no longer."
            yield self._marked(case, changes, title, why, "catches less than before: no longer what ends the program")

    def _marked(self, case: Case, new: dict[str, bytes], title: str, why: str, mark: str) -> Candidate | None:
        changes = {file: new[file] for file, data, _ in _files(case) if new[file] != data}
        candidate = case.candidate(self, changes, title, why, with_tests=True)
        return candidate.model_copy(update={"flags": (mark,)}) if candidate and mark else candidate


def _has_flake8(repo: Repo) -> bool:
    texts = [repo.view.read(path) or b"" for path in SETTINGS]
    return any(b"flake8" in text for text in texts) and not any(b"ruff" in text for text in texts)


def _files(case: Case) -> Iterator[tuple[str, bytes, frozenset[int]]]:
    """Each file with its content and the lines that are named."""
    for file in sorted({error.file or "" for error in case.errors}):
        lines = frozenset(error.line for error in case.errors if error.file == file and error.line)
        yield file, case.repo.view.read(file) or b"", lines


def _repaired(data: bytes, rules: list[str], lines: frozenset[int], least: int) -> bytes:
    """The file with the fixes of the violations at these lines that are at least so certain."""
    spans: list[EditSpan] = []
    for violation in objects(violations(data, rules).decode("utf-8", "replace")):
        try:
            found = list(of_violation(violation, "", Offsets(data))) if lines & _lines(violation) else []
        except (KeyError, TypeError, ValueError):
            continue
        spans += [span for one in found if one.certainty >= least for span in one.replacements[""]]
    ordered = sorted(dict.fromkeys(spans), key=lambda span: (span.start, span.end))
    apart = all(left.end <= right.start for left, right in pairwise(ordered))
    return splice(data, ordered) if apart else data


def _lines(violation: dict[str, Any]) -> frozenset[int]:
    """The lines that a violation may be reported at: its first, or any of a block of imports."""
    first, last = violation["location"]["row"], violation["end_location"]["row"]
    return frozenset(range(first, last + 1 if violation["code"] == "I001" else first + 1))


def _bare(data: bytes, lines: frozenset[int]) -> bytes:
    rows = data.splitlines(keepends=True)
    repaired = (BARE.sub(b"except Exception:", row) if n in lines else row for n, row in enumerate(rows, 1))
    return b"".join(repaired)
