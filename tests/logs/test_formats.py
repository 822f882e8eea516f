"""Every format against its golden samples."""

import shutil
from pathlib import Path

import pytest

from healing.logs.formats import formats
from healing.logs.reading import read_log
from tests.logs import record
from tests.logs.samples import HEADER, all_samples, as_job_log, expected


def sample_name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


# EX-3 EX-4
@pytest.mark.parametrize("path", all_samples(), ids=sample_name)
def test_a_sample_gives_exactly_the_errors_beside_it(path: Path) -> None:
    assert record.expected(path.read_bytes()) == expected(path)


# EX-7
@pytest.mark.parametrize("name", [kind.name for kind in formats()])
def test_every_format_has_samples_with_errors(name: str) -> None:
    found = [expected(path) for path in all_samples() if path.parent.name == name]
    assert any(found), f"{name} has no sample in tests/logs/samples/{name}"


# EX-2
@pytest.mark.parametrize("path", all_samples(), ids=sample_name)
def test_a_job_log_gives_the_same_errors_as_the_raw_output(path: Path) -> None:
    raw = path.read_bytes()
    shifted = [{**error, "log_line": error["log_line"] + len(HEADER)} for error in record.expected(raw)]
    assert record.expected(as_job_log(raw, failed=bool(shifted))) == shifted


# EX-2
@pytest.mark.parametrize("path", all_samples(), ids=sample_name)
def test_windows_line_ends_change_nothing(path: Path) -> None:
    raw = path.read_bytes()
    assert record.expected(raw.replace(b"\n", b"\r\n")) == record.expected(raw)


# EX-4
@pytest.mark.parametrize("style", ["long", "verbose", "short", "native", "color"])
def test_every_traceback_style_of_pytest_tells_the_same_failures(style: str) -> None:
    def reported(name: str) -> list[tuple[str | None, str | None, int | None, str]]:
        log = (record.SAMPLES / f"pytest/{name}.log").read_bytes()
        return [(e.test, e.file, e.line, e.message) for e in read_log(log).errors]

    assert reported(style) == reported("long")


def test_the_full_and_the_concise_form_of_ruff_tell_the_same_mistakes() -> None:
    def reported(name: str) -> set[tuple[str | None, str | None, int | None, str]]:
        log = (record.SAMPLES / f"ruff/{name}.log").read_bytes()
        return {(e.code, e.file, e.line, e.message) for e in read_log(log).errors}

    assert reported("full") == reported("concise")


def test_two_tools_at_one_place_do_not_silence_each_other() -> None:
    log = b'a.py:3: error: Name "x" is not defined  [name-defined]\na.py:3:1: F821 Undefined name `x`\n'
    assert [error.tool for error in read_log(log).errors] == ["mypy", "ruff"]


def test_the_generic_form_yields_to_a_tool_at_the_same_place() -> None:
    log = b"a.py:3:1: F821 Undefined name `x`\na.py:3: undefined name x\nb.c:4: undefined thing\n"
    assert [(e.tool, e.file) for e in read_log(log).errors] == [("ruff", "a.py"), ("generic", "b.c")]


def test_a_traceback_inside_a_failing_test_is_that_test_and_no_second_error() -> None:
    native = (record.SAMPLES / "pytest/native.log").read_bytes()
    assert {error.tool for error in read_log(native).errors} == {"pytest"}


def test_what_passes_gives_no_error() -> None:
    log = (
        b"Success: no issues found in 4 source files\nAll checks passed!\n....   [100%]\n"
        b"tests/test_a.py::test_error PASSED [ 50%]\ntests/test_a.py:3: PASSED\n4 passed in 0.02s\n"
        b"=== warnings summary ===\n  tests/a.py:8: DeprecationWarning: old\n=== 4 passed, 1 warning in 0.10s ===\n"
    )
    assert read_log(log).errors == ()


# EX-7
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(record.RUNS))
def test_the_tools_of_today_still_speak_as_in_the_samples(name: str) -> None:
    project, command = record.RUNS[name]
    if command.startswith("gcc") and not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    ignored = ("log_line", "related")
    now = [
        {k: v for k, v in e.items() if k not in ignored} for e in record.expected(record.run(project, command).encode())
    ]
    then = [{k: v for k, v in e.items() if k not in ignored} for e in expected(record.SAMPLES / f"{name}.log")]
    assert sorted(now, key=str) == sorted(then, key=str)
