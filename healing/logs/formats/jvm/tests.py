"""Failed tests of the JVM: Surefire and Failsafe (Maven), Gradle, JUnit's console and text runner, TestNG, plain
ant."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format, number
from healing.logs.formats.jvm._stacks import blame, category, comparison, in_stack, parse_exception
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_MAVEN = r"(?:(?:\S{1,16}\s{1,2})?\[ERROR\]\s{1,3})?"
_CLASS = re.compile(
    r".{0,30}Tests run: *\d{1,9}, Failures: *\d{1,9}, Errors: *\d{1,9}.{0,120}<<< (?:FAILURE"
    r"|ERROR)!(?: --? in (?P<name>[\w.$]{1,300}))?"
)
_SUREFIRE = re.compile(
    rf"{_MAVEN}(?P<name>\S.{{0,600}}?)\s{{1,3}}"
    rf"(?:--\s)?Time elapsed: [\d.,]{{1,12}} s(?:ec)?\s{{1,3}}<<< (?:FAILURE|ERROR)!$"
)
_GRADLE = re.compile(r"(?P<name>[A-Za-z_$][\w.$-]{0,300}(?: > [^>\n]{1,400}){1,6}?)(?:\(\))? FAILED$")
_CONSOLE = re.compile(r"\s{2,8}(?P<name>[\w ]{3,40}:\S.{0,600})$")
_NUMBERED = re.compile(r"\d{1,6}\) (?P<name>[^()\n]{1,300}\([\w.$]{2,300}\)|[\w.$]{3,300})$")
_TESTNG = re.compile(
    r"(?:\[testng\] )?FAILED"
    r"(?: CONFIGURATION)?: (?P<name>(?:@\w{1,30} )?[\w.$]{1,300}(?:\(.{0,400}\))?)$"
)
_TESTCASE = re.compile(
    r"\s{0,4}\[junit\] Testcase: (?P<name>\S{1,300}?)(?:\((?P<owner>[\w.$]{1,300})\))?:?(?: took .{1,30}"
    r"|\s{1,4}(?:FAILED|Caused an ERROR))$"
)
_SUMMARY = re.compile(
    r"(?:\[ERROR\]|\[INFO\])?\s{1,6}(?P<name>(?:[\w$]{1,200}"
    r"|[\w.$]{1,300})(?:>[\w$]{1,200})?\.[\w$ \[\]{},=:-]{1,200}?)"
    r"(?:\([\w.$]{1,300}\))?:(?P<line>\d{1,9})(?:->[\w$.]{1,200}:\d{1,9}){0,40}(?:->[\w$.]{1,200}){0,4}(?: » "
    r"| )(?P<message>\S.*)$"
)
_OF_SUMMARY = re.compile(r"(?:\[ERROR\] |\[INFO\] )?(?:Failures|Errors|Tests in error|Failed tests|Flakes|Skipped): ?")
_END = re.compile(
    r"(?:\[(?:INFO|ERROR|WARNING)\] (?!at )(?!\s)|\[(?:INFO|ERROR|WARNING)\]\s*$|> Task |\d{1,9} tests? completed"
    r"|BUILD |FAILURE: |Tests run:|=====|Test run finished"
    r"|Results ?:|[\w.$]{1,300}(?: > .{1,400}){1,6} (?:PASSED|SKIPPED|STANDARD_OUT|STANDARD_ERR)$"
    r"|Finished generating|PASSED: |SKIPPED: |Thanks for using)"
)
_BUILDER = re.compile(r"\s{0,4}\[(?:junit|testng)\] ?")
_AT_PLACE = re.compile(
    r"(?P<error>\s{0,20}(?:Caused by: )?[\w.$]{3,200}) at (?P<place>[\w$-]{1,200}\.(?:java|kt|scala|groovy):\d{1,9})$"
)
_NO_AT = re.compile(r"\s{4,12}[\w.$/@<>-]{3,400}\([\w$-]{1,200}\.(?:java|kt|scala|groovy):\d{1,9}\)$")
_BLANKS = 2
_WORDS = re.compile(r"\s{2,12}(?:MethodSource|ClassSource|=>) ?")
_MESSAGE_END = re.compile(r"\s{0,8}(?:Comparison Failure|Condition not satisfied)")


class _Reader:
    """Reads the test's heading, then the exception and its stack; Maven's summary at the end repeats them."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._block: FailedTestOutput | None = None
        self._owner = ""
        self._blank = 0
        self._state = ""  # "", summary, numbered, console
        self._reported: dict[str, int] = {}

    @property
    def busy(self) -> bool:
        return self._block is not None or self._state != ""

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if len(text) > 8000:
            return ()
        if match := _CLASS.match(text):
            done = self.close()
            self._owner = match["name"] or self._owner
            return done
        if name := self._named(text):
            done = self._finish()
            self._block, self._blank = FailedTestOutput(name, line.number), 0
            return done
        if self._block is None:
            return self._idle(line)
        return self._inside(self._block, line)

    def close(self) -> Iterable[Finding]:
        self._state = ""
        return self._finish()

    def _named(self, text: str) -> str | None:
        if "<<< " in text and (match := _SUREFIRE.match(text)):
            return _full(match["name"], self._owner)
        if " FAILED" in text and (match := _GRADLE.match(text)):
            return match["name"]
        if text.startswith(("FAILED", "[testng]")) and (match := _TESTNG.match(text)):
            return match["name"]
        if "Testcase: " in text and (match := _TESTCASE.match(text)):
            return f"{match['owner']}.{match['name']}" if match["owner"] else match["name"]
        if self._state == "numbered" and (match := _NUMBERED.match(text)):
            return _full(match["name"], "")
        if self._state == "console" and (match := _CONSOLE.match(text)) and "Source [" not in text:
            return ".".join(part for part in match["name"].split(":")[1:] if part)
        return None

    def _idle(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if re.match(r"There (?:was|were) \d{1,6} (?:failure|error)s?:$", text):
            self._state = "numbered"
        elif re.match(r"(?:Test run )?[Ff]ailures \(\d{1,6}\):$", text):
            self._state = "console"
        elif _OF_SUMMARY.match(text):
            self._state = "" if "Flakes" in text or "Skipped" in text else "summary"
        elif self._state == "summary":
            return self._summed(line)
        elif text.strip() and not text.startswith(" ") and self._state:
            self._state = ""
        return ()

    def _summed(self, line: Line) -> Iterable[Finding]:
        if re.match(r"(?:\[ERROR\] )?Tests run:", line.text):
            self._state = ""
            return ()
        match = _SUMMARY.match(line.text)
        if match is None or not {_method(match["name"]), _short(match["name"])}.isdisjoint(self._reported):
            return (_repeated(line),) if line.text.strip() else ()
        owner = match["name"].rpartition(".")[0].partition(">")[0]
        self._reported[_short(match["name"])] = line.number
        expected, actual = comparison(match["message"])
        return (
            Finding(
                tool="junit",
                category=Category.TEST,
                message=match["message"],
                file=f"{owner.replace('.', '/').partition('$')[0]}.java",
                line=number(match["line"]),
                log_line=line.number,
                test=match["name"],
                expected=expected,
                actual=actual,
                excerpt=line.text,
            ),
        )

    def _inside(self, block: FailedTestOutput, line: Line) -> Iterable[Finding]:
        text = line.text
        self._blank = 0 if text.strip() else self._blank + 1
        stacked = any(in_stack(t) for t in block.lines[-3:])
        if _END.match(text) or _OF_SUMMARY.match(text) or self._blank > _BLANKS or (stacked and not text.strip()):
            done = self._finish()
            return (*done, *self._idle(line)) if _OF_SUMMARY.match(text) else done
        block.add(line)
        return ()

    def _finish(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None:
            return ()
        failure = _failure(block, self._paths)
        if failure is None:
            return ()
        if len(self._reported) < 5_000:
            self._reported[_short(block.title)] = block.first
        return (failure,)


def _repeated(line: Line) -> Finding:
    """A finding without a message, for a line of the summary that repeats a block, so that no other format reports
    it."""
    return Finding(
        tool="junit", category=Category.TEST, message="", test=line.text.strip(), log_line=line.number,
        span=(line.number, line.number),
    )  # fmt: skip


def _method(name: str) -> str:
    return re.split(r"[\[({]", name, maxsplit=1)[0].rpartition(".")[2].rpartition(" > ")[2].strip()


def _short(name: str) -> str:
    """The test's class, without its package, and its method; only the method if the name has no class."""
    plain = re.split(r"[\[({]", name.replace(" > ", "."), maxsplit=1)[0]
    owner = plain.rpartition(".")[0].partition(">")[0].rpartition(".")[2]
    return f"{owner}.{_method(name)}" if owner else _method(name)


def _full(name: str, owner: str) -> str:
    """The full name: shop.CartTest.adds for `adds(shop.CartTest)`, and for `adds` under `shop.CartTest`. The heading
    may be that of a class nested in the test's."""
    if match := re.match(r"(?P<test>.{1,400})\((?P<owner>[a-z][\w]{0,60}(?:\.[\w$]{1,80}){1,20})\)$", name):
        return f"{match['owner']}.{match['test']}"
    return name if not owner or name.startswith(owner.partition("$")[0]) else f"{owner}.{name}"


def _failure(block: FailedTestOutput, paths: Paths) -> Finding | None:
    lines = [_WORDS.sub("", text) if _WORDS.match(text) else text for text in block.lines if "Source [" not in text]
    exception = parse_exception([part for text in lines for part in _plain(text)])
    if not exception.words and not exception.frames:
        return None if " > " in block.title and not block.lines else _bare(block)
    place = blame(exception, paths)
    expected, actual = comparison(exception.words)
    return Finding(
        tool="junit",
        category=category(exception.name, Category.TEST),
        message=exception.words or f"{block.title} failed",
        file=place.file if place else None,
        line=place.line if place else None,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(frame.related() for frame in reversed((exception.frames + exception.cause_frames)[:40])),
        test=block.title,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]).rstrip(),
    )


def _plain(text: str) -> list[str]:
    """A line in the form of a stack: without ant's mark, the console's frames with `at`, Gradle's short form as two
    lines."""
    text = _BUILDER.sub("", text)
    if match := _AT_PLACE.match(text):
        return [match["error"], f"    at {match['place']}"]
    return [f"    at {text.strip()}"] if _NO_AT.match(text) else [text]


def _bare(block: FailedTestOutput) -> Finding:
    return Finding(
        tool="junit", category=Category.TEST, message=f"{block.title} failed", log_line=block.first,
        span=(block.first, max(block.first, block.last)), test=block.title, excerpt=block.title,
    )  # fmt: skip


FORMAT = Format(
    "junit",
    (
        "<<< FAILURE!", "<<< ERROR!", " FAILED\n", "FAILED: ", "Testcase: ", "There was 1 ", "There were ", "ailures (",
        "Failures: ", "Errors: ", "Failed tests:", "Tests in error:", "FAILED CONFIGURATION: ",
    ),
    _Reader,
)  # fmt: skip
