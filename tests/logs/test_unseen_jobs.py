"""Long logs of unknown tools and logs of green jobs, written before the formats had seen them."""

import random
import re
import tarfile
from pathlib import Path

import pytest

from healing.logs.reading import read_log
from healing.model import Severity
from tests.logs.samples import as_job_log

HERE = Path(__file__).parent
REASONS = (HERE / "unseen_reasons.txt").read_text().splitlines()
GREEN = [block.partition("\n") for block in (HERE / "green_jobs.txt").read_text().split("%%% ")[1:]]
_NAMED = re.compile(r"^%%% ", re.MULTILINE)
# Green jobs full of lines that only sound wrong, and red ones whose reason, after `!!! `, stands among such lines.
ALARMING = [block.partition("\n") for block in _NAMED.split((HERE / "alarming_jobs.txt").read_bytes().decode())[1:]]
NOISY = [block.partition("\n") for block in _NAMED.split((HERE / "noisy_red_jobs.txt").read_bytes().decode())[1:]]
NOISE = (
    "compiling module {n}",
    "checked {n} rows in {m} ms",
    "Downloading package-{n} ({m} kB)",
    "test_case_{n} ... ok",
    "loaded plugin {n} from cache",
    "GET /items/{n} 200 {m}",
    "copied file {n} to out/{m}",
    "-- found dependency {n}",
    "warning: unused variable x{n}",
    "error_handler_{n}: registered",
    "src/m{n}.c:{n}:3: warning: unused parameter 'x' [-Wunused-parameter]",
)
LINES = 1_500
# Jobs of CI systems, each as a person gets its log; `.key`: lines that name the reason.
WHOLE = ("whole_jobs.tar.xz", "more_whole_jobs.tar.xz")
# Recorded by running some 200 tools of Debian, PyPI and npm, and written as CI systems write them.
RECORDED = "recorded_jobs.tar.xz"


def noise(rng: random.Random, count: int) -> list[str]:
    return [rng.choice(NOISE).format(n=rng.randrange(1, 999), m=rng.randrange(999)) for _ in range(count)]


# EX-11
def test_of_the_listed_reasons_nine_of_ten_are_among_the_ten_best_of_a_long_log() -> None:
    rng, missed = random.Random(4), []
    for reason in REASONS:
        lines = [*noise(rng, LINES), reason, *noise(rng, 12), "##[error]Process completed with exit code 1."]
        best = sorted(read_log("\n".join(lines).encode()).errors, key=lambda error: -error.score)[:10]
        if not any(abs((error.log_line or 0) - LINES - 1) <= 3 for error in best):
            missed.append(reason)
    assert len(REASONS) >= 100
    assert len(missed) <= 0.1 * len(REASONS), missed


# EX-11
@pytest.mark.parametrize("wrapped", [False, True], ids=["raw", "in a job log"])
def test_of_the_listed_green_jobs_at_most_one_of_fifty_has_an_error(wrapped: bool) -> None:
    alarms = []
    for name, _, log in GREEN:
        data = as_job_log(log.encode(), failed=False) if wrapped else log.encode()
        if any(error.severity is Severity.ERROR for error in read_log(data).errors):
            alarms.append(name)
    assert len(GREEN) >= 80
    assert len(alarms) <= 0.02 * len(GREEN), alarms


# EX-11
@pytest.mark.parametrize(("wrapped", "share"), [(False, 0.18), (True, 0.0)], ids=["raw", "in a job log"])
def test_of_green_jobs_that_sound_wrong_none_has_an_error_in_a_job_log_and_few_have_one_raw(
    wrapped: bool, share: float
) -> None:
    alarms = []
    for name, _, log in ALARMING:
        data = as_job_log(log.encode(), failed=False) if wrapped else log.encode()
        if any(error.severity is Severity.ERROR for error in read_log(data).errors):
            alarms.append(name)
    assert len(ALARMING) == 80
    assert len(alarms) <= share * len(ALARMING), alarms


