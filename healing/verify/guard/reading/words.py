"""Finds the same marks by words alone: for languages without a parser here, and for files that do not parse.

Coarser and stricter: an honest fix of a syntax error adds none of these words.
"""

import re
from collections.abc import Iterator

from healing.patterns import LazyPattern
from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.comments import in_words
from healing.verify.guard.reading.marks import (
    EXACT,
    PARTIAL,
    TRIVIAL,
    TRUTHY,
    Assertion,
    FileMarks,
    MarkedTest,
    MarkKind,
)
from healing.verify.guard.reading.text import any_of, is_prose

WORDS: dict[MarkKind, LazyPattern] = {
    MarkKind.SKIP: any_of(
        r"\b(?:skipif|skipIf|skipUnless|xfail|skipTest|importorskip|SkipTest|expectedFailure|collect_ignore)\b",
        r"\b(?:xit|xtest|xdescribe|fit|fdescribe|SkipNow|Skipf|retryTimes)\b|@(?:Disabled|Ignore)\b",
        r"\b(?:mark|pytest|unittest|it|test|describe|t|self)\.(?:skip|only|todo|Skip)\b",
        r"#\[\s{0,9}ignore\b|^//\s?(?:go:build|\+build)\b|\bpending\b[ \t]{0,9}(?:do|$)",
        flags=re.MULTILINE,
    ),
    MarkKind.SILENCER: any_of(
        r"#!?\[\s{0,9}(?:allow|expect|rustfmt::skip)\b|@SuppressWarnings|\bas any\b|@Suppress\b|@phpcs:ignore",
        r"#pragma warning disable|#pragma (?:GCC|clang) diagnostic ignored|\bNOLINT(?:NEXTLINE)?\b",
    ),
    MarkKind.SWALLOW: any_of(
        r"\bexcept\s{0,9}(?:(?:Base)?Exception\b[^:\n]{0,200})?:|\bsuppress\((?:Base)?Exception\b",
        r"\bcatch\s{0,9}(?:\([^()\n]{0,200}\))?\s{0,20}\{\s{0,99}\}",
        r"\bcatch\s{0,9}\((?:final )?(?:Throwable|Exception)\b",
        r"\.catch\(\(\w{0,20}\)\s{0,9}=>\s{0,9}\{\s{0,99}\}\)|\brecover\(\)|\bcatch_unwind\b",
        r"\brescue[ \t]{0,9}(?:=>[ \t]{0,9}\w{1,30}|Exception\b|StandardError\b)?[ \t]{0,9}(?:$|;)",
        flags=re.MULTILINE,
    ),
    MarkKind.EXIT: any_of(
        r"\b(?:_exit|abort)\s{0,9}\(",
        r"\b(?:sys\.|process\.|os\.|process::|System\.)?(?:exit|Exit|quit)\s{0,9}\(\s{0,9}0?\s{0,9}\)",
    ),
    MarkKind.EQUALITY: any_of(r"\bdef[ \t]{1,9}__(?:eq|ne|bool|hash|lt|le|gt|ge|contains)__\b"),
    MarkKind.DETECTION: any_of(
        r"\bPYTEST_CURRENT_TEST\b|\bGITHUB_ACTIONS\b|\bJEST_WORKER_ID\b|\btesting\.Testing\b",
        r"\bcfg!\(\s{0,9}(?:not\()?test\b|['\"]pytest['\"]\s{1,9}in\s{1,9}sys\.modules",
        r"NODE_ENV\W{0,5}={2,3}\W{0,3}test",
    ),
    MarkKind.PATCH: any_of(
        r"\b(?:time\.(?:time|monotonic|sleep)|random\.random|Date\.now|Math\.random)\s{0,9}=(?!=)",
        r"\bprocess\.env\.\w{1,60}\s{0,9}=(?!=)|\b(?:os\.environ|sys\.modules)\[[^\]\n]{1,80}\]\s{0,9}=(?!=)",
        r"\brandom\.seed\(|\bos\.Setenv\(|\bset_var\(",
    ),
    MarkKind.HOOK: any_of(r"\bdef[ \t]{1,9}pytest_\w{1,60}|\bautouse\s{0,9}=\s{0,9}True|\bfunc TestMain\b"),
    MarkKind.SLEEP: any_of(
        r"\b(?:time|asyncio|thread)(?:\.|::)[sS]leep\s{0,9}\((?!\s{0,9}0\s{0,9}\))|\bThread\.sleep\("
    ),
    MarkKind.REACH: any_of(
        r"\b(?:import|from)[ \t]{1,9}(?:requests|subprocess|socket|urllib|httpx|ctypes)\b|\bos\.(?:system|popen)\(",
        r"['\"](?:node:)?(?:child_process|os/exec|net/http)['\"]|\b(?:eval|exec)\(",
    ),
}
# PHP's operator that drops the errors of a call or of an index, at the start of an expression: tags of comments
# (` * @param`) follow other signs.
PHP_QUIET = re.compile(
    r"(?:^|[=(;,!&|?:{]|\breturn\b|\becho\b)[ \t]{0,80}@"
    r"(?=[$\\a-zA-Z_][\w\\]{0,100}(?:(?:->|::)\w{1,100}){0,5}[ \t]{0,9}[(\[])",
    re.MULTILINE,
)
TEMPLATE = ".blade.php"  # its lines begin with directives like `@if (…)`
TESTS = any_of(
    r"^[ \t]{0,99}(?:async[ \t]{1,9})?def[ \t]{1,9}(test\w{0,200})",
    r"^func[ \t]{1,9}((?:Test|Fuzz|Example)\w{0,200})",
    r"^[ \t]{0,99}(?:it|test|specify)(?:\.\w{1,20}){0,2}\([ \t]{0,9}(['\"`][^'\"`\n]{0,200})",
    r"^[ \t]{0,99}(?:it|test|scenario)[ \t]{1,9}(['\"][^'\"\n]{0,200})",
    r"#\[(?:\w{1,30}::)?test\]|@Test\b",
    flags=re.MULTILINE,
)
ASSERTS = any_of(
    r"\bassert\w{0,30}[ \t!(.]",
    r"\bexpect[ \t]?\(",
    r"\b(?:raises|warns)\(",
    r"\bt\.(?:Error|Fatal|Fail)\w{0,5}\(",
    r"\brequire\.[A-Z]",
    r"\bshould\b",
)
TRIVIALLY = re.compile(r"\bassert!?[ \t(]{1,3}(?:True|true|1)\b|\bor True\b|\|\| true\b|expect\(true\)")


