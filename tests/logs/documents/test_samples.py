"""Every kind of document against its sample: alone, inside a job's log, and beside other output."""

import json
from pathlib import Path
from typing import Any

import pytest

from healing.logs.reading import read_log
from tests.logs.documents.samples import QUIET, SAMPLES, expected, found
from tests.logs.samples import HEADER, as_job_log


def by_name(path: Path) -> str:
    return path.name


def shifted(errors: list[dict[str, Any]], lines: int) -> list[dict[str, Any]]:
    return [{**error, "log_line": error["log_line"] + lines} for error in errors]


# EX-1 EX-3 EX-4
@pytest.mark.parametrize("path", SAMPLES, ids=by_name)
def test_a_document_gives_exactly_the_errors_beside_it(path: Path) -> None:
    assert found(path.read_bytes()) == expected(path)


@pytest.mark.parametrize("path", SAMPLES, ids=by_name)
def test_every_sample_has_errors(path: Path) -> None:
    assert expected(path)


# EX-2
@pytest.mark.parametrize("path", SAMPLES, ids=by_name)
def test_a_document_inside_a_job_log_gives_the_same_errors(path: Path) -> None:
    log = as_job_log(path.read_bytes())
    assert found(log) == shifted(expected(path), len(HEADER))


# EX-2
@pytest.mark.parametrize("path", SAMPLES, ids=by_name)
def test_a_byte_order_mark_blank_lines_and_windows_line_ends_change_nothing(path: Path) -> None:
    raw = path.read_bytes()
    assert found(b"\xef\xbb\xbf\r\n\r\n  " + raw.replace(b"\n", b"\r\n")) == shifted(expected(path), 2)


# EX-2
@pytest.mark.parametrize("path", SAMPLES, ids=by_name)
def test_a_document_between_other_lines_gives_the_same_errors(path: Path) -> None:
    log = b"> till@1.0.0 lint\n> lint --json\n\n" + path.read_bytes() + b"npm notice all done\n"
    assert found(log) == shifted(expected(path), 3)


@pytest.mark.parametrize("path", QUIET, ids=by_name)
def test_what_reports_no_error_gives_none(path: Path) -> None:
    assert [error for error in read_log(path.read_bytes()).errors if error.tool != "log"] == []


# EX-3
def test_a_document_wins_over_text_that_tells_the_same() -> None:
    text = b"src/till.py:3:1: F821 Undefined name `total`\nsrc/open.py:9:1: F401 `os` imported but unused\n"
    item = {
        "cell": None,
        "code": "F821",
        "filename": "src/till.py",
        "fix": None,
        "location": {"row": 3, "column": 1},
        "end_location": {"row": 3, "column": 6},
        "message": "Undefined name `total`",
        "noqa_row": 3,
    }
    errors = read_log(text + json.dumps([item]).encode() + b"\n").errors
    assert [(e.file, e.code, e.end_column) for e in errors] == [
        ("src/open.py", "F401", None),
        ("src/till.py", "F821", 6),
    ]


def test_what_a_passing_test_printed_is_no_error() -> None:
    path = next(path for path in QUIET if path.name == "junit-clean.xml")
    assert read_log(path.read_bytes()).errors == ()


def test_what_cargo_and_go_write_line_by_line_is_left_to_their_formats() -> None:
    line = b'{"Time":"2026-01-05T10:00:00Z","Action":"output","Package":"p","Test":"TestA","Output":"ok"}\n'
    assert read_log(line * 3).errors == ()


def test_a_report_in_one_long_line_is_read_whole() -> None:
    messages = [
        {"ruleId": "semi", "severity": 2, "message": f"Missing semicolon {n}.", "line": n, "column": 1}
        for n in range(1, 4_001)
    ]
    report = [{"filePath": "src/till.js", "messages": messages, "errorCount": 4_000, "warningCount": 0}]
    log = b"before\n" + json.dumps(report).encode() + b"\nafter\n"
    errors = read_log(log).errors
    assert len(log) > 300_000
    assert sorted(error.line or 0 for error in errors) == list(range(1, 4_001))