# EX-11
def test_of_noisy_red_jobs_the_reason_is_among_the_ten_best_in_nine_of_ten() -> None:
    missed = []
    for name, _, text in NOISY:
        marked = text.split("\n")
        reasons = {line[4:] for line in marked if line.startswith("!!! ")}
        lines = [line for line in marked if not line.startswith("!!! ")]
        places = [number for number, line in enumerate(lines, 1) if line in reasons]
        best = sorted(read_log("\n".join(lines).encode()).errors, key=lambda error: -error.score)[:10]
        if not any(abs((error.log_line or 0) - place) <= 3 for error in best for place in places):
            missed.append(name)
    assert len(NOISY) == 60
    assert len(missed) <= 0.1 * len(NOISY), missed


# EX-11
def test_a_job_log_without_a_line_marked_as_an_error_is_of_a_green_job_if_it_is_whole() -> None:
    log = b"src/a.c:3:1: error: unknown type name 'coin'\n"
    whole = as_job_log(log, failed=False)
    assert {error.severity for error in read_log(whole).errors} == {Severity.WARNING}
    cut_off = whole[: whole.index(b"Cleaning up")]
    forged = b"Cleaning up orphan processes\n"
    ended = as_job_log(log + forged).replace(b"Process completed with exit code 1.", b"The operation was canceled.")
    for red in (cut_off, as_job_log(log), as_job_log(log + forged), ended):
        assert any(error.severity is Severity.ERROR for error in read_log(red).errors)


# EX-11
@pytest.mark.parametrize(
    "after", ["Retrying in 5 seconds (attempt 2)", "Attempt 2 of 3", "trying again", "Switched to a new branch 'dev'"]
)
def test_what_is_tried_again_is_no_error_and_what_nobody_tries_again_is(after: str) -> None:
    failed = "fatal: unable to access 'https://example.com/r.git/': Could not resolve host: example.com"
    done = "HEAD is now at 1a2b3c4 Merge"
    assert read_log(f"{failed}\n{after}\n{done}\n".encode()).errors == ()
    for last in ("giving up after attempt 3", "attempt 3 of 3 failed", done):
        assert read_log(f"{failed}\n{last}\n".encode()).errors


# EX-11
def test_a_line_of_another_program_below_a_compilers_warning_is_reported() -> None:
    lines = [
        "src/m.c:3:3: warning: unused parameter 'x' [-Wunused-parameter]",
        "psql: error: connection to server failed: FATAL:  password authentication failed",
        "##[error]Process completed with exit code 1.",
    ]
    assert 2 in [error.log_line for error in read_log("\n".join(lines).encode()).errors]


def whole_jobs(name: str) -> dict[str, bytes]:
    """Name (`red/01-….log`) → contents."""
    with tarfile.open(HERE / name) as packed:
        files = {one.name: packed.extractfile(one) for one in packed if one.isfile()}
        return {name: file.read() for name, file in files.items() if file}


# EX-11
@pytest.mark.parametrize(
    ("packed", "jobs", "share"), [(WHOLE[0], 61, 0.02), (WHOLE[1], 80, 0.14), (RECORDED, 119, 0.02)]
)
def test_few_of_the_whole_green_jobs_have_an_error(packed: str, jobs: int, share: float) -> None:
    green = {name: log for name, log in whole_jobs(packed).items() if name.startswith("green/")}
    alarms = [n for n, log in green.items() if any(e.severity is Severity.ERROR for e in read_log(log).errors)]
    assert len(green) == jobs
    assert len(alarms) <= share * jobs, alarms


