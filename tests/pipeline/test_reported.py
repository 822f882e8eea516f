"""What CI told: annotations where there is no log, and report files, which win over the same error in a log."""

import json

from healing.failed_jobs import Annotation, FailedJob, ReportFile, Trees
from healing.logs.matchers import read_matchers
from healing.logs.twins import CounterpartIndex
from healing.model import CIError, Severity
from healing.pipeline.failure import Failure
from healing.pipeline.reported import Reported, read_reported
from healing.view import DictView

VIEW = DictView({"shop.py": b"x = 1\n", "tests/test_shop.py": b"def test_total(): ...\n", "web/app.zz": b"\n"})
LOG = b"""\
=========================== short test summary info ============================
FAILED tests/test_shop.py::test_total - assert 1 == 2
shop.py:3:1: F401 `os` imported but unused
##[error]Process completed with exit code 1.
"""
JUNIT = b"""<testsuites><testsuite name="pytest" failures="2">
<testcase classname="tests.test_shop" name="test_total"><failure message="assert 1 == 2">def test_total():
E       assert 1 == 2

tests/test_shop.py:9: AssertionError</failure></testcase>
<testcase classname="tests.test_shop" name="test_more"><failure message="assert 3 == 4">E  assert 3 == 4</failure>
</testcase></testsuite></testsuites>"""


def sarif(rule: str, file: str, line: int) -> bytes:
    place = {"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": line}}}
    result = {"ruleId": rule, "level": "error", "message": {"text": f"{rule} is bad"}, "locations": [place]}
    tool = {"driver": {"name": "scanner"}}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": tool, "results": [result]}]}).encode()


def reported_by(*jobs: FailedJob, reports: tuple[ReportFile, ...] = (), scripts: tuple[str, ...] = ()) -> Reported:
    trees = Trees("0" * 40, "0" * 40)
    return read_reported(Failure("r", "0" * 40, trees, jobs, reports=reports), VIEW, scripts)


def names(errors: list[CIError]) -> set[tuple[str, str | None]]:
    return {(error.source, error.test or error.code) for error in errors}


# EX-1
def test_a_check_of_another_app_tells_its_errors_by_annotations() -> None:
    notes = (
        Annotation(path="web/app.zz", start_line=4, end_line=5, level="failure", message="No!", title="X1"),
        Annotation(path=".github", start_line=1, end_line=1, level="warning", message="Something"),
    )
    found = reported_by(FailedJob("Style police", None, annotations=notes))
    first, second = found.open_errors()
    assert (first.tool, first.source, first.file, first.line, first.end_line) == (
        "Style police", "annotation", "web/app.zz", 4, 5,
    )  # fmt: skip
    assert (first.code, first.message, first.log_line) == ("X1", "No!", None)
    assert (second.file, second.severity) == (None, Severity.WARNING)
    assert found.unlogged == {first.id, second.id}
    assert found.not_looked == []


# EX-9
def test_without_log_and_annotations_it_is_said_that_nothing_could_be_looked_at() -> None:
    assert [one.why for one in reported_by(FailedJob("ci", None)).not_looked] == ["GitHub has no log for it"]


# EX-1
def test_a_report_wins_over_the_same_test_in_the_log_and_adds_what_the_log_left_out() -> None:
    found = reported_by(FailedJob("ci", None, log=LOG), reports=(ReportFile("junit/junit.xml", JUNIT),))
    errors = found.open_errors()
    assert names(errors) == {
        ("report", "tests/test_shop.py::test_total"),
        ("report", "tests/test_shop.py::test_more"),
        ("log", "F401"),
    }
    total = next(error for error in errors if error.test and error.test.endswith("test_total"))
    assert total.line == 9
    assert [e.test for e in errors if e.id in found.unlogged] == ["tests/test_shop.py::test_more"]


# EX-1
def test_a_scans_report_counts_only_for_what_the_log_tells_too_or_where_the_logs_tell_nothing() -> None:
    beside = ReportFile("scan/a.sarif", sarif("S1", "web/app.zz", 1))
    assert ("report", "S1") not in names(reported_by(FailedJob("ci", None, log=LOG), reports=(beside,)).open_errors())
    silent = reported_by(FailedJob("ci", None, log=b"scanning\n##[error]exit 1\n"[:9]), reports=(beside,))
    assert names(silent.open_errors()) == {("report", "S1")}
    same = ReportFile("lint/a.sarif", sarif("F401", "shop.py", 3))
    assert ("report", "F401") in names(reported_by(FailedJob("ci", None, log=LOG), reports=(same,)).open_errors())


# EX-9
def test_a_report_that_could_not_be_had_or_read_is_named_and_the_rest_goes_on() -> None:
    files = (ReportFile("big", problem="it is larger than 20 MB"), ReportFile("junit/a.xml", JUNIT[:200]))
    found = reported_by(FailedJob("ci", None, log=LOG), reports=files)
    assert "it is larger than 20 MB" in [one.why for one in found.not_looked]
    assert len(found.open_errors()) >= 2


# EX-7
def test_a_repositorys_matchers_read_its_logs_and_its_workflows_commands_add_some() -> None:
    matcher = {"owner": "house", "pattern": [{"regexp": r"^(\S+) <(\d+)> (.*)$", "file": 1, "line": 2, "message": 3}]}
    data = json.dumps({"problemMatcher": [matcher]}).encode()
    job = FailedJob("ci", None, log=b"web/app.zz <7> not how we write\n")
    failure = Failure("r", "0" * 40, Trees("0" * 40, "0" * 40), (job,), matchers=read_matchers(data))
    (error,) = read_reported(failure, VIEW, ()).open_errors()
    assert (error.tool, error.file, error.line) == ("house", "web/app.zz", 7)
    view = DictView({**VIEW.files, ".github/house.json": data})
    scripts = ("echo ::add-matcher::.github/house.json", "echo ::add-matcher::.github/none.json")
    found = read_reported(Failure("r", "0" * 40, failure.trees, (job,)), view, scripts)
    assert found.open_errors() == [error]
    assert [one.what for one in found.not_looked] == ["problem matchers of .github/none.json"]


def test_one_test_is_the_same_however_two_tools_write_its_name_and_two_of_one_name_are_not() -> None:
    def failed(test: str) -> CIError:
        return CIError(id=test, tool="x", category="test", message="red", test=test)  # type: ignore[arg-type]

    twins = CounterpartIndex([failed("tests.test_a.TestX.test_b[1.5]")])
    assert twins.of(failed("tests/test_a.py::TestX::test_b[1.5]"))
    assert twins.of(failed("test_b[1.5]"))
    assert not twins.of(failed("tests/test_other.py::TestX::test_b[1.5]"))
    assert not twins.of(failed("tests/test_a.py::TestX::test_b[2.5]"))
