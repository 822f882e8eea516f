"""read_log as a whole: hostile bytes, steps, paths, the checked-out commit, and honest answers about bad logs."""

import io
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from itertools import zip_longest

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.logs.format import Format
from healing.logs.formats import formats
from healing.logs.lines import BLOCK_BYTES, LINE_CHARS, Line
from healing.logs.paths import Paths
from healing.logs.reading import LogContext, checkout_sha, read_log
from tests.logs import record
from tests.logs.samples import all_samples, as_job_log, stamped

RUFF = "{file}:{line}:1: F401 `os` imported but unused"
PIECES = [path.read_bytes() for path in all_samples()]
HOSTILE = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from([line for piece in PIECES for line in piece.split(b"\n")]),
    st.sampled_from(
        [b"", b"\r", b"\x1b[31", b"\x1b]8;;", b"\xef\xbb\xbf", b"##[group]Run x", b"##[endgroup]", b"E   ", b"=" * 70]
    ),
)


# EX-5
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(HOSTILE, max_size=60).map(b"\n".join))
def test_no_bytes_make_it_raise_and_the_answer_is_always_the_same(log: bytes) -> None:
    report = read_log(log)
    assert read_log(log) == report
    lines = log.count(b"\n") + 1
    assert all(1 <= (error.log_line or 0) <= lines for error in report.errors)
    assert len({error.id for error in report.errors}) == len(report.errors)


# EX-5
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PIECES), st.integers(1, 700))
def test_the_size_of_the_pieces_that_arrive_does_not_matter(log: bytes, size: int) -> None:
    pieces = [log[start : start + size] for start in range(0, len(log), size)]
    assert read_log(pieces) == read_log(log)