def read(path: str, text: str) -> FileMarks:
    """The marks, tests and assertions of a text, line by line."""
    reading = FileMarks(comparable=False)
    if is_prose(path):
        return reading
    reading.add(in_words(text))
    if path.endswith(".php") and not path.endswith(TEMPLATE):
        reading.add((MarkKind.SILENCER, "@") for _ in PHP_QUIET.finditer(text))
    for kind, words in WORDS.items():
        reading.add((kind, "in words") for _ in words.finditer(text))
    if is_test_file(path):
        reading.tests = list(_tests(text))
        reading.loose = tuple(_assertions(text))
    return reading


def _tests(text: str) -> Iterator[MarkedTest]:
    for number, match in enumerate(TESTS.finditer(text)):
        name = next((group for group in match.groups() if group), f"test {number}")
        yield MarkedTest(name, name)


def _assertions(text: str) -> Iterator[Assertion]:
    for line in text.split("\n"):
        if len(line) < 4000 and ASSERTS.search(line) and not line.lstrip().startswith(("#", "//")):
            yield Assertion(line.strip(), "words", _strength(line))


def _strength(line: str) -> int:
    if TRIVIALLY.search(line):
        return TRIVIAL
    if re.search(r"==|[eE]qual|_eq!|\.toBe\(|!=|\beq\b", line):
        return EXACT
    return PARTIAL if re.search(r"[<>]|[cC]ontain|\bin\b|[mM]atch|raises|Throw", line) else TRUTHY
