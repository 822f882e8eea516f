"""Test reports: JUnit's XML in all dialects, NUnit, xUnit.net, TRX, TestNG, Robot, and the JSON of test runners."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from healing.logs.documents.node import TEXT, Node, Value, children, nodes, text, vocabulary, word
from healing.logs.documents.places import Place, place
from healing.logs.documents.traced import spot_in
from healing.logs.format import Finding
from healing.logs.paths import Paths
from healing.model import Category

# Any row: words that are near the top of the report (see dialects.signature).
_REPORTS = tuple(
    (tool, frozenset(words.split()))
    for tool, words in (
        ("trx", "unittestresult"), ("nunit", "testrun testsuite"), ("nunit", "testresults testsuite"),
        ("xunit", "assemblies"), ("xunit", "assembly collection"), ("testng", "testngresults"),
        ("robot", "robot suite"),        ("ctest", "site testing"), ("catch2", "catch2testrun"), ("catch2", "catch group"),
        ("boost", "testlog testsuite"),        ("qttest", "testcase testfunction"), ("junit", "testsuites"), ("junit", "testsuite"), ("junit", "testcase"),
        ("vitest", "numfailedtests testresults startedat"), ("jest", "numfailedtests testresults"),
        ("jest", "testresults assertionresults"), ("mocha", "stats failures passes"),
        ("mochawesome", "stats results suites"),        ("rspec", "examples summaryline"), ("playwright", "suites specs"), ("playwright", "config suites errors"),
        ("cucumber", "elements keyword"), ("pytest", "exitcode tests"), ("gtest", "testsuites failures"),
        ("allure", "statusdetails historyid"), ("allure", "statusdetails stage"), ("newman", "collection run"),
    )
)  # fmt: skip
_RED = vocabulary("fail failed failure failing error errored broken crashed timedout timeout unexpected aborted red")
_GREEN = vocabulary(
    "pass passed passing success succeeded ok skipped skip ignored notrun notexecuted inconclusive pending todo "
    "flaky expected disabled xfailed notimplemented focused warning unknown undefined"
)
_OUTCOMES = ("outcome", "result", "status", "state", "type")
_BAD = ("failure", "failures", "error", "errors", "exception", "unhandlederrors", "fatalerror")
_MESSAGES = (
    "failuremessages", "failuremessage", "statusdetails", "errorinfo", "err", "crash", "failure", "failures", "error",
    "errors", "exception", "errormessage", "output", "message", "reason", "longrepr", TEXT, "text", "fatalerror",
)  # fmt: skip
_TRACES = ("stacktrace", "fullstacktrace", "stack", "estack", "trace", "backtrace", "longrepr", "details", "text")
_FULL = ("fullname", "fulltitle", "fulldescription", "nodeid", "signature")
_NAMES = ("name", "title", "testname", "ancestortitle", "displayname", "description")
_CASES = frozenset(("testcase", "test", "unittestresult", "testmethod", "example", "spec"))
_STEPS = ("steps", "kw")
_FRAMES = re.compile(r"\n\s{1,40}at ")
_FILE = re.compile(r"(?:[\w@.+\-: ]{0,200}[/\\]){1,40}[\w@.+\- ]{1,200}\.\w{1,8}")
_INNER_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Above:
    names: tuple[str, ...] = ()
    full: str = ""
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True)
class _Told:
    message: str = ""
    trace: str = ""
    expected: str | None = None
    actual: str | None = None

    def over(self, other: "_Told") -> "_Told":
        """This one, with what it lacks taken from the other."""
        return _Told(
            self.message or other.message,
            self.trace or other.trace,
            self.expected or other.expected,
            self.actual or other.actual,
        )


def report(words: frozenset[str]) -> str | None:
    """The kind of test report that has these words near its top, or None."""
    return next((tool for tool, marks in _REPORTS if marks <= words), None)


def read(root: Value, tool: str, paths: Paths) -> Iterator[Finding]:
    """The failed tests of a report; what passed on a second try has not failed."""
    for node in nodes(root):
        yield from _walk(node, _Above(), tool, paths)


def _walk(node: Node, above: _Above, tool: str, paths: Paths) -> list[Finding]:
    if _outcome(node) is False:
        return []
    here = _named(node, above)
    if node.tag and word(node.tag) in _CASES and not (tool == "robot" and word(node.tag) != "test"):
        return list(_case(node, here, tool, paths))
    found = []
    if not any(isinstance(node.words.get(key), (Node, list)) for key in _STEPS):
        found = [f for key, child in children(node) if word(key) not in _ASIDE for f in _walk(child, here, tool, paths)]
    return found if found else list(_failure(node, here, tool, paths))


_ASIDE = (
    "err",
    "error",
    "errors",
    "exception",
    "failuremessages",
    "statusdetails",
    "properties",
    "config",
    "attachments",
    "passes",
    "summary",
    "stats",
)


def _outcome(node: Node) -> bool | None:
    """True: red. False: not red, whatever is told inside. None: it doesn't say."""
    words = node.words
    if words.get("ok") is True or words.get("pass") is True or words.get("success") == "True":
        return False
    for key in _OUTCOMES:
        value = words.get(key)
        if isinstance(value, Node):
            value = value.words.get("status") or value.words.get("value")
        if isinstance(value, str):
            if word(value) in _GREEN:
                return False
            if word(value) in _RED:
                return True
    if words.get("fail") is True or words.get("failed") is True or words.get("success") == "False":
        return True
    return None


