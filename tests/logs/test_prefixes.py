"""What CI systems and wrappers print before each line: the errors are those of the tool's own output."""

from collections.abc import Callable

import pytest

from healing.logs.lines import BLOCK_BYTES, clean
from healing.logs.reading import read_log
from tests.logs.record import expected
from tests.logs.samples import SAMPLES

Wrapper = Callable[[int, str], str]


def clock(number: int) -> str:
    return f"{10 + number // 3600 % 14:02d}:{number // 60 % 60:02d}:{number % 60:02d}"


WRAPPERS: dict[str, Wrapper] = {
    "gh run view --log": lambda n, line: f"test (3.12)\tRun make check\t2026-01-05T{clock(n)}.{n:07d}Z {line}",
    "gh run view --log-failed": lambda n, line: (
        f"build\tUNKNOWN STEP\t{chr(0xFEFF) * (n == 0)}2026-01-05T{clock(n)}.{n:07d}Z {line}"
    ),
    "GitLab": lambda n, line: f"2026-01-05T{clock(n)}.{n:06d}Z 0{n // 50 % 2}{'OE'[n % 7 == 0]} {line}",
    "Jenkins timestamps()": lambda n, line: f"[2026-01-05T{clock(n)}.{n % 1000:03d}Z] {line}",
    "Jenkins timestamps, a branch": lambda n, line: f"[2026-01-05T{clock(n)}.{n % 1000:03d}Z] [linux-gcc] {line}",
    "Jenkins Timestamper": lambda n, line: f"{clock(n)}  {line}",
    "CircleCI": lambda n, line: f"2026-01-05T{clock(n)}Z\t{line}",
    "Buildkite": lambda n, line: f"\x1b_bk;t={1767607200000 + n}\x07{line}",
    "Buildkite, timestamp-lines": lambda n, line: f"[2026-01-05T{clock(n)}Z] {line}",
    "Azure": lambda n, line: f"2026-01-05T{clock(n)}.{n:07d}Z {line}",
    "Taskcluster": lambda n, line: f"[task 2026-01-05T{clock(n)}.{n % 1000:03d}Z] {line}",
    "Taskcluster, mozharness": lambda n, line: (
        f"[task 2026-01-05T{clock(n)}.{n % 1000:03d}Z] {clock(n)}     INFO -  {line}"
    ),
    "TeamCity": lambda n, line: f"[{clock(n)}]W:\t [Step 1/3] {line}",
    "Bamboo": lambda n, line: f"build\t05-Jan-2026 {clock(n)}\t{line}",
    "Drone": lambda n, line: f"[test:{n}] {line}",
    "Zuul": lambda n, line: f"2026-01-05 {clock(n)}.{n:06d} | ubuntu-noble | {line}",
    "Cloud Build": lambda n, line: f'Step #3 - "test": {line}',
    "BuildKit": lambda n, line: f"#12 {n / 10:.3f} {line}",
    "act": lambda n, line: f"[CI/test  ]   | {line}",
    "docker compose": lambda n, line: f"web-1  | {line}",
    "docker compose, a container's own name": lambda n, line: f"tests | {line}",
    "docker compose logs --timestamps": lambda n, line: f"web-1  | 2026-01-05T{clock(n)}.{n:09d}Z {line}",
    "journalctl": lambda n, line: f"Jan 05 {clock(n)} runner-7 make[4711]: {line}",
    "ts": lambda n, line: f"Jan  5 {clock(n)} {line}",
    "ts -i": lambda n, line: f"{clock(n)} {line}",
    "TeamCity, a message": lambda n, line: f"[{clock(n)}]i:\t [Step 1/3] {line}",
    "Taskcluster, a browser": lambda n, line: (
        f"[task 2026-01-05T{clock(n)}.{n % 1000:03d}Z] {clock(n)}     INFO -  GECKO(4711) | {line}"
    ),
    "containerd": lambda n, line: f"2026-01-05T{clock(n)}.{n:09d}Z stdout F {line}",
    "a program's own logging": lambda n, line: f"2026-01-05 {clock(n)},{n % 1000:03d} - runner - INFO - {line}",
    "a level in brackets": lambda n, line: f"{clock(n)} [info] {line}",
    "dmesg": lambda n, line: f"[{n / 7:10.6f}] {line}",
    "turbo": lambda n, line: f"@shop/web:test: {line}",
    "turbo, no scope": lambda n, line: f"web:build: {line}",
    "lerna": lambda n, line: f"@shop/web: {line}",
    "pnpm -r": lambda n, line: f"packages/web test: {line}",
    "tox -p": lambda n, line: f"py312: {line}",
    "Earthly": lambda n, line: f"             +test | {line}",
    "ray": lambda n, line: f"(pid={4000 + n % 3}) {line}",
    "mpirun --tag-output": lambda n, line: f"[1,{n % 4}]<stdout>:{line}",
    "ts %.s": lambda n, line: f"{1767607200 + n}.{n:06d} {line}",
    "ts [%F %T]": lambda n, line: f"[2026-01-05 {clock(n)}] {line}",
}
AROUND = ["$ make check", "Checking out files", "", "make: entering"]


