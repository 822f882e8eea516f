"""Rule: flags code that demands or reports less than before, for a person to judge.

A check, a lock, a table's constraint or a warning: a test that fails because of one turns green when it is removed, in
every language and inside SQL.
"""

from collections import Counter
from collections.abc import Iterator

from healing.patterns import LazyPattern
from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.text import any_of, is_prose, plain

RULE = "duties"
DUTIES: LazyPattern = any_of(
    r"\b(?:raise|throw)\b|\bpanic!?\(|\breturn (?:fmt\.Errorf|errors\.New)\b|\bErr\(|\bbail!\(|\bensure!\(",
    r"\bNOT NULL\b|\bUNIQUE\b|\bCHECK ?\(|\bFOREIGN KEY\b|\bREFERENCES\b",
    r"\b(?:R?Lock|Mutex|RWLock|Semaphore|synchronized)\b|\.(?:acquire|lock)\(",
    r"\bwarnings\.warn\b|\bwarn\(|\b(?:log|logger|logging|console)\.(?:error|critical|warning|warn|exception)\(",
    r"\bfullmatch\(|\bcompare_digest\(|\btimingSafeEqual\(|\bverify\(|\bvalidate\w{0,20}\(",
)
SOFTER: LazyPattern = any_of(
    r"\bnullcontext\b|\bINSERT OR (?:IGNORE|REPLACE)\b|\bON CONFLICT DO NOTHING\b|\bresetwarnings\b|\bshowwarning\b",
    r"\bcompare=False\b|\beq=False\b|\brepr=False\b",
)
SHOWN = 80  # characters


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file with fewer such checks, or with more that weakens them. What moved between the files of the
    change doesn't count."""
    files = [f for f in patch.files if not (is_test_file(f.path) or is_test_data(f.path) or is_prose(f.path))]
    fewer = {file.path: _gain(file, DUTIES) for file in files}
    total = sum(fewer.values())
    for file in files:
        lost = "" if total >= 0 or fewer[file.path] >= 0 or patch.by_tool else _words(file)
        softened = sorted(_count(file.new, SOFTER) - _count(file.old, SOFTER))
        if lost or softened:
            yield GuardFinding(
                RULE, file.path, f"demands or reports less than before ({lost or ', '.join(softened)[:SHOWN]})", True
            )


def _gain(file: File, words: LazyPattern) -> int:
    return _count(file.new, words).total() - _count(file.old, words).total()


def _words(file: File) -> str:
    return ", ".join(sorted(_count(file.old, DUTIES) - _count(file.new, DUTIES)))[:SHOWN]


def _count(data: bytes | None, words: LazyPattern) -> Counter[str]:
    return Counter(match.group().strip()[:40] for match in words.finditer(plain(data or b"")))
