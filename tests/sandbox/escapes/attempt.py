"""What an attempt is, and the program that makes a list of them from inside."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Attempt:
    """`script` runs inside, in a process of its own, with what BESIEGER defines; `tries` in it tells of an escape.
    `promise` is the row of the table that forbids it. `control` is whether a bare subprocess of an ordinary user lets
    it through on any machine, which proves that the attempt is one."""

    name: str
    promise: str
    script: str
    control: bool = False


def collected(promise: str) -> tuple[dict[str, Attempt], Callable[..., None]]:
    """A table to fill, and the function that fills it with attempts against `promise`."""
    table: dict[str, Attempt] = {}

    def add(name: str, script: str, *, control: bool = False, promise: str = promise) -> None:
        assert name not in table, name
        table[name] = Attempt(name, promise, script, control)

    return table, add


# Told: sys.argv[1] what there is to steal (scene.py), sys.argv[2] pairs of a name and a script. Says a JSON object for
# each: what escaped, and what broke the script itself (a mistake of ours, as everything refused is an OSError).
BESIEGER = r'''
import ctypes, errno, fcntl, json, mmap, os, re, resource, select, signal, socket, stat, struct, subprocess, sys, time
inherited = []
for fd in range(3, 1024):
    try:
        fcntl.fcntl(fd, fcntl.F_GETFD)
        inherited.append(fd)
    except OSError:
        pass
host, attempts = json.loads(sys.argv[1]), json.loads(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
INTEL = os.uname().machine == "x86_64"

def called(*arguments):
    """A C function's or a system call's answer; OSError when it is an error."""
    act, *rest = arguments
    answer = libc.syscall(ctypes.c_long(act), *rest) if isinstance(act, int) else act(*rest)
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer

def call(intel, arm, *arguments):
    """True when the kernel lets the system call through."""
    if (intel if INTEL else arm) < 0:
        return False
    return called(intel if INTEL else arm, *arguments) >= 0

def known(intel, arm, *arguments):
    """True when the kernel takes the system call up at all, though it may not like these arguments."""
    if (intel if INTEL else arm) < 0:
        return False
    try:
        return called(intel if INTEL else arm, *arguments) >= 0
    except OSError as error:
        return error.errno not in (errno.EPERM, errno.EACCES, errno.ENOSYS)

def read(path, word=b""):
    with open(path, "rb") as found:
        said = found.read(1 << 16)
    return word in said if word else bool(said)

def write(path, how="w"):
    with open(path, how) as out:
        out.write("x")
    return True

def listed(path):
    """The names in a folder; none when that is refused."""
    try:
        return os.listdir(path)
    except OSError:
        return []

def text(path):
    """What a file says; nothing when that is refused."""
    try:
        return open(path).read()
    except OSError:
        return ""

def output_of(*argv):
    """What a program says; nothing when it can't be run."""
    try:
        ended = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=4)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return ended.stdout + ended.stderr

def besiege(script, out):
    def tries(what, act):
        try:
            if act():
                os.write(out, f"escaped {what}\n".encode())
        except (OSError, MemoryError, subprocess.SubprocessError, EOFError):
            pass
    signal.alarm(8)
    try:
        exec(script, {**globals(), "tries": tries})
    except BaseException as error:
        os.write(out, f"broken {error!r}\n".encode())

for name, script in attempts:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        besiege(script, writer)
        os._exit(0)
    os.close(writer)
    told = b""
    while select.select([reader], [], [], 9)[0] and (more := os.read(reader, 1 << 16)):
        told += more
    os.close(reader)
    status = os.waitpid(child, 0)[1]
    told = told.decode().splitlines()
    died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    sys.stdout.write("\n" + json.dumps({"name": name, "said": told, "signal": died}) + "\n")
    sys.stdout.flush()
'''
