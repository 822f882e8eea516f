"""To become more than an ordinary user without anything: system calls, setuid programs, namespaces, the clock."""

# ruff: noqa: E501 - a line of a script is an attempt
from healing.sandbox import promises
from tests.sandbox.escapes.attempt import collected

PRIVILEGES, add = collected(promises.NO_NEW_PRIVILEGES)

add(
    "setuid programs",
    """
tries("may gain by exec", lambda: libc.prctl(39, 0, 0, 0, 0) == 0)
for argv in (("su", "-c", "id"), ("sudo", "-n", "id"), ("pkexec", "id"), ("doas", "id"), ("newgrp", "root", "-c", "id")):
    tries(argv[0], lambda: b"uid=0" in output_of(*argv))
for argv in (("mount", "-t", "tmpfs", "x", "/tmp"), ("fusermount3", "/tmp"), ("newuidmap", str(os.getpid()), "0", "0", "1")):
    tries(argv[0], lambda: subprocess.run(argv, capture_output=True).returncode == 0)
""",
    control=True,
)
add(
    "another user",
    """
tries("setuid", lambda: os.setuid(0) is None)
tries("setresuid", lambda: os.setresuid(-1, 0, -1) is None)
tries("setgid", lambda: os.setgid(0) is None)
tries("setgroups", lambda: os.setgroups([0]) is None)
tries("file system user", lambda: called(libc.setfsuid, 0) == 0 or called(libc.setfsuid, 0) == 0)
tries("root already", lambda: os.geteuid() == 0 or os.getegid() == 0 or 0 in os.getgroups())
""",
)
add(
    "capabilities",
    """
head, none = struct.pack("Ii", 0x20080522, 0), bytes(24)
data = ctypes.create_string_buffer(none)
called(libc.capget, head, data)
tries("has some", lambda: any(struct.unpack_from("6I", data)[:2]) or any(struct.unpack_from("6I", data)[3:5]))
tries("takes them", lambda: called(libc.capset, head, struct.pack("6I", *[0xFFFFFFFF] * 6)) == 0)
tries("ambient", lambda: called(libc.prctl, 47, 2, 21, 0, 0) == 0)
""",
)
add(
    "new namespaces by unshare",
    """
for name, flag in (("user", 1 << 28), ("mount", 1 << 17), ("network", 1 << 30), ("pid", 1 << 29), ("ipc", 1 << 27), ("uts", 1 << 26), ("cgroup", 1 << 25)):
    tries(name, lambda: called(libc.unshare, (1 << 28) | flag) == 0)
tries("program", lambda: b"uid=0" in output_of("unshare", "-Ur", "id"))
tries("bwrap", lambda: b"uid=0" in output_of("bwrap", "--unshare-user", "--uid", "0", "--bind", "/", "/", "id"))
""",
    control=True,
)
add(
    "new namespaces by clone",
    """
def cloned():
    pid = called(56 if INTEL else 220, ctypes.c_ulong((1 << 28) | 17), 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
tries("clone", cloned)
""",
    control=True,
)
add(
    "new namespaces by clone3",
    """
def cloned():
    pid = called(435, struct.pack("11Q", 1 << 28, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), ctypes.c_size_t(88))
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
tries("clone3", cloned)
""",
    control=True,
)
add(
    "other namespaces",
    """
for pid in (1, host["victim"], os.getppid()):
    for kind in ("user", "mnt", "net", "pid", "ipc", "uts"):
        tries(f"{kind} {pid}", lambda: called(libc.setns, os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY), 0) == 0)
tries("by pidfd", lambda: called(libc.setns, called(434, host["victim"], 0), 1 << 30) == 0)
""",
)
add(
    "mounts",
    """
tries("mount", lambda: called(libc.mount, b"x", b"/tmp", b"tmpfs", 0, None) == 0)
tries("bind", lambda: called(libc.mount, b"/usr", b".", None, 4096, None) == 0)
tries("writable again", lambda: called(libc.mount, None, b"/", None, 32 | 4096, None) == 0)
tries("unmount", lambda: called(libc.umount2, b"/proc", 2) == 0)
tries("fsopen", lambda: call(430, 430, b"tmpfs", 0))
tries("open_tree", lambda: call(428, 428, -100, b"/", 1))
tries("mount_setattr", lambda: call(442, 442, -100, b"/", 0, ctypes.create_string_buffer(32), 32))
tries("move_mount", lambda: known(429, 429, -1, b"", -1, b"", 0))
""",
)
add(
    "another root",
    """
tries("chroot", lambda: os.chroot(".") is None)
tries("pivot_root", lambda: known(155, 41, b".", b"."))
""",
)
add(
    "device nodes",
    """
for name, kind, number in (("disk", stat.S_IFBLK, os.makedev(254, 0)), ("memory", stat.S_IFCHR, os.makedev(1, 1)), ("terminal", stat.S_IFCHR, os.makedev(4, 0))):
    tries(name, lambda: os.mknod(name, 0o666 | kind, number) is None)
""",
)
add(
    "the key ring",
    """
tries("keyctl", lambda: call(250, 219, 0, -3, 1))
tries("add_key", lambda: call(248, 217, b"user", b"heal-test", b"x", ctypes.c_size_t(1), -3))
tries("request_key", lambda: known(249, 218, b"user", b"x", None, 0))
""",
    control=True,
)
add(
    "programs for the kernel",
    """
tries("bpf", lambda: call(321, 280, 0, ctypes.create_string_buffer(struct.pack("4I", 2, 4, 8, 1) + bytes(112)), 128))
attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0) + bytes(112))
tries("perf", lambda: call(298, 241, attributes, 0, -1, -1, ctypes.c_ulong(0)))
tries("module", lambda: known(175, 105, None, ctypes.c_ulong(0), b""))
tries("module by file", lambda: known(313, 273, -1, b"", 0))
""",
)
add("io_uring", 'tries("set up", lambda: call(425, 425, 8, ctypes.create_string_buffer(120)))', control=True)
add("userfaultfd", 'tries("open", lambda: call(323, 282, 1))', control=True)
add(
    "another kernel",
    """
tries("kexec", lambda: known(246, 104, 0, 0, None, 0))
tries("kexec by file", lambda: known(320, 294, -1, -1, 0, None, 0))
tries("reboot", lambda: known(169, 142, 0, 0, 0, None))
tries("program", lambda: b"" != output_of("reboot", "--version") and subprocess.run(["reboot", "-w"], capture_output=True).returncode == 0)
""",
)
add(
    "another time",
    """
tries("settimeofday", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()) is None)
tries("adjtimex", lambda: call(159, 171, ctypes.create_string_buffer(struct.pack("I", 2) + bytes(300))))
tries("date", lambda: subprocess.run(["date", "-s", "@1"], capture_output=True).returncode == 0)
""",
)
add(
    "another name for the machine",
    """
tries("sethostname", lambda: socket.sethostname("owned") is None)
tries("setdomainname", lambda: call(171, 162, b"owned", 5))
""",
)
add(
    "swap, accounting, quotas and ports",
    """
tries("swapon", lambda: known(167, 224, b"/nowhere", 0))
tries("acct", lambda: known(163, 89, b"/nowhere"))
tries("quota", lambda: known(179, 60, 0, b"/", 0, 0))
tries("iopl", lambda: call(172, -1, 3))
tries("ioperm", lambda: call(173, -1, 0, 1, 1))
tries("modify_ldt", lambda: call(154, -1, 0, None, 0))
""",
)
add(
    "calls of other architectures",
    """
def run(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()
if INTEL:
    tries("x32 getpid", lambda: called(0x40000000 + 39) > 0)
    # mov eax, 20 (getpid of the 32-bit table); int 0x80; ret
    tries("32 bit", lambda: run(b"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3") > 0)
""",
)
add(
    "the walls taken down",
    """
tries("seccomp", lambda: called(libc.prctl, 22, 0, 0, 0, 0) == 0)
tries("no filter", lambda: libc.prctl(21, 0, 0, 0, 0) == 0)
tries("privileges", lambda: called(libc.prctl, 38, 0, 0, 0, 0) == 0)
""",
)
add(
    "keys for somebody's terminal",
    """
for fd in (0, 1, 2):
    tries(fd, lambda: fcntl.ioctl(fd, 0x5412, b"x") is not None)
tries("the terminal", lambda: fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), 0x5412, b"x") is not None)
import pty, termios
def own():
    main, other = pty.openpty()
    os.setsid()
    fcntl.ioctl(other, termios.TIOCSCTTY, 0)
    fcntl.ioctl(other, 0x5412, b"x")
    return True
tries("one's own", own)
""",
)

