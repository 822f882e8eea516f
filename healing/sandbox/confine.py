"""The small program that runs one command under Landlock, seccomp and limits, and kills all that it left behind.

Standard library only: `landlock.py` starts it as the sandboxed user with itself, compiled, and its instructions on
standard input (marshal); Heal never imports it. It stays outside of the walls that it puts up.

Every command waits for it to start, so it imports nothing dear: `typing`, `json`, `signal` and `base64` are half of the
time that it would take.
"""

import _signal as signal  # type: ignore[import-not-found]
import ctypes
import marshal
import os
import resource
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

LIBC = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER = 1, 38, 22, 36
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK, TRUNCATE = 1 << 6, 1 << 11, 1 << 14
SWEEP_SECONDS = 10.0


class StoppedError(Exception):
    """Heal said that it is over, or is gone."""


class RulesetAttributes(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("fd", ctypes.c_int32))


class SeccompProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def checked(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def call(number: int, *arguments: "Any") -> int:
    return int(LIBC.syscall(ctypes.c_long(number), *arguments))


def prctl(option: int, *arguments: "Any") -> int:
    padded = [*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments))]
    return checked(LIBC.prctl(option, *padded), f"prctl({option})")


def landlock(rules: list[tuple[str, str]]) -> None:
    """Locks this process and all that it starts into `rules`, pairs of `list`, `read`, `device` or `all` and a path."""
    abi = checked(call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)), "landlock")
    everything = (1 << (16 if abi >= 5 else 15)) - 1
    attributes = RulesetAttributes(everything, 3, 3)  # net: bind and connect; scoped: abstract sockets and signals
    size = ctypes.c_size_t(24 if abi >= 6 else 16)
    ruleset = checked(call(CREATE_RULESET, ctypes.byref(attributes), size, ctypes.c_uint32(0)), "landlock")
    for right, path in rules:
        allow(ruleset, right, path, everything & ~MAKE_CHAR & ~MAKE_BLOCK)
    checked(call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "landlock_restrict_self")
    os.close(ruleset)


def allow(ruleset: int, right: str, path: str, everything: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what isn't there, or isn't this user's to see, needs no right
    of_files = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
    allowed = {"list": READ_DIR, "read": EXECUTE | READ_FILE | READ_DIR, "device": READ_FILE | WRITE_FILE}.get(right)
    allowed = everything if allowed is None else allowed
    if not os.path.isdir(path):
        allowed &= of_files
    beneath = PathBeneath(allowed, fd)
    rule = (ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.byref(beneath), ctypes.c_uint32(0))
    checked(call(ADD_RULE, *rule), f"landlock rule for {path}")
    os.close(fd)


def seccomp(program: bytes) -> None:
    given = SeccompProgram(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(given))


def limits(bounds: dict[str, int]) -> None:
    """Hard limits; `NPROC` counts all tasks of this user, so what already runs is added."""
    for name, value in bounds.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        ceiling = resource.getrlimit(kind)[1]
        wanted = value + tasks() if name == "NPROC" else value
        bound = wanted if ceiling == resource.RLIM_INFINITY else min(wanted, ceiling)
        resource.setrlimit(kind, (bound, bound))


def tasks() -> int:
    """How many processes and threads run as this user."""
    count = 0
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{entry}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{entry}/task"))
        except OSError:
            continue
    return count


def become(told: "dict[str, Any]", status: int, argv: list[str]) -> "NoReturn":
    """In the child: puts up the walls and becomes the command."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
        os.chdir(told["cwd"])
        os.umask(0o022)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        limits(told["limits"])
        prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1))
        landlock(told["rules"])
        seccomp(told["seccomp"])
    except (OSError, ValueError) as error:
        os.write(status, os.fsencode(f"error {error}\n"))
        os._exit(1)
    try:
        os.execvpe(argv[0], argv, told["env"])  # noqa: S606 - that is what this program is for
    except OSError as error:
        os.write(2, os.fsencode(f"{argv[0]}: {error.strerror}\n"))
        os._exit(126 if isinstance(error, PermissionError) else 127)


def sweep() -> None:
    """Kills everything below this process. Orphans come to us, so no child left means nothing left."""
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for pid in below(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        time.sleep(0.002)


def below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", "rb") as stat:
                parent = int(stat.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry))
    found = list(children.get(pid, ()))
    for one in found:
        found.extend(children.get(one, ()))
    return found


def stop(*_: object) -> "NoReturn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise StoppedError


def main() -> int:
    told, argv = marshal.load(sys.stdin.buffer), sys.argv[1:]  # noqa: S302 - Heal wrote it
    status = told["status"]
    os.set_inheritable(status, False)
    prctl(PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1))
    code = None
    try:
        signal.signal(signal.SIGTERM, stop)
        prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGTERM))
        if os.getppid() != told["parent"]:
            raise StoppedError
        child = os.fork()
        if child == 0:
            become(told, status, argv)
        while code is None:
            pid, ended = os.waitpid(-1, 0)
            if pid == child:
                code = os.waitstatus_to_exitcode(ended)
    except StoppedError:
        pass
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sweep()
    if code is None:
        return 1
    os.write(status, b"exit %d\n" % code)
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main())