# EX-11
@pytest.mark.parametrize(
    ("packed", "red_jobs", "share"), [(WHOLE[0], 55, 0.02), (WHOLE[1], 70, 0.1), (RECORDED, 190, 0.08)]
)
def test_of_whole_red_jobs_the_reason_is_among_the_ten_best_in_nine_of_ten(
    packed: str, red_jobs: int, share: float
) -> None:
    jobs, missed = whole_jobs(packed), []
    red = [name for name in jobs if name.startswith("red/") and name.endswith(".log")]
    for name in red:
        keys = jobs[name.replace(".log", ".key")].decode().splitlines()
        lines = jobs[name].decode("utf-8", "replace").split("\n")
        places = [at for at, line in enumerate(lines, 1) if any(key in line for key in keys if key.strip())]
        best = sorted(read_log(jobs[name]).errors, key=lambda error: -error.score)[:10]
        if not any(abs((error.log_line or 0) - place) <= 3 for error in best for place in places):
            missed.append(name)
    assert len(red) == red_jobs
    assert len(missed) <= share * red_jobs, missed


ALARM = "src/a.c:3:1: error: unknown type name 'coin'"
STAMP = "2026-02-03T10:11:12.1234567Z "
SYSTEMS = {
    "Azure Pipelines": (
        [f"{STAMP}##[section]Starting: check", f"{STAMP}##[section]Starting: Run make", f"{STAMP}{ALARM}"],
        f"{STAMP}##[error]Bash exited with code '2'.",
        [f"{STAMP}##[section]Finishing: Run make", f"{STAMP}##[section]Finishing: check"],
    ),
    "Buildkite": (
        ["~~~ Preparing working directory", "~~~ Running commands", ALARM],
        "\x1b[31m\U0001f6a8 Error: The command exited with status 2\x1b[0m",
        ["~~~ Running global pre-exit hook", "$ /etc/buildkite-agent/hooks/pre-exit"],
    ),
    "TeamCity": (
        [
            "Started 'Tue Feb 03 10:11:02 UTC 2026' on 'agent-1' by 'Git'",
            "Finished 'Tue Feb 03 10:11:31 UTC 2026' with status NORMAL 'Success'",
            *(f"[10:11:12] :\t {line}" for line in ("Step 1/1: Build (Command Line)", "Starting: make", ALARM)),
        ],
        "[10:11:12]E:\t Process exited with code 2 (Step: Build (Command Line))",
        ["[10:11:12] :\t Publishing internal artifacts", "[10:11:12] :\t Build finished"],
    ),
}


# EX-11
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_whole_log_of_a_system_that_marks_failures_is_of_a_green_job_if_it_has_no_such_mark(system: str) -> None:
    first, failure, last = SYSTEMS[system]

    def has_error(lines: list[str]) -> bool:
        return any(e.severity is Severity.ERROR for e in read_log("\n".join(lines).encode()).errors)

    assert not has_error([*first, *last])
    for red in ([*first, failure, *last], first, [*first, *last[:-1], failure], last[:1] + first):
        assert has_error(red), red


# EX-11
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_a_step_prints_like_another_systems_log_does_not_make_a_red_job_green(system: str) -> None:
    first, _, last = SYSTEMS[system]
    printed = "\n".join([*first, *last])
    job = as_job_log(f"{ALARM}\n".encode()).decode()
    cancelled = job.replace("Process completed with exit code 1.", "The operation was canceled.")
    for log in (f"{job}{printed}\n", f"{cancelled}{printed}\n", cancelled.replace(ALARM, f"{printed}\n{ALARM}")):
        assert any(e.severity is Severity.ERROR for e in read_log(log.encode()).errors), log


# EX-11
def test_what_a_passing_test_printed_does_not_hide_what_failed_later() -> None:
    lines = [
        "  ✓ test/scale.test.ts  (11 tests) 12ms",
        "stderr | test/errors.test.ts > throws on NaN",
        "Error: tinychart: data contains NaN at index 3",
        "    at assertFinite (/work/tinychart/src/errors.ts:8:11)",
        "",
        " Test Files  7 passed (7)",
        "      Tests  51 passed (51)",
        "  Package size limit has exceeded by 212 B",
        "##[error]Process completed with exit code 1.",
    ]
    assert [error.log_line for error in read_log("\n".join(lines).encode()).errors] == [8]