FILES, add = collected(promises.NO_SET_ID_FILE)
add(
    "a file that runs as its owner",
    """
open("made", "w").close()
tries("chmod", lambda: os.chmod("made", 0o4755) is None)
tries("fchmod", lambda: os.chmod(os.open("made", os.O_RDONLY), 0o2755) is None)
tries("fchmodat", lambda: os.chmod("made", 0o4755, dir_fd=os.open(".", os.O_RDONLY)) is None)
tries("fchmodat2", lambda: call(452, 452, -100, b"made", 0o4755, 0))
tries("open", lambda: os.open("opened", os.O_CREAT | os.O_WRONLY, 0o4755))
tries("creat", lambda: called(libc.creat, b"created", 0o4755))
tries("openat2", lambda: call(437, 437, -100, b"opened2", struct.pack("3Q", os.O_CREAT | os.O_WRONLY, 0o4755, 0), ctypes.c_size_t(24)))
tries("mknod", lambda: os.mknod("node", 0o104755) is None)
tries("copy", lambda: output_of("cp", "-p", "/usr/bin/su", "su") == b"" and os.stat("su").st_mode & 0o6000)
tries("install", lambda: output_of("install", "-m", "4755", "/bin/true", "installed") == b"" and os.stat("installed").st_mode & 0o6000)
""",
    control=True,
)
