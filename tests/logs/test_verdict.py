"""How a log ends decides what its errors are: noise on the way to green, or the reason for red."""

import pytest

from healing.logs.reading import LogContext, read_log
from healing.model import Severity

TRACE = (
    'Traceback (most recent call last):\n  File "/srv/app/b.py", line 9, in g\n    raise ValueError("boom")\n'
    "ValueError: boom\n"
)
GREEN = "============ 12 passed in 0.40s ============\n"


def messages(log: str) -> list[str]:
    return [error.message for error in read_log(log.encode()).errors if error.severity is Severity.ERROR]


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        TRACE,
        GREEN + TRACE,
        TRACE + GREEN + "##[error]Process completed with exit code 1.\n",
        TRACE + GREEN + "Finished: FAILURE\n",
        "FAILED (failures=1)\n" + TRACE + GREEN,
        TRACE + "1 failed, 11 passed in 0.40s\n",
    ],
)
def test_a_traceback_is_told_unless_all_that_follows_went_well(log: str) -> None:
    assert any("boom" in message for message in messages(log))


# EX-11
def test_what_tools_say_in_a_job_that_the_ci_system_calls_green_is_no_error_but_is_kept() -> None:
    log = b"src/a.c:3:1: error: unknown type name 'coin'\nFinished: SUCCESS\n"
    assert [error.severity for error in read_log(log).errors] == [Severity.WARNING]


# EX-11
def test_a_job_that_failed_after_all_is_read_as_one_that_failed() -> None:
    log = "src/a.c:3:1: error: unknown type name 'coin'\nJob succeeded\nmake: *** [Makefile:3: all] Error 2\n"
    assert messages(log)


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        "docker rm till\nError: No such container: till\nmake: [Makefile:4: clean] Error 1 (ignored)\ncc -c till.c\n",
        "lint: commands[0]> sh -c 'echo error: optional; exit 3'\nerror: optional\n"
        "lint: exit 3 (0.01 seconds) /srv/till> sh -c 'echo error: optional; exit 3' pid=12\n"
        "lint: command failed but is marked ignore outcome so handling it as success\n"
        "  lint: OK (0.43=setup[0.41]+cmd[0.01] seconds)\n  congratulations :) (0.50 seconds)\n",
        "curl: (7) Failed to connect to 10.0.0.1 port 80\nupload failed, ignoring\nBundled 3 files\n",
        "E: Unable to locate package till-dev\nfalling back to the bundled copy\nBundled 3 files\n",
        "E: Unable to locate package till-dev\ncontinuing without till-dev\n",
    ],
)
def test_a_failure_that_the_log_says_is_ignored_is_no_error(log: str) -> None:
    assert messages(log) == []


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        "error: nonconformant arguments\nerror: ignoring const execution_exception& while preparing to exit\n",
        "fatal: nonconformant arguments\nmake: *** [Makefile:3: all] Error 1\nupload failed, ignoring\n",
        "fatal: nonconformant arguments\ncc -c a.c\ncc -c b.c\ncc -c c.c\nmake: [Makefile:4: x] Error 1 (ignored)\n",
    ],
)
def test_an_error_is_reported_where_something_else_is_ignored(log: str) -> None:
    assert any("nonconformant arguments" in message for message in messages(log))