def _named(node: Node, above: _Above) -> _Above:
    words = node.words
    source = words.get("source")
    name = next((said for key in _NAMES if (said := text(words.get(key)))), "")
    name = name or (text(source.words.get("name")) if isinstance(source, Node) else "")
    full = next((said for key in _FULL if (said := text(words.get(key)))), "")
    spot = place(node).over(above.place)
    if not node.tag and _FILE.fullmatch(name):
        spot, name = Place(file=name), ""
    return _Above(
        names=(*above.names, name)[-12:] if name and name != spot.file else above.names,
        full=full or ("" if name else above.full),
        place=spot,
    )


def _failure(node: Node, here: _Above, tool: str, paths: Paths) -> Iterator[Finding]:
    """A red node without a red one below it: a test, or a suite that could not even begin."""
    steps = [step for key in _STEPS for step in nodes(node.words.get(key)) if _outcome(step)]
    thrown = any(isinstance(node.words.get(key), Node) and node.words[key] for key in ("err", "error"))
    if not (_outcome(node) or (steps and not node.tag) or thrown or text(node.words.get("failure"))):
        return
    told = _told(node)
    if steps and not told.message:
        inner = _told(next(nodes(steps[0].words.get("result")), steps[0]))
        told = replace(inner, message=f"{text(steps[0].words.get('name'))}: {inner.message}")
        here = replace(here, place=place(steps[0]).over(here.place))
    if told.message or here.names or here.full:
        yield _finding(node, here, tool, paths, told)


def _case(node: Node, here: _Above, tool: str, paths: Paths) -> Iterator[Finding]:
    """A test case of an XML report: a finding for each failure in it; `flakyFailure` and the like are no failures."""
    bad = [(key, value) for key, values in node.items() for value in _each(values) if word(key) in _BAD]
    red = [(key, value) for key, value in bad if isinstance(value, (Node, str))]
    if not node.tag or _outcome(node) is False:
        return
    for _, value in red:
        inner = value if isinstance(value, Node) else Node(node.line)
        told = _told(inner) if isinstance(value, Node) else _Told(value, value)
        yield _finding(inner if inner else node, _closer(here, node, inner), tool, paths, told)
    if not red and _outcome(node):
        yield _finding(node, here, tool, paths, _told(node))


def _each(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [value]


def _closer(here: _Above, node: Node, inner: Node) -> _Above:
    spot = place(inner)
    if "classname" in node.words and "name" in node.words:
        here = replace(here, full=_dotted(text(node.words["classname"]), text(node.words["name"])))
    return replace(here, place=spot) if spot.file and spot.line else here


def _dotted(owner: str, name: str) -> str:
    """The class and the test in it; some runners put one into the other already."""
    return name if not owner or name.startswith(owner) or owner == name else f"{owner}.{name}"


def _told(node: Node, depth: int = 0) -> _Told:
    """What it says, from the node or whatever in it is there for that."""
    words = node.words
    told = _Told(
        text(words.get("message")),
        next((said for key in _TRACES if (said := _whole(words.get(key)))), ""),
        *(text(words.get(key)) or None for key in ("expected", "actual")),
    )
    for key in _MESSAGES:
        value = words.get(word(key))
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, Node) and depth < 4:
            told = told.over(_told(value, depth + 1))
        elif isinstance(value, str):
            told = told.over(_Told(value.strip()))
    return told if told.message else replace(told, message=told.trace)


def _whole(value: Value) -> str:
    if isinstance(value, list):
        return "\n".join(item for item in value[:200] if isinstance(item, str))
    return value if isinstance(value, str) else text(value)


def _finding(node: Node, here: _Above, tool: str, paths: Paths, told: _Told) -> Finding:
    spot = here.place
    traced = spot_in(told.trace or told.message, paths, spot.file)
    if traced and (spot.line is None or traced.file):
        spot = traced
    name = here.full or " › ".join(here.names)
    said = _FRAMES.split(told.message, maxsplit=1)[0].strip() or f"{name or 'a test'} failed"
    return Finding(
        tool=tool, category=Category.TEST, message=said, log_line=node.line, file=spot.file, line=spot.line,
        column=spot.column, test=_INNER_SPACE.sub(" ", name) or None, excerpt=told.trace or said,
        expected=told.expected, actual=told.actual,
    )  # fmt: skip
