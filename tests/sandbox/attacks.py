"""One attack for each row of the table in docs/security.md: a script that tries, and a look at the host afterwards."""

import contextlib
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from healing.process.shell import Completed
from healing.sandbox import promises
from healing.sandbox.job import Limits
from tests.sandbox.host import CANARY, Host, alive

MB = 1 << 20
TWENTY_SECONDS = Limits(seconds=20)
# What every script starts with: `tries` counts an attempt as an escape when it gives something true.
PRELUDE = """
import ctypes, json, mmap, os, resource, signal, socket, subprocess, sys, time
host = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def tries(what, act):
    try:
        if act():
            print("ESCAPED:", what, flush=True)
    except (OSError, MemoryError, ValueError, ImportError):
        pass
"""


@dataclass(frozen=True)
class Attack:
    """`script` runs inside; `seen` looks at the host afterwards and tells what went wrong; `control` is whether a bare
    subprocess lets it through, which proves that the attack is one."""

    script: str
    seen: Callable[[Host, Completed], str] = lambda host, ended: ""
    limits: Limits = TWENTY_SECONDS
    control: bool = True
    killed: str = ""


def received(host: Host, _: Completed) -> str:
    with contextlib.suppress(BlockingIOError):
        return f"a datagram arrived: {host.udp.recv(100)!r}"
    return ""


def written(host: Host, _: Completed) -> str:
    left = sorted(path.name for path in (host.folder / "open").iterdir())
    shared = Path("/dev/shm", host.marker)
    there = shared.exists()
    shared.unlink(missing_ok=True)
    unharmed = (host.folder / "secret").read_text() == CANARY and left == ["socket"] and not there
    return "" if unharmed else f"the host was written to: {left} {there}"


def modes(host: Host, _: Completed) -> str:
    mode = (host.folder / "secret").stat().st_mode & 0o7777
    return "" if mode == 0o666 else f"the mode is now {mode:o}"


def victim_harmed(host: Host, _: Completed) -> str:
    if host.victim.poll() is not None:
        return "the victim was killed"
    pid = host.victim.pid
    limits = Path(f"/proc/{pid}/limits").read_text()
    as_before = os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0)
    unharmed = as_before and "Max cpu time unlimited" in " ".join(limits.split())
    return "" if unharmed else "the victim's priority or limits changed"


def survivors(host: Host, _: Completed) -> str:
    left = alive(f"97.{host.marker}")
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return f"still running: {left}" if left else ""


def file_grew(host: Host, ended: Completed) -> str:
    return "wrote it all" if b"WROTE" in ended.output else ""


def output_grew(host: Host, ended: Completed) -> str:
    return "" if len(ended.output) < MB + 100 and ended.truncated else f"{len(ended.output)} bytes came out"


def temporary_left(host: Host, ended: Completed) -> str:
    lines = ended.output.decode().split()
    return f"{lines[-1]} is still there" if os.path.lexists(lines[-1]) else ""


DAEMON = """
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.closerange(0, 3)
            os.execvp("sleep", ["sleep", "97." + host["marker"]])
        os._exit(0)
for _ in range(5):
    daemon()
time.sleep(0.3)
"""

