"""Test reports: JUnit's XML in all dialects, NUnit, xUnit.net, TRX, TestNG, Robot, and the JSON of test runners."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from healing.logs.documents.description import Description, describe
from healing.logs.documents.node import Node, Value, children, nodes, number, ranked, roles, text, vocabulary, word
from healing.logs.documents.places import Place, place
from healing.logs.documents.traced import spot_in
from healing.logs.format import Finding
from healing.logs.paths import Paths
from healing.model import Category

# The runner, and words near the top of its report (see dialects.signature). The first row that matches is used.
_REPORTS = tuple(
    (row.partition(":")[0], vocabulary(row.partition(":")[2]))
    for row in """
trx: unittestresult
nunit: testrun testsuite
nunit: testresults testsuite
xunit: assemblies
xunit: assembly collection
testng: testngresults
robot: robot suite
ctest: site testing
catch2: catch2testrun
boost: testlog testsuite
gtest: testsuites testsuite disabled timestamp tests result
junit: testsuites
junit: testsuite
junit: testcase
vitest: numfailedtests testresults startedat
jest: numfailedtests testresults
jest: testresults assertionresults
mocha: stats failures passes
mochawesome: stats results suites
rspec: examples summaryline
playwright: suites specs
playwright: config suites errors
cucumber: elements keyword
pytest: exitcode tests
allure: statusdetails historyid
allure: statusdetails stage
newman: collection run
""".strip().splitlines()
)
_RED = vocabulary("fail failed failure failing error errored broken crashed timedout timeout unexpected aborted red")
_GREEN = vocabulary(
    "pass passed passing success succeeded ok skipped skip ignored notrun notexecuted inconclusive pending todo flaky "
    "expected disabled xfailed notimplemented focused warning unknown undefined"
)
_OUTCOMES = roles("outcome", "result", "status", "state", "type")
_BAD = vocabulary("failure failures error errors exception")
_FULL = roles("fullname", "fulltitle", "fulldescription", "nodeid")
_NAMES = roles("name", "title", "testname", "displayname", "description")
_CASES = vocabulary("testcase test unittestresult testmethod")
_HOLDERS = vocabulary("class testcase testmethod")  # a `test` with one of these is a group
_STEPS = ("steps", "kw")
# Parts of a test or of the report that aren't tests.
_ASIDE = vocabulary(
    "err error errors exception failuremessages statusdetails properties config attachments passes summary stats "
    "status statistics resultsummary testdefinitions reason environment"
)
MAX_FINDINGS = 5_000
_FILE = re.compile(r"(?:[\w@.+\-: ]{0,200}[/\\]){1,40}[\w@.+\- ]{1,200}\.\w{1,8}")
_LINTER = re.compile(r"org\.([\w-]{2,40})$")
_LINE_COLUMN = re.compile(r"\bline (\d{1,8}), col(?:umn)? (\d{1,6})")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Above:
    names: tuple[str, ...] = ()
    full: str = ""
    place: Place = field(default_factory=Place)
    runner: str = ""
    linter: bool = False  # whether a linter wrote its findings as failed tests


def report(words: frozenset[str]) -> str | None:
    """The test runner whose report has these words near its top, or None."""
    return next((runner for runner, marks in _REPORTS if marks <= words), None)


def read(root: Value, runner: str, paths: Paths) -> Iterator[Finding]:
    """The failed tests of a report; a test that passed on a retry hasn't failed."""
    for node in nodes(root):
        yield from _walk(node, _Above(runner=runner), paths)


def _walk(node: Node, above: _Above, paths: Paths) -> list[Finding]:
    if _outcome(node) is False:
        return []
    here = _named(node, above)
    if node.tag and word(node.tag) in _CASES and not _group(node):
        return list(_case(node, here, paths)) if node.whole else []
    findings: list[Finding] = []
    below = () if any(isinstance(node.words.get(key), (Node, list)) for key in _STEPS) else children(node)
    for key, child in below:
        if word(key) not in _ASIDE:
            findings += _walk(child, here, paths)
        if len(findings) > MAX_FINDINGS:
            break
    return findings or (list(_failure(node, here, paths)) if node.whole else [])


def _group(node: Node) -> bool:
    return any(isinstance(node.words.get(key), (Node, list)) for key in _HOLDERS)


def _outcome(node: Node) -> bool | None:
    """True: failed. False: not failed, whatever is reported inside. None: not reported."""
    words = node.words
    success = str(words.get("success")).lower()
    if words.get("ok") is True or words.get("pass") is True or (node.tag and success == "true"):
        return False
    for key in ranked(words, _OUTCOMES):
        value = words.get(key)
        if isinstance(value, Node):
            value = value.words.get("status") or value.words.get("value")
        if isinstance(value, str):
            if word(value) in _GREEN:
                return False
            if word(value) in _RED:
                return True
    return True if words.get("fail") is True or words.get("failed") is True or success == "false" else None


