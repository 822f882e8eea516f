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
        told = [line[2:].split("|", 2) for line in lines if line.startswith("@ ")]
        rows = [line for line in lines if not line.startswith("@ ")]
        yield Form(name, [(f, int(n) if n else None, words) for f, n, words in told], "\n".join(rows))


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
