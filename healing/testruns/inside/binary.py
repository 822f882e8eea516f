"""Runs one program for `go test -exec` and cargo's runner. A test binary's results are reported to Heal by this
process, which the code under test is not part of; any other program runs unchanged. Its arguments are the kind of Go's
binaries (`binary` or `marked`) and the program's command.

A Go test binary is asked for the results of all its tests (`-test.v=test2json`); what it would not have printed
otherwise is filtered out again. A memory profile, which is written after the last test, shows that it ran to its end.
"""

import os
import re
import signal
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
# From Go 1.20 on a test binary can mark its own lines; unmarked lines of the same form were printed by the code.
MARKED = sys.argv[1:2] == ["marked"]
MARK = b"\x16" if MARKED else b""
GO_RESULT = re.compile(MARK + rb"( *)--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$")
GO_STEP = re.compile(MARK + rb"=== (RUN|PAUSE|CONT|NAME) +(\S*)$")
GO_LOG = re.compile(rb"^ {4,}[^\s:]+\.go:\d+: |^ {8,}\S")
OUTCOMES = {b"PASS": "passed", b"FAIL": "failed", b"SKIP": "skipped", b"ok": "passed", b"FAILED": "failed"}
RUST_RUNNING = re.compile(rb"^running (\d+) tests?$")
RUST_TEST = re.compile(rb"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)?")
RUST_RESULT = re.compile(rb"^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored")
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def sender() -> "Any":
    names: dict[str, Any] = {"__name__": "report"}
    with open(os.path.join(HERE, "reporting.py"), encoding="utf-8") as file:
        exec(compile(file.read(), "<report>", "exec"), names)  # noqa: S102
    return names["connected"](os.path.join(HERE, "report"))


def started(argv: "list[str]") -> "subprocess.Popen[bytes]":
    """Starts the program with its output piped. Termination signals to this process are forwarded to it."""
    same_output = os.path.sameopenfile(1, 2)
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if same_output else None)
    for number in FORWARDED:
        signal.signal(number, lambda got, _: child.send_signal(got))
    return child


def exit_like(code: int) -> int:
    """Returns the exit code, or ends this process with the same signal."""
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), -code)
    return code


def show(text: bytes) -> None:
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def temporary() -> str:
    """A path to a new folder with an unpredictable name."""
    import tempfile

    return tempfile.mkdtemp()


def removed(path: str) -> None:
    import shutil

    shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def logged(path: str) -> int:
    """The number of results in a log of Rust's test harness; -1 if it can't be read."""
    try:
        with open(path, "rb") as file:
            return sum(line.split(b" ", 1)[0] in (b"ok", b"failed", b"ignored", b"ignored,") for line in file)
    except OSError:
        return -1


class Quiet:
    """Filters a Go test binary's output to what it prints without -v: only the logs of failed tests, below their
    results."""

    def __init__(self) -> None:
        self.logs: dict[bytes, list[bytes]] = {}
        self.now = b""
        self.failed: list[tuple[int, bytes]] = []

    def shown(self, line: bytes, step: "Any", result: "Any") -> bytes:
        """The part of a line that is printed."""
        if step:
            self.now = step[2]
            return line[: step.start()]
        if result:
            return line[: result.start()] + self._result(result)
        if self.now and GO_LOG.match(line):
            self.logs.setdefault(self.now, []).append(line)
            return b""
        return line

    def _result(self, result: "Any") -> bytes:
        """The printed form of a result; a test comes before its subtests."""
        own = b"".join(result[1] + log for log in self.logs.pop(result[3], []))
        return result[0].lstrip(b"\x16") + b"\n" + own if result[2] == b"FAIL" else b""