# EX-11
def test_a_failure_that_stays_after_the_last_retry_is_reported_where_it_is_printed_last() -> None:
    attempt = "##[error]fatal: couldn't find remote ref refs/tags/till\nThe process 'git' failed with exit code 128\n"
    log = attempt + "Waiting 10 seconds before trying again\n" + attempt
    errors = [error for error in read_log(log.encode()).errors if "remote ref" in error.message]
    assert [error.log_line for error in errors] == [4]
    assert not messages(attempt + "Waiting 10 seconds before trying again\nFetched 3 objects\n")


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        't.cpp(5): error: in "known": check 1 == 2 has failed [1 != 2]\n\n*** No errors detected\n',
        '1: Test command: /bin/sh "-c" "echo error: bad input >&2; exit 3"\n1: error: bad input\n'
        "1/1 Test #1: rejects_bad_input ................   Passed    0.00 sec\n\n"
        "100% tests passed, 0 tests failed out of 1\n",
        "Project version: undefined\n>>> MALLOC_PERTURB_=243 /bin/sh -c 'exit 77'\n\n"
        "1/1 skip      SKIP            0.01s   exit status 77\n\nOk:                 0   \nFail:               0   \n"
        "Skipped:            1   \n",
        "  till: crash_test...=ERROR REPORT==== 29-Nov-2026 ===\nError in process <0.86.0> with exit value:\n"
        '{badmatch,[{till,crash_test,0,[{file,"till.erl"},{line,4}]}]}\n\n[0.051 s] ok\n  2 tests passed.\n',
        "no fatal errors found in 3 files\n+ exit 0\n",
    ],
)
def test_the_commands_and_expected_failures_of_a_run_that_passed_are_no_errors(log: str) -> None:
    assert messages(log) == []


REFUSED = "curl: (7) Failed to connect to 10.0.0.1 port 80: Connection refused"
RECORD = "2026-02-03 10:11:12,323 INFO sync: "


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        f"{REFUSED}\nnot up yet\n{REFUSED}\nnot up yet\nservice is healthy\n",
        "[Suite] errors\nError: bad value (expected)\n  [OK] raises\n",
        "\n".join(["sending incremental file list", "failed.txt", *(f"till/{n}.txt" for n in range(4))]),
        "\n".join(["Error: no cached copy", *(f"compiling part {n}" for n in range(20))]),
        f"{RECORD[:24]}ERROR sync: row 7 is skipped\n{TRACE}{RECORD}99 rows are written, 1 is not\n",
        "select count(*) as errors from till;\n errors \n--------\n      0\n(1 row)\n\n"
        "LOG:  aborting any active transactions\n"
        'LOG:  background worker "logical replication launcher" (PID 72) exited with exit code 1\n'
        "LOG:  shutting down\nLOG:  checkpoint starting\nLOG:  checkpoint complete\nLOG:  the database is shut down\n",
    ],
)
def test_lines_that_only_sound_like_errors_are_none_where_the_log_goes_on_and_reports_no_failure(log: str) -> None:
    assert messages(log) == []
    assert messages(log + "##[error]Process completed with exit code 1.\n")
    assert read_log(log.encode(), LogContext(exit_code=1)).errors


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        f"waiting\n{REFUSED}\n",
        f"{REFUSED}\n   at the load balancer\n   at the proxy\n   at the host\n   at the port\nsee the manual\n",
        f"{TRACE}giving up\n{RECORD}stopped\n",
        "Suite\nError: bad value\n\nFinished scanning for reports. Found 0 errors.\n",
    ],
)
def test_an_error_that_nothing_follows_is_reported_in_a_log_that_reports_no_failure(log: str) -> None:
    assert messages(log)