# EX-5
@pytest.mark.parametrize("filler", [b"fetching a part of the whole\n", b"all is well\n" * 40 + b"x.py:1 is fine\n"])
def test_where_the_blocks_are_cut_does_not_matter(filler: bytes) -> None:
    for path in all_samples():
        raw = path.read_bytes()
        few = filler * (400 // filler.count(b"\n"))  # so that either log has a rest that is unlike the sample
        around = filler * ((BLOCK_BYTES - len(raw) // 2) // len(filler)) + raw + filler * 3
        reported = [(e.id, e.message, e.excerpt) for e in read_log(few + raw + filler * 3).errors]
        assert [(e.id, e.message, e.excerpt) for e in read_log(around).errors] == reported, path


# EX-5
@pytest.mark.parametrize("megabytes", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_a_giant_log_is_read_in_little_memory(megabytes: int) -> None:
    noise = b"".join(b"2026-01-05T10:00:00.1234567Z fetching part %d of the whole\n" % n for n in range(2000))

    def log() -> Iterator[bytes]:
        for _ in range(megabytes * 1_000_000 // len(noise)):
            yield noise
        yield b"2026-01-05T10:00:00.1234567Z a.py:3:1: F401 `os` imported but unused\n"

    tracemalloc.start()
    report = read_log(log())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [error.file for error in report.errors] == ["a.py"]
    assert peak < 20_000_000


# EX-5
def test_a_line_of_megabytes_costs_its_head_only_and_hides_nothing_after_it() -> None:
    log = b"a" * 3_000_000 + b"\n" + b"E   " + b"(" * 200_000 + b"\nb.py:2:1: F401 `os` imported but unused\n"
    assert [(error.file, error.log_line) for error in read_log(log).errors] == [("b.py", 3)]


# EX-5
@pytest.mark.parametrize(
    "line",
    [
        "a.py:" * 12_000,
        "a " * 30_000,
        "password=" * 7_000,
        "F401 " * 12_000 + "\n --> x:1:1",
        "::error " + "a=b:" * 15_000,
        "=== FAILURES ===\n" + "_ " * 30_000 + "\n" + "E " * 30_000,
        "=== FAILURES ===\n___ t ___\nE   assert " + "a == " * 12_000,
        "=== FAILURES ===\n" + ("a:1: b" * 300 + "\n") * 30,
        "1 failed, " * 6_000,
        "FAILED a[ - " * 5_000,
        "https://" + "a:" * 30_000,
        "eyJ" * 20_000,
        "-----BEGIN PRIVATE KEY-----" * 2_000,
    ],
)
def test_no_line_makes_a_pattern_run_away(line: str) -> None:
    started = time.monotonic()
    read_log(f"{line}\n=== short test summary info ===\nx.py:3: error: {line}\n".encode())
    assert time.monotonic() - started < 3


def made_of(hints: tuple[str, ...]) -> Iterator[str]:
    """Lines as long as any is read, of a format's own hints with what patterns like to repeat between them."""
    words = [hint.rstrip("\n") for hint in hints]
    every = "".join(words[:200])
    yield every * (LINE_CHARS // len(every) + 1)
    for word in words[:6]:
        for filler in ("", " ", "a", "1:", "a/", "a.", "a ", "a.py:1:"):
            yield f"{word}{filler}" * (LINE_CHARS // len(word + filler) + 1)
            yield word + (filler or "(") * (LINE_CHARS // len(filler or "("))
            yield (filler or "(") * (60_000 // len(filler or "(")) + word


# EX-5
@pytest.mark.parametrize("kind", formats(), ids=lambda kind: kind.name)
def test_no_line_made_of_a_formats_own_hints_makes_it_run_away(kind: Format) -> None:
    reader = kind.start(Paths())
    for number, text in enumerate(made_of(kind.hints), start=1):
        started = time.process_time()
        list(reader.read(Line(number, text[:LINE_CHARS])))
        assert time.process_time() - started < 1, text[:60]
    list(reader.close())


def job(*steps: tuple[str, list[str], int]) -> bytes:
    lines: list[str] = []
    for name, output, code in steps:
        lines += [f"##[group]Run {name}", "shell: bash", "##[endgroup]", *output]
        lines += [f"##[error]Process completed with exit code {code}."] if code else []
    return ("\n".join(stamped(lines)) + "\n").encode()


# EX-1 EX-2
def test_errors_are_cut_to_the_failed_step_by_its_name_by_its_command_or_by_its_times() -> None:
    log = job(
        ("ruff check .", [RUFF.format(file="a.py", line=1)], 1),
        ("make lint", [RUFF.format(file="b.py", line=2)], 1),
    )
    all_files = [error.file for error in read_log(log).errors]
    by_command = read_log(log, LogContext(command="make lint\nmake more"))
    by_name = read_log(log, LogContext(step="Run ruff check ."))
    by_time = read_log(log, LogContext(step_started="2026-01-05T10:00:05Z", step_finished="2026-01-05T10:00:09Z"))
    elsewhere = read_log(log, LogContext(step_started="2027-01-01T00:00:00Z", step_finished="2027-01-01T00:00:01Z"))
    assert all_files == ["a.py", "b.py"]
    assert [[error.file for error in r.errors] for r in (by_command, by_name, by_time)] == [
        ["b.py"],
        ["a.py"],
        ["b.py"],
    ]
    assert elsewhere.errors == read_log(log).errors
    assert [(s.name, s.exit_code) for s in by_name.commands] == [("ruff check .", 1), ("make lint", 1)]


# EX-4
def test_an_error_of_the_step_that_failed_scores_higher_than_one_of_a_step_that_went_on() -> None:
    log = job(("a", [RUFF.format(file="a.py", line=1)], 0), ("b", [RUFF.format(file="b.py", line=2)], 2))
    assert [(error.file, error.score) for error in read_log(log).errors] == [("a.py", 0.5), ("b.py", 1.0)]


# EX-2
def test_a_group_that_the_job_itself_names_run_hides_nothing() -> None:
    log = b"##[group]Run tests\na.py:3:1: F401 `os` imported but unused\n##[endgroup]\n"
    assert [error.file for error in read_log(log).errors] == ["a.py"]


# EX-2
@pytest.mark.parametrize(
    ("printed", "file"),
    [
        ("/home/runner/work/r/r/pkg/a.py", "pkg/a.py"),
        ("D:\\a\\r\\r\\pkg\\a.py", "pkg/a.py"),
        ("/__w/r/r/pkg/a.py", "pkg/a.py"),
        ("/sandbox/root/pkg/a.py", "pkg/a.py"),
        ("./pkg/a.py", "pkg/a.py"),
        ("a.py", "pkg/a.py"),
        ("pkg/../pkg/a.py", "pkg/a.py"),
        ("pkg\\a.py", "pkg/a.py"),
        ("new/generated.py", "new/generated.py"),
        ("../../etc/passwd.py", None),
        ("/home/me/shop/.venv/bin/tool.py", None),
        (".tox/py311/bin/tool.py", None),
        ("venv/bin.py", "venv/bin.py"),
        ("/opt/hostedtoolcache/Python/3.11/x64/lib/python3.11/site-packages/x/y.py", None),
        ("/somewhere/else.py", None),
    ],
)
def test_paths_are_told_relative_to_the_repository(printed: str, file: str | None) -> None:
    context = LogContext(known_files={"pkg/a.py", "b/same.py", "c/same.py"}, prefixes=("/sandbox/root",))
    report = read_log(RUFF.format(file=printed, line=3).encode() + b"\n", context)
    assert [error.file for error in report.errors] == [file]


# EX-2
def test_the_last_state_of_a_progress_line_is_what_counts() -> None:
    log = b"10%\r50%\ra.py:3:1: F401 `os` imported but unused\r\n"
    assert [error.file for error in read_log(log).errors] == ["a.py"]


# IN-8
def test_the_merge_commit_that_was_checked_out_is_told_whole_where_the_log_has_it() -> None:
    full = "1a2b3c4" + "0" * 33
    fetch = f"[command]/usr/bin/git fetch --depth=1 origin +{full}:refs/remotes/pull/12/merge"
    head = f"HEAD is now at 1a2b3c4 Merge {'b' * 40} into {'c' * 40}"
    assert read_log(job(("actions/checkout@v5", [fetch, head], 0))).checkout_sha == full
    assert read_log(f"{head}\n".encode()).checkout_sha == "1a2b3c4"
    assert read_log(b"HEAD is now at 1a2b3c4 Fix things\n").checkout_sha is None
    assert checkout_sha(job(("actions/checkout@v5", [fetch, head], 0))) == full


# EX-2
def test_the_output_of_programs_that_write_between_each_other_is_read_as_if_each_had_its_own_log() -> None:
    one, other = ((record.SAMPLES / f"{name}.log").read_text().splitlines() for name in ("pytest/long", "mypy/pretty"))
    mixed = [
        line
        for pair in zip_longest((f"@shop/api:test: {text}" for text in one), (f"web-1  | {text}" for text in other))
        for line in pair
        if line is not None
    ]
    reported = {(e.tool, e.file, e.line, e.message) for e in read_log("\n".join(mixed).encode()).errors}
    alone = {
        (e.tool, e.file, e.line, e.message) for text in (one, other) for e in read_log("\n".join(text).encode()).errors
    }
    assert reported == alone


def archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("0_build.txt", "a.py:3:1: F401 `os` imported but unused\n")
    return buffer.getvalue()


# EX-9
@pytest.mark.parametrize(
    ("log", "word", "readable"),
    [
        (b"", "empty", []),
        (b" \n\n", "empty", []),
        (archive(), "binary", ["a.py"]),
        (bytes(range(128)) * 40, "binary", []),
        ("a.py:3:1: F401 `os` unused\n".encode("utf-16"), "undecodable", ["a.py"]),
        (b"\xff\xfa\xfb\xfc" * 400, "undecodable", []),
        (b"<!doctype html><html><title>Sign in</title></html>", "", []),
    ],
)
def test_a_log_that_can_not_be_read_is_said_to_be_so_with_what_could_be_read(
    log: bytes, word: str, readable: list[str]
) -> None:
    report = read_log(log)
    assert not report.could_look
    assert report.problem.startswith(word)
    assert [error.file for error in report.errors] == readable


# EX-9
def test_no_errors_found_is_another_answer_than_could_not_look() -> None:
    report = read_log(b"all is well\n")
    assert (report.could_look, report.problem, report.errors) == (True, "", ())


# EX-9
def test_a_truncated_log_is_read_and_reported_as_truncated() -> None:
    whole = as_job_log(RUFF.format(file="a.py", line=3).encode() + b"\n")
    report = read_log(whole[: whole.index(b"##[error]")])
    assert report.could_look
    assert report.problem.startswith("truncated")
    assert [error.file for error in report.errors] == ["a.py"]


# EX-9
def test_more_errors_than_are_kept_are_admitted() -> None:
    log = "\n".join(RUFF.format(file="a.py", line=n) for n in range(1, 5200)).encode()
    report = read_log(log)
    assert len(report.errors) == 5000
    assert "were not kept" in report.problem


def test_bad_utf8_spoils_only_itself() -> None:
    log = b"\xff\xfe\xfa noise\n".replace(b"\xff\xfe", b"\xc3") + b"caf\xe9.py:3:1: F401 `os` imported but unused\n"
    assert [error.line for error in read_log(log).errors] == [3]


# IN-3
@pytest.mark.parametrize("root", ["/home/runner/work/r/r/", "file:///home/runner/work/r/r/", ""])
def test_nodes_syntax_error_is_where_node_points_with_and_without_the_root_of_the_paths(root: str) -> None:
    """Checks of our own print paths without it."""
    log = (
        f"\n{root}lib/view.js:153\n  if (stat && stat.isFile() {{\n                            ^\n\n"
        "SyntaxError: Unexpected token '{'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n"
        f"    at Object.<anonymous> ({root}lib/application.js:22:12)\n\nNode.js v20.20.2\n"
    )
    (error,) = read_log(log.encode()).errors
    assert (error.file, error.line) == ("lib/view.js", 153)


# EX-11
def test_a_traceback_right_below_a_compilers_warning_is_an_error_of_its_own() -> None:
    lines = (
        "src/till.h:12:5: warning: unused parameter 'e' [-Wunused-parameter]",
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/migrate", line 6, in <module>',
        "    sys.exit(main())",
        "sqlite3.OperationalError: no such table: coin",
        "##[error]Process completed with exit code 1.",
    )
    found = read_log("\n".join(lines).encode()).errors
    assert "sqlite3.OperationalError: no such table: coin" in [error.message for error in found]
