"""Tools that nobody named: the forms in which a place and a message stand together."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from healing.logs.reading import read_log

FORMS = Path(__file__).parent / "generic_forms.txt"
NOISE = (
    "Setting up liberror-perl (0.17029-1) ...",
    "+ set -euo pipefail",
    "##[group]Run make check",
    "shell: /usr/bin/bash -e {0}",
    "##[endgroup]",
    "Downloading https://files.example/till-1.0.tar.gz (12 kB)",
    "test shop::tests::error_is_displayed ... ok",
    "cc -Wall -Werror -c error.c -o error.o",
)
AFTER = ("##[error]Process completed with exit code 1.", "Post job cleanup.", "Cleaning up orphan processes")
# What ends jobs, each alone in a log: it has to be among the ten best-ranked.
REASONS = (
    "Error response from daemon: manifest for shop/till:latest not found: manifest unknown: manifest unknown",
    "curl: (22) The requested URL returned error: 404",
    "E: Unable to locate package libtill-dev",
    "ERROR: No matching distribution found for till==9.9.9",
    "OSError: [Errno 28] No space left on device",
    "make: *** [Makefile:12: test] Killed",
    "RuntimeError: No CUDA GPUs are available",
    "Fatal Python error: Segmentation fault",
    "ninja: build stopped: subcommand failed.",
    "fatal: unable to access 'https://git.example/shop/till/': The requested URL returned error: 503",
    "An error occurred (AccessDenied) when calling the PutObject operation: Access Denied",
    "##[error]Unable to download artifact(s): Artifact not found",
    "till/test_coin 1/1 failed! Received signal: SIGSEGV",
    "Command took >30min, returning 124",
    "Build left local git repository checkout dirty",
    "Generated files are out of date, run `make generate`",
    "rsync error: error in rsync protocol data stream (code 12) at io.c(231) [Receiver=3.2.7]",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "exec /usr/bin/till: exec format error",
    "terminate called after throwing an instance of 'std::runtime_error'",
    "Lint failed: 3 files need formatting",
    "TEST-UNEXPECTED-FAIL | till/test_coin.html | got 1, expected 2",
    "till/test_coin 1/1 failed! [5 s]",
    "FAIL: tests/roundtrip.sh",
    "SUMMARY: ThreadSanitizer: data race src/till.cc:12 in count",
    "==9==WARNING: MemorySanitizer: use-of-uninitialized-value",
    "# A fatal error has been detected by the Java Runtime Environment:",
    "lib/till.rb:3: [BUG] Segmentation fault at 0x0000000000000000",
    "fatal error: all goroutines are asleep - deadlock!",
    "*** stack smashing detected ***: terminated",
    "free(): invalid pointer",
    "double free or corruption (out)",
    "malloc(): corrupted top size",
    "LLVM ERROR: Cannot select: t12: i32",
    "PLEASE submit a bug report to the compiler's maintainers and include the crash backtrace.",
    'Fatal error: exception Failure("int_of_string")',
    "till: Prelude.head: empty list",
    "thread caused non-unwinding panic. aborting.",
    "./run.sh: line 3:  1234 Trace/breakpoint trap   (core dumped) ./till",
    "Unhandled exception. System.InvalidOperationException: Sequence contains no elements",
    "REGRESSION: benchmark till_add failed, actual result 12 is 4% higher than expected 11",
    "Expected 3 coins but the drawer holds 2",
)


class Form(NamedTuple):
    """One way of telling: its name, what is told (file, line, words) and the log."""

    name: str
    told: list[tuple[str, int | None, str]]
    log: str


def forms() -> Iterator[Form]:
    """The blocks of the file: `%%% name`, `@ file|line|message` (or `T:` and a test's name), and the lines."""
    for block in FORMS.read_text().split("%%% ")[1:]:
        name, *lines = block.split("\n")
        reported = [line[2:].split("|", 2) for line in lines if line.startswith("@ ")]
        rows = [line for line in lines if not line.startswith("@ ")]
        yield Form(name, [(f, int(n) if n else None, words) for f, n, words in reported], "\n".join(rows))


@pytest.mark.parametrize("form", list(forms()), ids=lambda form: form.name)
def test_a_form_tells_its_places_and_nothing_else(form: Form) -> None:
    errors = read_log(form.log.encode()).errors
    assert len(errors) == len(form.told)
    for error, (file, line, words) in zip(errors, form.told, strict=True):
        assert ((error.file or "").endswith(file.replace("\\", "/")), error.line) == (True, line)
        assert words.removeprefix("T:") in (error.test if words.startswith("T:") else error.message)  # type: ignore[operator]


# EX-4
@pytest.mark.parametrize("reason", REASONS)
def test_what_ended_a_job_is_among_the_ten_best_ranked(reason: str) -> None:
    lines = [*NOISE, reason, *AFTER]
    ranked = sorted(read_log("\n".join(lines).encode()).errors, key=lambda error: -error.score)[:10]
    assert any(error.log_line == len(NOISE) + 1 for error in ranked)


WARNINGS = [f"src/a{n}.c:{n}:3: warning: unused parameter 'x'" for n in range(1, 40)]


# EX-11
def test_what_ended_a_job_is_not_crowded_out_by_what_a_compiler_says_aside() -> None:
    lines = [
        *WARNINGS,
        "linking",
        "Fatal Python error: Aborted",
        "all is said",
        "##[error]Process completed with exit code 1.",
    ]
    ranked = sorted(read_log("\n".join(lines).encode()).errors, key=lambda error: -error.score)
    assert "Fatal Python error: Aborted" in [error.message for error in ranked[:10]]


# EX-11
@pytest.mark.parametrize(
    "ending",
    [
        "##[error]Process completed with exit code 1.",
        "ERROR: Job failed: exit code 1",
        "make: *** [Makefile:12: check] Error 2",
        "Build step 'Execute shell' marked build as failure",
        'The command "./run.sh" exited with 3.',
        "Exited with code exit status 1",
        "[taskcluster 2026-01-05 10:00:00.000Z] Unsuccessful task run with exit code: 1 completed in 12 seconds",
    ],
)
def test_where_nothing_is_loud_the_line_before_the_exit_is_reported(ending: str) -> None:
    lines = [*NOISE, "The drawer holds 2 coins, 3 were counted", ending]
    reported = {error.log_line for error in read_log("\n".join(lines).encode()).errors}
    assert len(NOISE) + 1 in reported