def samples() -> list[str]:
    """A few tools whose words depend on where a line begins, the longest sample of each."""
    names = ("pytest", "eslint", "rustc", "go-test", "javac", "mypy", "cc")
    paths = [max((SAMPLES / name).glob("*.log"), key=lambda path: path.stat().st_size) for name in names]
    return [f"{path.parent.name}/{path.stem}" for path in paths]


# EX-11
@pytest.mark.parametrize("name", samples())
@pytest.mark.parametrize("wrapper", list(WRAPPERS))
def test_the_errors_are_the_same_behind_the_prefix_of_a_ci_system(wrapper: str, name: str) -> None:
    raw = (SAMPLES / f"{name}.log").read_text()
    lines = [*AROUND, *raw.removesuffix("\n").split("\n")]
    wrapped = "".join(WRAPPERS[wrapper](number, line) + "\n" for number, line in enumerate(lines)).encode()
    assert expected(wrapped) == expected(("\n".join(lines) + "\n").encode())


# EX-11
def test_a_prefix_that_begins_late_in_a_long_log_is_taken_off() -> None:
    noise = "".join(f"copying file {number}\n" for number in range(BLOCK_BYTES // 8))
    reported = "".join(
        f"[12:00:{number % 60:02d}] a.py:{number + 1}:1: F821 Undefined name `x`\n" for number in range(2000)
    )
    errors = read_log((noise + reported).encode()).errors
    assert [error.line for error in errors if error.tool == "ruff"][-1] == 2000


# EX-11
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"src/a.c:{n}:3: warning: unused variable 'x{n}'\n" for n in range(20)),
        "".join(f"[ERROR] /src/A.java:[{n},3] cannot find symbol\n" for n in range(20)),
        "".join(f"ok  \texample.org/shop/p{n}\t0.0{n}s\n" for n in range(20)),
        "".join(f" src/file{n}.c | {n} +-\n" for n in range(20)),
        "".join(f"PASS: test {n}\n" for n in range(20)),
        "".join("work goes on\n" * 9 + f"12:00:{n:02d} request {n}\n" for n in range(10, 40)),
        "".join(f"{n} | let x{n} = 1;\n" for n in range(20)),
    ],
    ids=lambda text: text.split("\n")[0],
)
def test_what_a_tool_itself_prints_at_the_start_of_its_lines_stays(text: str) -> None:
    assert clean(text.encode()) == text


# EX-11
def test_a_tools_own_indentation_stays_behind_a_prefix() -> None:
    text = "".join(f"12:00:{n:02d}     {'  ' * (n % 3)}line {n}\n" for n in range(30))
    assert clean(text.encode()) == "".join(f"{'  ' * (n % 3)}line {n}\n" for n in range(30))