def _named(node: Node, above: _Above) -> _Above:
    """The context with the name and place of this node."""
    words = node.words
    source = words.get("source")
    name = next((output for key in ranked(words, _NAMES) if (output := text(words.get(key)))), "")
    name = name or (text(source.words.get("name")) if isinstance(source, Node) else "")
    full = next((output for key in ranked(words, _FULL) if (output := text(words.get(key)))), "")
    spot = place(node).over(above.place)
    if isinstance(source, str) and _FILE.fullmatch(source):
        spot = replace(spot, file=source)
    owner = text(words.get("classname"))
    if _FILE.fullmatch(name) and (not node.tag or word(node.tag) == "testsuite"):
        spot, name = Place(file=name), ""
    elif not spot.file and _FILE.fullmatch(owner):
        spot = Place(file=owner)
    package = _LINTER.match(text(words.get("package")))
    return _Above(
        names=(*above.names, name)[-12:] if name and name != spot.file else above.names,
        full=full or ("" if name else above.full),
        place=spot if "." in (spot.file or "").replace("\\", "/").rpartition("/")[2] else Place(),
        runner=package[1] if package else "pytest" if (above.runner, name) == ("junit", "pytest") else above.runner,
        linter=above.linter or package is not None,
    )


def _failure(node: Node, here: _Above, paths: Paths) -> Iterator[Finding]:
    """The finding of a failed node without a failed one below it: a test, or a suite that could not start."""
    steps = [step for key in _STEPS for step in nodes(node.words.get(key)) if _outcome(step)]
    thrown = any(isinstance(node.words.get(key), Node) and node.words[key] for key in ("err", "error"))
    if not (_outcome(node) or (steps and not node.tag) or thrown or text(node.words.get("failure"))):
        return
    output = describe(node)
    if steps and not output.message:
        inner = describe(next(nodes(steps[0].words.get("result")), steps[0]))
        output = replace(inner, message=f"{text(steps[0].words.get('name'))}: {inner.message}")
        here = replace(here, place=place(steps[0]).over(here.place))
    if output.message or here.names or here.full:
        yield _finding(node, here, paths, output)


def _case(node: Node, here: _Above, paths: Paths) -> Iterator[Finding]:
    """A finding for each failure in a test case of an XML report; `flakyFailure` and the like aren't failures."""
    here = _with_full_name(node, here)
    bad = [value for key, values in node.items() if word(key) in _BAD for value in _each(values)]
    if here.linter:
        yield from (_linter_finding(node, here, value) for value in bad)
        return
    for value in bad:
        inner = value if isinstance(value, Node) else Node(node.line)
        output = (
            describe(inner)
            if isinstance(value, Node)
            else Description(value, value)
            if isinstance(value, str)
            else Description()
        )
        yield _finding(inner if inner else node, _closer(here, inner), paths, output)
    if bad:
        return
    below = next((child for _, child in children(node) if _outcome(child)), None)
    if _outcome(node) or below is not None:
        yield _finding(node, _closer(here, below or node), paths, describe(node))


def _linter_finding(node: Node, here: _Above, value: Value) -> Finding:
    """The finding of a linter, written as a failed test whose name is the rule."""
    output = describe(value) if isinstance(value, Node) else Description(text(value))
    spot = place(node)
    written = _LINE_COLUMN.search(output.trace or output.message)
    rule = text(node.words.get("name")).removeprefix(f"org.{here.runner}.").removeprefix("rules.")
    return Finding(
        tool=here.runner, category=Category.LINT, message=output.headline(rule), log_line=node.line,
        file=here.place.file, line=spot.line or (number(written[1]) if written else None), code=rule or None,
        excerpt=output.message, column=spot.column or (number(written[2]) if written else None),
    )  # fmt: skip


def _each(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [value]


def _with_full_name(node: Node, here: _Above) -> _Above:
    """The context with the test's full name, made of class and name; some runners' names contain the class already."""
    words = node.words
    owner, name = (
        text(words.get("classname")),
        next((output for key in ranked(words, _NAMES) if (output := text(words.get(key)))), ""),
    )
    if here.full or not name:
        return here
    if here.runner == "pytest":
        return replace(here, full=_node_id(owner, name, here.place.file))
    if owner:
        return replace(here, full=name if name.startswith(owner) else f"{owner}.{name}")
    return replace(here, full=name) if "." in name or here.runner in ("trx", "xunit", "nunit") else here


def _node_id(owner: str, name: str, file: str | None) -> str:
    """pytest's id of a test from the dotted name of its module and class."""
    parts = owner.split(".") if owner else name.split(".")
    module = file.removesuffix(".py").split("/") if file else [part for part in parts if not part[:1].isupper()]
    classes = parts[len(module) :]
    return "::".join(("/".join(module) + ".py", *classes, *([name] if owner else ())))


def _closer(here: _Above, inner: Node) -> _Above:
    spot = place(inner)
    return replace(here, place=spot) if spot.file and spot.line else here


def _finding(node: Node, here: _Above, paths: Paths, output: Description) -> Finding:
    spot = here.place
    name = here.full or " › ".join(here.names)
    owner = spot.file or (name.rpartition(".")[0] if " " not in name else "")
    traced = spot_in(output.trace or output.message, paths, owner)
    if traced and (spot.line is None or traced.file):
        spot = traced
    message = output.headline(name)
    return Finding(
        tool=here.runner, category=Category.TEST, message=message, log_line=node.line, file=spot.file, line=spot.line,
        column=spot.column, test=_SPACE.sub(" ", name) or None, excerpt=output.trace or message,
        expected=output.expected, actual=output.actual,
    )  # fmt: skip
