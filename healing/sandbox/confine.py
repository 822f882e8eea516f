"""The small program that runs one command under Landlock, seccomp and limits, and kills everything that it leaves
behind.

Standard library only: `landlock.py` starts it as the sandboxed user with this file, compiled, and its instructions on
standard input (marshal); Heal never imports it. It stays outside of the restrictions that it sets up.

Every command waits for it to start, so it imports only what is built into the interpreter: importing `os` and `ctypes`
would take longer than everything that it does.
"""

import _ctypes
import _signal as signal  # type: ignore[import-not-found]
import marshal
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER = 1, 38, 22, 36
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK, TRUNCATE = 1 << 6, 1 << 11, 1 << 14
LIMITS = {"FSIZE": 1, "CORE": 4, "NPROC": 6, "NOFILE": 7}  # their numbers, the same on all machines
INFINITY = (1 << 64) - 1
FOLDER, KIND = 0o040000, 0o170000
SWEEP_SECONDS = 10.0


class StoppedError(Exception):
    """Heal has ended this job, or is gone."""


class Word64(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """64 bits. The kernel's structures used here are arrays of these, since all supported machines are little
    endian."""

    _type_ = "L"


class Byte(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """Eight bits."""

    _type_ = "B"


class Answer(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """The return value of a C library function."""

    _type_ = "l"


class Function(_ctypes.CFuncPtr):
    """A function of the C library that leaves the reason of a failure in `errno`."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = Answer


LIBC = _ctypes.dlopen(None, posix.RTLD_NOW)  # type: ignore[arg-type]
SYSCALL, PRCTL, PRLIMIT = (Function(_ctypes.dlsym(LIBC, name)) for name in ("syscall", "prctl", "prlimit"))


def words(*values: int) -> "Any":
    """A structure of the kernel as an array of words; as an argument it passes its address."""
    return (Word64 * len(values))(*values)


def called(function: "Any", what: str, *arguments: "int | Any") -> int:
    """The return value of a C library function whose arguments are all 64 bits. Raises OSError for a negative one."""
    answer = int(function(*(Word64(value) if isinstance(value, int) else value for value in arguments)))
    if answer < 0:
        error = _ctypes.get_errno()
        raise OSError(error, f"{what}: {posix.strerror(error)}")
    return answer


def prctl(option: int, *arguments: "int | Any") -> None:
    called(PRCTL, f"prctl({option})", option, *arguments, *[0] * (4 - len(arguments)))


def landlock(rules: list[tuple[str, str]]) -> None:
    """Restrict this process and everything that it starts to `rules`: pairs of a right (`list`, `read`, `write`,
    `device` or `all`) and a path."""
    abi = called(SYSCALL, "landlock", CREATE_RULESET, 0, 0, 1)
    everything = (1 << (16 if abi >= 5 else 15)) - 1
    attributes = words(everything, 3, 3)  # net: bind and connect; scoped: abstract sockets and signals
    ruleset = called(SYSCALL, "landlock", CREATE_RULESET, attributes, 24 if abi >= 6 else 16, 0)
    for right, path in rules:
        allow(ruleset, right, path, everything & ~MAKE_CHAR & ~MAKE_BLOCK)
    called(SYSCALL, "landlock_restrict_self", RESTRICT_SELF, ruleset, 0)
    posix.close(ruleset)


def allow(ruleset: int, right: str, path: str, everything: int) -> None:
    try:
        fd = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
    except OSError:
        return  # what doesn't exist, or this user can't see, needs no rule
    of_files = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
    allowed = {"list": READ_DIR, "read": EXECUTE | READ_FILE | READ_DIR, "device": READ_FILE | WRITE_FILE}.get(right)
    allowed = WRITE_FILE if right == "write" else allowed
    allowed = everything if allowed is None else allowed
    if posix.fstat(fd).st_mode & KIND != FOLDER:
        allowed &= of_files
    called(SYSCALL, f"landlock rule for {path}", ADD_RULE, ruleset, 1, words(allowed, fd), 0)
    posix.close(fd)


def seccomp(program: bytes) -> None:
    steps = (Byte * len(program)).from_buffer_copy(program)
    prctl(PR_SET_SECCOMP, 2, words(len(program) // 8, _ctypes.addressof(steps)))


def limits(bounds: dict[str, int]) -> None:
    """Set hard limits. `NPROC` counts all tasks of this user, so those that already run are added."""
    for name, value in bounds.items():
        now = words(0, 0)
        called(PRLIMIT, name, 0, LIMITS[name], 0, now)
        wanted = value + tasks() if name == "NPROC" else value
        bound = wanted if now[1] == INFINITY else min(wanted, now[1])
        called(PRLIMIT, name, 0, LIMITS[name], words(bound, bound), 0)


def tasks() -> int:
    """The number of processes and threads that run as this user."""
    count, uid = 0, posix.getuid()
    for entry in filter(str.isdigit, posix.listdir("/proc")):
        try:
            if posix.stat(f"/proc/{entry}").st_uid == uid:
                count += len(posix.listdir(f"/proc/{entry}/task"))
        except OSError:
            continue
    return count


def become(orders: "dict[str, Any]", status: int, argv: list[str]) -> "NoReturn":
    """In the child process: apply all restrictions and become the command."""
    try:
        posix.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        posix.chdir(orders["cwd"])
        posix.umask(0o022)
        posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
        for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        limits(orders["limits"])
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        landlock(orders["rules"])
        seccomp(orders["seccomp"])
    except (OSError, ValueError) as error:
        posix.write(status, encoded(f"error {error}\n"))
        posix._exit(1)
    execute(argv, orders["env"])


def execute(argv: list[str], env: dict[str, str]) -> "NoReturn":
    """Become the command, searched for in PATH as by a shell. Failure is reported with a shell's message and exit
    code."""
    failure = OSError(2, posix.strerror(2))
    for path in candidates(argv[0], env.get("PATH", "")):
        try:
            posix.execve(path, argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            failure = error
    posix.write(2, encoded(f"{argv[0]}: {failure.strerror}\n"))
    posix._exit(126 if isinstance(failure, PermissionError) else 127)


def candidates(name: str, path: str) -> "Iterator[str]":
    if "/" in name:
        yield name
    else:
        yield from (f"{folder or '.'}/{name}" for folder in path.split(":"))


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def sweep() -> None:
    """Kill everything below this process. Orphans are reparented to it, so that no child left means nothing left."""
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        try:
            while posix.waitpid(-1, posix.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for pid in below(posix.getpid()):
            try:
                posix.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        time.sleep(0.002)


def below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in filter(str.isdigit, posix.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", "rb") as stat:
                parent = int(stat.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry))
    descendants = list(children.get(pid, ()))
    for descendant in descendants:
        descendants.extend(children.get(descendant, ()))
    return descendants


def stop(*_: object) -> "NoReturn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise StoppedError


def main() -> int:
    orders, argv = marshal.load(sys.stdin.buffer), sys.argv[1:]  # noqa: S302 - Heal wrote it
    status = orders["status"]
    posix.set_inheritable(status, False)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    code = None
    try:
        signal.signal(signal.SIGTERM, stop)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if posix.getppid() != orders["parent"]:
            raise StoppedError
        for gate in orders["gates"]:  # written to once this process is in its control group
            if not posix.read(gate, 1):
                raise StoppedError
            posix.close(gate)
        child = posix.fork()
        if child == 0:
            become(orders, status, argv)
        while code is None:
            pid, status_code = posix.waitpid(-1, 0)
            if pid == child:
                code = posix.waitstatus_to_exitcode(status_code)
    except StoppedError:
        pass
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sweep()
    if code is None:
        return 1
    posix.write(status, b"exit %d\n" % code)
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    posix._exit(main())  # a regular interpreter shutdown takes half as long as its start
