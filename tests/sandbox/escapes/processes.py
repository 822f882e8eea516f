"""To touch what else runs on the machine as the same user: signals, tracing, shared memory, priorities."""

# ruff: noqa: E501 - a line of a script is an attempt
from healing.sandbox import promises
from tests.sandbox.escapes.attempt import collected

PROCESSES, add = collected(promises.NO_PROCESS_TOUCHED)

add(
    "tracing",
    """
for request in (16, 0x4206):  # attach, seize
    tries(request, lambda: called(libc.ptrace, request, host["victim"], 0, 0) == 0)
""",
    control=True,
)
add(
    "memory of another",
    """
buffer = ctypes.create_string_buffer(8)
local = struct.pack("QQ", ctypes.addressof(buffer), 8)
tries("read", lambda: known(310, 270, host["victim"], local, ctypes.c_ulong(1), local, ctypes.c_ulong(1), ctypes.c_ulong(0)))
tries("write", lambda: known(311, 271, host["victim"], local, ctypes.c_ulong(1), local, ctypes.c_ulong(1), ctypes.c_ulong(0)))
tries("mem", lambda: host["marker"].encode() in open(f"/proc/{host['victim']}/cmdline", "rb").read() and open(f"/proc/{host['victim']}/mem", "r+b"))
""",
    control=True,
)
add(
    "descriptors of another",
    """
def take():
    fd = called(434, host["victim"], 0)
    return called(438, fd, 0, 0) >= 0
tries("pidfd_getfd", take)
""",
    control=True,
)
add(
    "is it the same file, map, memory",
    'tries("kcmp", lambda: call(312, 272, os.getpid(), host["victim"], 0, 0, 0))',
    control=True,
)
add(
    "a signal",
    """
tries("kill 0", lambda: os.kill(host["victim"], 0) is None)
tries("kill", lambda: os.kill(host["victim"], signal.SIGURG) is None)
tries("group", lambda: os.killpg(os.getpgid(host["victim"]), 0) is None)
tries("thread", lambda: call(234, 131, host["victim"], host["victim"], signal.SIGURG))
tries("queued", lambda: call(129, 138, host["victim"], signal.SIGURG, struct.pack("3i", signal.SIGURG, 0, -1) + bytes(116)))
tries("by pidfd", lambda: call(424, 424, called(434, host["victim"], 0), signal.SIGURG, None, 0))
tries("Heal", lambda: os.kill(host["heal_pid"], 0) is None and host["marker"].encode() in open(f"/proc/{host['heal_pid']}/environ", "rb").read())
""",
    control=True,
)
add(
    "a signal by a pipe's owner",
    """
reader, writer = os.pipe()
def own():
    fcntl.fcntl(reader, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(reader, fcntl.F_SETOWN, host["second"])
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")
    time.sleep(0.2)
tries("async", own)
""",
    control=False,
)
add(
    "the parent killed",
    """
parent = os.getppid()
grandparent = host["heal_pid"]
try:
    os.kill(grandparent, signal.SIGKILL)
except OSError:
    pass
""",
)
add(
    "priority, processors and limits of another",
    """
pid = host["victim"]
tries("nice", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19) is None)
tries("nice for a user", lambda: os.setpriority(os.PRIO_USER, os.getuid(), 1) is None and not host["own_processes"])
tries("affinity", lambda: os.sched_setaffinity(pid, {0}) is None)
tries("scheduler", lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)) is None)
tries("io priority", lambda: call(251, 30, 1, pid, (2 << 13) | 7))
tries("limits", lambda: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0)) is not None)
tries("oom", lambda: host["marker"].encode() in open(f"/proc/{pid}/cmdline", "rb").read() and write(f"/proc/{pid}/oom_score_adj"))
tries("reclaim", lambda: call(448, 448, called(434, pid, 0), 0))
""",
    control=True,
)
add(
    "semaphores of another",
    """
tries("set", lambda: called(libc.semctl, host["semaphores"], 0, 16, 7) == 0)
tries("take", lambda: called(libc.semop, host["semaphores"], struct.pack("HhH", 0, -1, 0o4000), ctypes.c_size_t(1)) == 0)
tries("read", lambda: called(libc.semctl, host["semaphores"], 0, 12) >= 0)
""",
    control=True,
)
add(
    "shared memory of another",
    """
libc.shmat.restype = ctypes.c_long
tries("attach", lambda: called(libc.shmat, host["memory"], None, 0) > 0)
tries("list", lambda: called(libc.shmctl, 0, 14, ctypes.create_string_buffer(256)) >= 0 and not host["own_processes"])
""",
    control=True,
)
add(
    "shared memory of another removed",
    'tries("remove", lambda: called(libc.shmctl, host["memory"], 0, None) == 0)',
    control=True,
)
add(
    "messages of another",
    """
tries("receive", lambda: called(libc.msgrcv, host["messages"], ctypes.create_string_buffer(64), ctypes.c_size_t(8), ctypes.c_long(0), 0o4000) >= 0)
tries("remove", lambda: called(libc.msgctl, host["messages"], 0, None) == 0)
""",
    control=True,
)
add(
    "a named queue of another",
    """
name = host["queue"].encode()
tries("open", lambda: call(240, 180, name, os.O_RDWR))
tries("remove", lambda: call(241, 181, name))
""",
    control=True,
)
add(
    "control groups",
    """
for root, folders, files in os.walk("/sys/fs/cgroup"):
    folders[:] = folders[:5]
    tries(root, lambda: open(root + "/cgroup.procs", "w"))
""",
)
