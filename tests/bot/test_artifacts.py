"""Report files out of workflow runs' artifacts: what is fetched and read, and what archives can't do."""

import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.github import artifacts as chosen_of
from bot.github.artifacts import MAX_PACKED, MAX_UNPACKED, looks_like_report, unpacked
from bot.store.database import Database
from healing.failed_jobs import ReportFile
from lab.localhub import actions, artifacts
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place

JUNIT = b'<?xml version="1.0"?>\n<testsuites><testsuite name="x"/></testsuites>'
SARIF = b'{"version": "2.1.0", "$schema": "https://x/sarif-2.1.0.json", "runs": []}'


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def packed(**files: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return into.getvalue()


# EX-1
async def test_the_report_files_of_a_run_are_fetched_and_what_is_too_large_or_gone_is_named(here: Place) -> None:
    run = actions.begin_run(here.hub, here.repo, ".github/workflows/ci.yml", "CI", here.pull.head_sha, "topic#1")
    artifacts.store(here.hub, run, "wheels", {"a.whl": b"PK"})
    artifacts.store(here.hub, run, "test-results", {"out/junit.xml": JUNIT, "out/page.xml": b"<html/>", "a.txt": b"x"})
    artifacts.store(here.hub, run, "scan", {"a.sarif": SARIF, "package.json": b'{"name": "x"}'})
    artifacts.keep(here.hub, run, "junit-broken", packed(x=JUNIT)[:40])
    artifacts.keep(here.hub, run, "report-huge", b"\0" * (MAX_PACKED + 1))
    artifacts.store(here.hub, run, "old-report", {"junit.xml": JUNIT}).expired = True
    async with here.world() as world:
        found = {file.name: file for file in await world.github.reports(run.id)}
        assert await world.github.reports(1) == ()
    assert found["test-results/out/junit.xml"] == ReportFile("test-results/out/junit.xml", JUNIT)
    assert found["scan/a.sarif"].data == SARIF
    assert "can't be read" in found["junit-broken"].problem
    assert found["report-huge"].problem == "it is larger than 20 MB"
    assert len(found) == 4


def test_at_most_ten_are_fetched_those_that_sound_like_reports_first() -> None:
    listed = [{"id": n, "name": f"build {n}", "size_in_bytes": 9} for n in range(20)]
    listed += [{"id": 99, "name": "JUnit", "size_in_bytes": 9}, {"id": 98, "name": "image", "size_in_bytes": 1 << 30}]
    ids = [one.id for one in chosen_of.chosen(listed)]
    assert ids[0] == 99
    assert len(ids) == 10
    assert 98 not in ids


def test_an_archive_that_grows_without_end_is_left_where_it_passes_the_limit() -> None:
    bomb = packed(**{f"junit{n}.xml": JUNIT + b" " * (60 << 20) for n in range(3)})
    assert len(bomb) < 1 << 20
    files = unpacked("bomb", bomb)
    assert sum(len(file.data) for file in files) <= MAX_UNPACKED
    assert files[-1].problem == "it unpacks to more than 100 MB; the rest was not read"


def test_paths_that_lead_out_of_the_archive_are_only_names() -> None:
    (file,) = unpacked("evil", packed(**{"../../../../tmp/evil/junit.xml": JUNIT}))
    assert file.data == JUNIT
    assert not Path("/tmp/evil/junit.xml").exists()


def test_a_report_that_was_stored_without_an_archive_is_read_as_it_is() -> None:
    assert unpacked("junit.xml", JUNIT) == (ReportFile("junit.xml", JUNIT),)
    assert unpacked("binary", b"\0\1\2") == ()


@pytest.mark.parametrize("data", [JUNIT, b"\xef\xbb\xbf" + JUNIT, JUNIT.decode().encode("utf-16"), SARIF])
def test_reports_are_known_by_how_they_begin(data: bytes) -> None:
    assert looks_like_report("x", data)


@given(st.binary(max_size=400), st.integers(0, 200))
@settings(deadline=None)
def test_no_archive_makes_it_raise(noise: bytes, at: int) -> None:
    good = packed(**{"junit.xml": JUNIT})
    for data in (b"PK" + noise, good[:at] + noise + good[at:], good[:at]):
        unpacked("x", data)