def go(argv: "list[str]", send: "Any") -> int:
    """Runs a Go test binary."""
    verbose = any(word.startswith("-test.v") and word not in ("-test.v=false",) for word in argv)
    more, profile = [], ""
    if not any(word.startswith("-test.memprofile") for word in argv):
        profile = os.path.join(temporary(), "end")
        more = ["-test.memprofile=" + profile]
    as_json = "-test.v=test2json" in argv
    flag = "-test.v=test2json" if MARKED else "-test.v=true"
    send({"k": "begin", "runner": "go", "cwd": os.getcwd()})
    child = started([argv[0], *more, flag, *[word for word in argv[1:] if not word.startswith("-test.v")]])
    quiet, outcomes, ended, package = Quiet(), {}, False, os.getcwd()
    for line in child.stdout or ():
        text = line.rstrip(b"\r\n")
        step, result = GO_STEP.search(text), GO_RESULT.search(text)
        if step and step[1] == b"RUN":
            outcomes[step[2]] = "unrun"
            send({"k": "ids", "ids": [go_id(package, step[2])]})
        elif result and result[3] in outcomes:
            outcomes[result[3]] = OUTCOMES[result[2]]
            send({"k": "test", "id": go_id(package, result[3]), "o": OUTCOMES[result[2]]})
        ended = ended or text.endswith((b"PASS", b"FAIL"))
        show(line if as_json else line.replace(b"\x16", b"") if verbose else quiet.shown(line, step, result))
    code = child.wait()
    at_end = not profile or os.path.exists(profile)
    if profile:
        removed(profile)
    if code or (ended and at_end and "unrun" not in outcomes.values()):
        send({"k": "end"})
    return code


def go_id(package: str, name: bytes) -> str:
    top, slash, part = name.decode("utf-8", "replace").partition("/")
    return package + " " + top + ("[" + part if slash else "")


def rust(argv: "list[str]", send: "Any") -> int:
    """Runs a test binary of Rust's own harness; one of another kind reports nothing."""
    name = re.sub(r"-[0-9a-f]{16}$", "", os.path.basename(argv[0]))
    # The harness's own log (deprecated from Rust 1.8x on): the code's output can't be mistaken for it.
    log = "" if "--logfile" in argv or not os.path.sameopenfile(1, 2) else os.path.join(temporary(), "log")
    child = started([*argv, "--logfile", log] if log else argv)
    seen, expected, ended, failed = {}, -1, False, False
    for line in child.stdout or ():
        text = line.rstrip()
        if text == b"warning: `--logfile` is deprecated":
            continue
        show(line)
        running, result = RUST_RUNNING.match(text), RUST_RESULT.match(text)
        if running and expected < 0:
            expected = int(running[1])
            send({"k": "begin", "runner": "cargo", "cwd": os.getcwd()})
        test_line = RUST_TEST.match(text)
        if test_line and test_line[2]:
            seen[test_line[1]] = OUTCOMES.get(test_line[2], "skipped")
        failed = failed or text == b"failures:"
        if failed and line.startswith(b"    "):
            seen[text.strip()] = "failed"
        ended = ended or bool(result and sum(int(result[n]) for n in (2, 3, 4)) == expected)
    code = child.wait()
    if log:
        ended = ended and logged(log) == expected
        removed(log)
    if expected >= 0:
        if len(seen) < expected and (ended or code):  # with -q or --nocapture not every test has a line of its own
            seen = {**rust_listed(argv), **seen}
        for test, outcome in seen.items():
            send({"k": "test", "id": name + " " + test.decode("utf-8", "replace"), "o": outcome})
        if code or (ended and len(seen) == expected):
            send({"k": "end"})
    return code


def rust_listed(argv: "list[str]") -> "dict[bytes, str]":
    """The tests of a binary of Rust's own harness; all count as passed unless they are ignored."""
    words = [word for word in argv if word not in ("-q", "--quiet", "--nocapture", "--show-output")]
    groups: dict[bytes, str] = {}
    for more, outcome in ([], "passed"), (["--ignored"], "skipped"):
        listed = subprocess.run([*words, "--list", "--format", "terse", *more], stdout=subprocess.PIPE, check=False)
        names = [line[: -len(b": test")] for line in listed.stdout.splitlines() if line.endswith(b": test")]
        groups.update(dict.fromkeys(names, outcome))
    return groups


def main() -> int:
    argv = sys.argv[2:]
    if not argv:
        return 2
    of_go = any(word.startswith(("-test.paniconexit0", "-test.timeout=")) for word in argv)
    if of_go and not any(word.startswith(("-test.list", "-test.fuzz=", "-test.bench=")) for word in argv):
        return exit_like(go(argv, sender()))
    of_rust = os.path.basename(os.path.dirname(argv[0])) == "deps"
    if of_rust and "--list" not in argv and "--bench" not in argv:
        return exit_like(rust(argv, sender()))
    return os.execv(argv[0], argv)  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
