"""Logs of jobs where all went well, however much they talk of errors: nothing may be told of them."""

from pathlib import Path

import pytest

from healing.logs.reading import read_log
from healing.model import Severity
from tests.logs.samples import as_job_log

CLEAN = sorted((Path(__file__).parent / "clean").glob("*.log"))


# EX-3
@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_a_job_that_went_well_has_no_error(path: Path) -> None:
    reported = [(error.tool, error.message) for error in read_log(path.read_bytes()).errors]
    assert reported == [] or all(
        error.severity is not Severity.ERROR for error in read_log(path.read_bytes()).errors
    ), reported


# EX-3
@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_nor_has_it_inside_a_job_log(path: Path) -> None:
    log = as_job_log(path.read_bytes(), failed=False)
    assert [error.message for error in read_log(log).errors if error.severity is Severity.ERROR] == []