ATTACKS: dict[str, Attack] = {
    promises.NO_NETWORK: Attack(
        """
tries("tcp", lambda: socket.create_connection(("127.0.0.1", host["port"]), 3))
tries("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", host["udp"])) and 0)
tries("raw", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
tries("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
""",
        received,
    ),
    promises.NO_HOST_SOCKET: Attack(
        """
def connect(name):
    socket.socket(socket.AF_UNIX).connect(name)
    return True
def by_pair(name):
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", name)
tries("abstract", lambda: connect("\\0" + host["abstract"]))
tries("path", lambda: connect(host["socket"]))
tries("datagram pair", lambda: by_pair(host["socket"]))
"""
    ),
    promises.NO_READ_OUTSIDE: Attack(
        """
tries("read", lambda: open(host["secret"]).read())
tries("list", lambda: os.listdir(os.path.dirname(host["secret"])))
os.symlink(host["secret"], "link")
tries("link", lambda: open("link").read())
tries("hard link", lambda: os.link(host["secret"], "hard") or open("hard").read())
tries("rename", lambda: os.rename(host["secret"], "mine") or open("mine").read())
tries("through /proc", lambda: open("/proc/self/root" + host["secret"]).read())
tries("through pid 1", lambda: open("/proc/1/root" + host["secret"]).read())
tries("shadow", lambda: open("/etc/shadow").read())
tries("home", lambda: os.listdir("/root") or os.listdir("/home"))
"""
    ),
    promises.NO_WRITE_OUTSIDE: Attack(
        """
tries("new", lambda: open(host["outside"] + "/new", "w") and 0)
tries("append", lambda: open(host["secret"], "a").write("x") and 0)
tries("truncate", lambda: os.truncate(host["secret"], 0))
tries("folder", lambda: os.mkdir(host["outside"] + "/folder"))
tries("fifo", lambda: os.mkfifo(host["outside"] + "/fifo"))
os.symlink(host["outside"] + "/by-link", "link")
tries("link", lambda: open("link", "w") and 0)
open("mine", "w").write("x")
tries("move out", lambda: os.rename("mine", host["outside"] + "/moved"))
tries("shared memory", lambda: open(host["shm"], "w").write("x") and 0)
for place in ("/usr", "/etc", "/", "/var/tmp", "/run", "/dev", "/sys/kernel", "/proc/sys/kernel"):
    tries(place, lambda: open(place + "/new-file", "w"))
tries("core pattern", lambda: open("/proc/sys/kernel/core_pattern", "w"))
""",
        written,
    ),
    promises.NO_MODE_CHANGE_OUTSIDE: Attack("""tries("chmod", lambda: os.chmod(host["secret"], 0o4777))\n""", modes),
    promises.NO_OWNER_CHANGE_OUTSIDE: Attack(
        """
secret = host["secret"]
tries("owner", lambda: os.chown(secret, os.getuid(), os.getgid()) is None)
tries("owner of a link", lambda: os.lchown(secret, os.getuid(), os.getgid()) is None)
tries("attribute set", lambda: os.setxattr(secret, "user.heal", b"x") is None)
tries("attribute read", lambda: os.getxattr(secret, "user.heal"))
tries("attributes listed", lambda: os.listxattr(secret) is not None)
tries("attribute removed", lambda: os.removexattr(secret, "user.heal") is None)
os.symlink(secret, "attributes")
tries("by a link", lambda: os.setxattr("attributes", "user.heal", b"x") is None)
"""
    ),
    promises.NO_PROCESS_SEEN: Attack(
        """
def peek(pid, what):
    said = open(f"/proc/{pid}/{what}", "rb").read()
    return {"environ": b"SECRET=canary", "cmdline": b"sleep\\0" + b"60.", "maps": b"bin/sleep"}[what] in said
for what in ("environ", "cmdline", "maps"):
    tries(what, lambda: peek(host["victim"], what))
tries("list of processes", lambda: any(peek(entry, "cmdline") for entry in os.listdir("/proc") if entry.isdigit()))
tries("memory", lambda: open(f"/proc/{host['victim']}/mem", "rb"))
"""
    ),
    promises.NO_PROCESS_TOUCHED: Attack(
        """
pid = host["victim"]
tries("limits", lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)) and 0)
tries("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
tries("processors", lambda: os.sched_setaffinity(pid, {0}) or True)
tries("trace", lambda: libc.ptrace(16, pid, 0, 0) == 0)
tries("signal", lambda: os.kill(pid, 0) or True)
os.setsid() if os.getpgrp() != os.getpid() else None
tries("kill", lambda: os.kill(pid, signal.SIGKILL))
""",
        victim_harmed,
    ),
    promises.NO_NEW_PRIVILEGES: Attack(
        """
def call(name, number, *arguments):
    tries(name, lambda: libc.syscall(number, *arguments) >= 0)
tries("may gain privileges by exec", lambda: libc.prctl(39, 0, 0, 0, 0) == 0)
tries("setuid", lambda: os.setuid(0) or True)
intel = os.uname().machine == "x86_64"
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("network", 0x40000000)):
    tries(name + " namespace", lambda: libc.unshare(flag) == 0)
tries("mount", lambda: libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0)
call("keyring", 250 if intel else 219, 0, -3, 1)
call("io_uring", 425, 8, ctypes.create_string_buffer(120))
call("bpf", 321 if intel else 280, 0, ctypes.create_string_buffer(128), 128)
call("userfaultfd", 323 if intel else 282, 1)
call("open_tree", 428, -100, b"/", 1)
tries("crypto socket", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
"""
    ),
    promises.NO_HEAL_INSIDE: Attack(
        """
for python in (sys.executable, "/usr/bin/python3"):
    for module in ("healing", "bot", "dulwich", "anthropic", "githubkit"):
        tries(module, lambda: subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0)
tries("source", lambda: open(host["heal"] + "/healing/model.py").read())
for place in host["packages"]:
    tries(place, lambda: open(place + "/dulwich/__init__.py").read())
""",
        control=False,
    ),
    promises.CLEAN_ENVIRONMENT: Attack(
        """
known = set(json.loads(sys.argv[2])) | {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
for name in set(os.environ) - known:
    print("ESCAPED:", name)
tries("canary", lambda: "canary" in str(os.environ))
""",
        control=False,
    ),
    promises.PRIVATE_TMP: Attack(
        """
tries("host's", lambda: os.path.basename(os.path.dirname(host["secret"])) in os.listdir("/tmp"))
path = os.environ["TMPDIR"] + "/" + host["marker"]
os.makedirs(path + "/closed")
open(path + "/closed/file", "w").write("x")
os.chmod(path + "/closed", 0)
print(path)
""",
        temporary_left,
        control=False,
    ),
    promises.TMP_BOUNDED: Attack(
        """
def fill():
    for number in range(6):
        with open(f"/tmp/{number}", "wb") as out:
            for _ in range(50):
                out.write(bytes(1 << 20))
    return True
tries("300 MB", fill)
""",
        limits=Limits(memory_bytes=400 * MB),
        control=False,
    ),
    promises.TREE_DIES: Attack(DAEMON, survivors),
    promises.TIME_BOUNDED: Attack(
        DAEMON + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)\n",
        limits=Limits(seconds=1),
        control=False,
        killed="time limit 1 s",
    ),
    promises.MEMORY_BOUNDED: Attack(
        """
for _ in range(5):
    if os.fork() == 0:
        held = mmap.mmap(-1, 90 << 20)
        for place in range(0, len(held), 4096):
            held[place] = 1
        time.sleep(60)
time.sleep(15)
print("ESCAPED: 450 MB")
""",
        limits=Limits(seconds=20, memory_bytes=300 * MB),
        control=False,
        killed="memory limit 300 MiB",
    ),
    promises.PROCESSES_BOUNDED: Attack(
        """
made = []
try:
    for _ in range(200):
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        made.append(pid)
    print("ESCAPED: 200 processes")
except BlockingIOError:
    print(len(made))
for pid in made:
    os.kill(pid, signal.SIGKILL)
""",
        limits=Limits(seconds=20, processes=40),
    ),
    promises.FILE_SIZE_BOUNDED: Attack(
        """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def big():
    with open("big", "wb") as out:
        for _ in range(30):
            out.write(bytes(1 << 20))
    return True
tries("30 MB", big)
""",
        limits=Limits(seconds=20, file_bytes=10 * MB),
    ),
    promises.OUTPUT_BOUNDED: Attack(
        """
for _ in range(20):
    sys.stdout.buffer.write(b"x" * (1 << 20))
sys.stdout.flush()
""",
        output_grew,
        limits=Limits(seconds=20, output_bytes=MB),
        control=False,
    ),
}