# EX-11
@pytest.mark.parametrize(
    "end",
    [
        ["##[error]Process completed with exit code 1."],
        ["##[error]Bash exited with code '1'."],
        ["[Pipeline] }", "[Pipeline] // stage", "[Pipeline] // node", "[Pipeline] End of Pipeline",
         "ERROR: script returned exit code 1", "Finished: FAILURE"],
        ["", "Exited with code exit status 1", "CircleCI received exit code 1"],
        ["section_end:1796006499:step_script\r\x1b[0Ksection_start:1796006499:cleanup_file_variables\r\x1b[0K"
         "Cleaning up project directory and file based variables",
         "section_end:1796006500:cleanup_file_variables\r\x1b[0KERROR: Job failed: exit code 1"],
    ],
    ids=["Actions", "Azure", "Jenkins", "CircleCI", "GitLab"],
)  # fmt: skip
@pytest.mark.parametrize("last", ["the till is closed on sundays", "+ test 1.3 = 1.2"])
def test_the_last_words_of_a_command_that_failed_are_reported_whatever_the_system_prints_below(
    end: list[str], last: str
) -> None:
    log = "\n".join(["counting coins", "counted 3 coins", last, *end])
    assert last in messages(log)
    assert any(last == e.message for e in read_log(f"counting\n{last}\n".encode(), LogContext(exit_code=1)).errors)


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        "usage: till.py [-h]\ntill.py: error: unrecognized arguments: --coin\n.\nRan 1 test in 0.01s\n\nOK\n",
        "till.vhd:4:1:@10ns:(report warning): parity error seen\ntill.vhd:5:1:@10ns:(report note): error is gone\n",
        "till.scss:1:3: WARNING: the colour of errors is deprecated\n",
        "***** error <negative> till(-1)\nPASSES 2 out of 3 tests (1 known failure)\n",
        "error: queue is not empty: 3 left\nOk:                 2   \nFail:               0   \n",
        "a.test.ts:\nerror: boom\n(pass) throws [0.1ms]\n\n 1 pass\n",
    ],
)
def test_what_names_itself_a_warning_or_is_of_a_test_that_passed_is_no_error(log: str) -> None:
    assert messages(log) == []


# EX-11
@pytest.mark.parametrize("end", ["        gen till.ml (exit 2)", "ERROR  run failed: command exited (2)"])
def test_a_line_that_only_says_how_a_command_ended_does_not_hide_its_last_words(end: str) -> None:
    log = f"{end}\nthe version file is empty\n##[error]Process completed with exit code 1.\n"
    assert "the version file is empty" in messages(log)


RECAP = "localhost                  : ok=80   changed=80   unreachable=0    failed={}    skipped=0    rescued=0\n"
FATAL = (
    'fatal: [localhost]: FAILED! => {"changed": true, "msg": "non-zero return code", "stderr": "ls: no such file"}\n'
)


# EX-11
def test_what_ansible_ignored_is_no_error_if_its_recap_has_no_failed_task() -> None:
    assert not messages(FATAL + "...ignoring\n" + RECAP.format(0))
    assert messages(FATAL + RECAP.format(1))


# EX-11
@pytest.mark.parametrize(
    "end",
    [
        "ERROR: Job failed: exit code 1",
        "ERROR: script returned exit code 1",
        "\U0001f6a8 Error: The command exited with status 1",
        "##[error]Bash exited with code '1'.",
        "Unsuccessful task run with exit code: 1 completed in 91.2 seconds",
        "Exited with code exit status 1",
    ],
)
def test_a_ci_systems_last_line_is_never_above_a_line_that_says_why(end: str) -> None:
    reason = "s3.conf: unknown directive proxy_passs"
    best = max(read_log(f"{reason}\n{end}\n".encode()).errors, key=lambda error: error.score)
    assert best.message == reason


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        "==7== 10 bytes in 1 blocks are definitely lost\n"
        "Successful task run with exit code: 0 completed in 91.2 seconds\n",
        "curl: (22) The requested URL returned error: 503\ncheck 80/120 failed, waiting 1s\n"
        "service is healthy after 81 checks\n",
        'Error in try(stop("bad row")) : bad row\nrow rejected\n',
        "e.c:3:P:core:error_path:0: Passed\n",
        "warning: variable x is unused\n  lib/err10.ex:2: Err10.run/1\n",
    ],
)
def test_what_failed_nothing_is_no_error(log: str) -> None:
    assert not messages(log)


# EX-11
def test_a_percentage_is_no_sign_of_success_where_it_is_below_the_minimum() -> None:
    assert messages("src/a.c  40%\nTOTAL coverage 61% is below 80%\nexit code 2\n")


# EX-11
def test_a_line_of_code_that_complained_again_and_again_ended_no_program() -> None:
    often = [f"worker.pl says: cannot open ledger {n} at s.pl line 1." for n in range(20)]
    assert not messages("\n".join([*often, "20 recoveries", ""]))
    assert messages("\n".join([*often, "make: *** [Makefile:3: all] Error 2", ""]))
    assert messages(f"{often[0]}\n")
