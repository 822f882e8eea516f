"""To read what isn't the repository's: Heal's environment, memory and files, other runs, the machine's."""

# ruff: noqa: E501 - a line of a script is an attempt
from healing.sandbox import promises
from tests.sandbox.escapes.attempt import collected

SECRETS, add = collected(promises.NO_READ_OUTSIDE)

add(
    "a canary in any process's environment",
    """
for pid in {*filter(str.isdigit, listed("/proc")), *map(str, host["pids"])}:
    tries(pid, lambda: read(f"/proc/{pid}/environ", host["canary"].encode()))
""",
    promise=promises.NO_PROCESS_SEEN,
    control=True,
)
add(
    "the environment of the first process",
    """tries("/proc/1/environ", lambda: read("/proc/1/environ", host["canary"].encode()))""",
    promise=promises.NO_PROCESS_SEEN,
)
add(
    "command lines, memory maps and open files of others",
    """
for pid in host["pids"]:
    tries(f"cmdline {pid}", lambda: read(f"/proc/{pid}/cmdline", host["marker"].encode()))
    tries(f"maps {pid}", lambda: read(f"/proc/{pid}/maps", b"canary"))
    tries(f"files {pid}", lambda: any(host["marker"] in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")))
""",
    promise=promises.NO_PROCESS_SEEN,
    control=True,
)
add(
    "memory of others through /proc",
    """
for pid in (host["victim"], host["heal_pid"]):
    tries(pid, lambda: host["marker"].encode() in open(f"/proc/{pid}/cmdline", "rb").read() and open(f"/proc/{pid}/mem", "rb"))
""",
    promise=promises.NO_PROCESS_SEEN,
)
add("a file anybody may read", 'tries("read", lambda: read(host["secret"]))', control=True)
add(
    "Heal's data folder",
    'tries("read", lambda: read(host["data_secret"]))\ntries("list", lambda: os.listdir(host["data"]))',
)
add(
    "Heal's home: keys, git and shell configuration",
    """
for name in (".ssh/id", ".gitconfig", ".netrc", ".bashrc"):
    tries(name, lambda: read(host["home"] + "/" + name))
""",
    control=True,
)
add("another run's worktree", 'tries("read", lambda: read(host["sibling"] + "/file"))', control=True)
add(
    "a symlink out of the worktree",
    """
for number, target in enumerate((host["secret"], host["data_secret"], host["sibling"] + "/file", "/etc/shadow")):
    os.symlink(target, f"link{number}")
    tries(target, lambda: read(f"link{number}"))
""",
    control=True,
)
add(
    "a chain of links and a link to a folder",
    """
os.symlink(os.path.dirname(host["secret"]), "folder")
os.symlink("folder", "second")
tries("read", lambda: read("second/secret"))
tries("list", lambda: os.listdir("second"))
""",
    control=True,
)
add(
    "a hard link to a file outside",
    """
for number, target in enumerate((host["secret"], host["sibling"] + "/file", "/etc/passwd-", "/etc/shadow")):
    tries(target, lambda: os.link(target, f"hard{number}") or read(f"hard{number}"))
""",
)
add(
    "a hard link by descriptor",
    """
fd = os.open(host["secret"], os.O_PATH)
tries("empty path", lambda: called(libc.linkat, fd, b"", -100, b"by-fd", 0x1000) == 0 and read("by-fd"))
tries("through /proc", lambda: called(libc.linkat, -100, f"/proc/self/fd/{fd}".encode(), -100, b"by-proc", 0x400) == 0 and read("by-proc"))
tries("reopened", lambda: read(f"/proc/self/fd/{fd}"))
""".replace("fd = os.open", "try:\n    fd = os.open").replace(
        "os.O_PATH)\n", "os.O_PATH)\nexcept OSError:\n    os._exit(0)\n"
    ),
)
add("a file outside moved in", 'tries("rename", lambda: os.rename(host["sibling"] + "/file", "mine") or read("mine"))')
add(
    "dots out of the worktree",
    """
tries("list", lambda: host["marker"] in str(os.listdir("..")))
top = "../" * 30
tries("read", lambda: read(top + host["secret"]))
here = os.open(".", os.O_DIRECTORY)
tries("by descriptor", lambda: os.read(os.open(top + host["secret"], os.O_RDONLY, dir_fd=here), 1))
""",
    control=True,
)
add(
    "the machine's secrets",
    """
for path in ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssl/private"):
    tries(path, lambda: os.listdir(path) if os.path.isdir(path) else read(path))
for path in ("/root", "/home", "/var/lib", "/var/log", "/srv", "/opt", "/boot", "/mnt"):
    tries(path, lambda: os.listdir(path))
""",
)
add(
    "the kernel's log and memory",
    """
for path in ("/dev/kmsg", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmsg"):
    tries(path, lambda: os.open(path, os.O_RDONLY | os.O_NONBLOCK))
tries("syslog", lambda: call(103, 116, 3, ctypes.create_string_buffer(100), 100))
""",
)
add(
    "disks and other devices",
    """
usual = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
for name in {"sda", "vda", "nvme0n1", "loop0", "loop-control", "fuse", "kvm", "net/tun", "uinput", "userfaultfd", "vsock", "mapper/control"}:
    tries(name, lambda: os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK) and True)
for name in set(listed("/dev")) - usual - {"fd", "stdin", "stdout", "stderr", "pts", "shm", "core"}:
    tries(name, lambda: os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK) and True)
""",
)
add(
    "names of files that others make, by inotify",
    """
watching = called(libc.inotify_init1, os.O_NONBLOCK)
for place in (host["outside"], host["sibling"], os.path.dirname(host["secret"])):
    tries(place, lambda: called(libc.inotify_add_watch, watching, place.encode(), 0x100) >= 0)
""",
    control=True,
)
add("what the file system does, by fanotify", 'tries("init", lambda: call(300, 262, 0x200, 0))')
add(
    "a file by its handle",
    """
handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
tries("name", lambda: call(303, 264, -100, host["secret"].encode(), handle, ctypes.byref(mount), 0))
tries("open", lambda: call(304, 265, -100, handle, 0))
""",
    promise=promises.NO_NEW_PRIVILEGES,
)
add(
    "the machine's mounts",
    'tries("listmount", lambda: known(458, 458, 0, 0, 0, 0))\ntries("statmount", lambda: known(457, 457, 0, 0, 0, 0))',
)
add(
    "descriptors that Heal forgot",
    """
for fd in inherited:
    tries(fd, lambda: True)
tries("standard input", lambda: os.read(0, 1))
""",
)
add(
    "descriptors of the first process",
    """
mine = {os.readlink(f"/proc/self/fd/{fd}") for fd in (0, 1, 2) if os.path.exists(f"/proc/self/fd/{fd}")}
def take(fd):
    target = os.readlink(f"/proc/1/fd/{fd}")
    return target not in mine and os.open(f"/proc/1/fd/{fd}", os.O_RDWR | os.O_NONBLOCK) >= 0
for fd in listed("/proc/1/fd"):
    tries(fd, lambda: take(fd))
""",
)
