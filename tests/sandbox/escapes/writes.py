"""To change what isn't the repository's: the machine, Heal, the toolchain, what the next check will run."""

# ruff: noqa: E501 - a line of a script is an attempt
from healing.sandbox import promises
from tests.sandbox.escapes.attempt import collected

WRITES, add = collected(promises.NO_WRITE_OUTSIDE)

add("a folder that anybody may write to", 'tries("new", lambda: write(host["outside"] + "/by-write"))', control=True)
add(
    "another run's worktree, written",
    """
tries("append", lambda: write(host["sibling"] + "/file", "a"))
tries("new", lambda: write(host["sibling"] + "/new"))
tries("truncate", lambda: os.truncate(host["sibling"] + "/file", 0) is None)
tries("remove", lambda: os.unlink(host["sibling"] + "/second") is None)
tries("hook", lambda: os.mkdir(host["sibling"] + "/.git") is None)
""",
    control=True,
)
add(
    "the base that worktrees share",
    """
for path in (host["base"] + "/shared", *re.findall(r"lowerdir=([^,]*)", text("/proc/self/mountinfo"))):
    tries(path, lambda: write(path, "a") or os.listdir(path))
if os.path.exists("shared"):
    write("shared", "a")
    os.unlink("other")
    os.mkdir("marked")
    tries("redirected", lambda: os.setxattr("marked", "user.overlay.redirect", b"/../../../../etc") is None and read("marked/passwd"))
    tries("linked", lambda: os.link("shared", "again") or os.chmod("again", 0o666) or False)
""",
)
add(
    "Heal's data and home, written",
    """
for path in (host["data_secret"], host["data"] + "/planted", host["home"] + "/.bashrc", host["home"] + "/.gitconfig"):
    tries(path, lambda: write(path, "a"))
""",
)
add(
    "through a link",
    """
os.symlink(host["outside"] + "/by-link", "dangling")
tries("create", lambda: write("dangling"))
os.symlink(host["outside"], "out")
tries("folder", lambda: os.mkdir("out/folder") is None)
tries("rename out", lambda: write("mine") and os.rename("mine", "out/renamed") is None)
tries("link out", lambda: write("mine") and os.link("mine", "out/linked") is None)
""",
    control=True,
)
add(
    "other kinds of files outside",
    """
tries("fifo", lambda: os.mkfifo(host["outside"] + "/fifo") is None)
tries("symlink", lambda: os.symlink("/etc", host["outside"] + "/symlink") is None)
tries("socket", lambda: socket.socket(socket.AF_UNIX).bind(host["outside"] + "/bound") is None)
tries("unnamed", lambda: os.open(host["outside"], os.O_TMPFILE | os.O_RDWR, 0o600))
""",
    control=True,
)
add(
    "the system's folders",
    """
for place in ("/usr", "/usr/bin", "/usr/local/bin", "/usr/lib", "/etc", "/", "/var", "/var/tmp", "/run", "/dev", "/lib", "/opt", "/srv", "/mnt", "/boot"):
    tries(place, lambda: write(place + "/heal-test-new"))
""",
)
add(
    "the system's files",
    """
for path in ("/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/etc/ld.so.preload", "/etc/ld.so.cache", "/etc/profile", "/usr/bin/env"):
    tries(path, lambda: os.close(os.open(path, os.O_WRONLY)) is None)
    tries(path, lambda: os.unlink(path) is None)
""",
)
add(
    "the kernel's settings",
    """
for path in ("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "vm/drop_caches", "vm/overcommit_memory", "kernel/randomize_va_space",
             "fs/binfmt_misc/register", "net/ipv4/ip_forward", "user/max_user_namespaces", "kernel/yama/ptrace_scope"):
    tries(path, lambda: os.close(os.open("/proc/sys/" + path, os.O_WRONLY)) is None and path != "net/ipv4/ip_forward")
for path in ("/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"):
    tries(path, lambda: os.open(path, os.O_WRONLY))
""",
)
add(
    "/sys",
    """
for path in ("/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/debug", "/sys/fs/bpf"):
    tries(path, lambda: write(path + "/x" if os.path.isdir(path) else path))
""",
)
add(
    "jobs for later",
    """
line = "* * * * * touch " + host["outside"] + "/by-cron\\n"
for path in ("/etc/cron.d/x", "/var/spool/cron/crontabs/x", "/var/spool/cron/x", "/etc/systemd/system/x.service", "/etc/init.d/x",
             host["home"] + "/.config/systemd/user/x.service", "/var/spool/at/x"):
    tries(path, lambda: open(path, "w").write(line))
def ask_tool(argv, text):
    return subprocess.run(argv, input=text.encode(), capture_output=True, timeout=4).returncode == 0
tries("crontab", lambda: ask_tool(["crontab", "-"], line))
tries("at", lambda: ask_tool(["at", "now"], "touch " + host["outside"] + "/by-at"))
tries("systemd-run", lambda: ask_tool(["systemd-run", "--user", "touch", host["outside"] + "/by-systemd"], ""))
tries("systemd-run, system", lambda: ask_tool(["systemd-run", "touch", host["outside"] + "/by-systemd"], ""))
""",
)
add(
    "the tools of the next check",
    """
import site, sysconfig
for folder in {*os.environ["PATH"].split(":"), *filter(None, sys.path), sysconfig.get_paths()["purelib"], sysconfig.get_paths()["stdlib"], sys.prefix, sys.base_prefix}:
    for name in ("sitecustomize.py", "usercustomize.py", "planted.pth", "git", "ruff"):
        tries(folder + "/" + name, lambda: os.path.isdir(folder) and os.close(os.open(folder + "/" + name, os.O_CREAT | os.O_WRONLY)) is None)
tries("the interpreter", lambda: os.open(os.path.realpath(sys.executable), os.O_WRONLY))
""",
)
add(
    "attributes of files outside",
    """
for path in (host["secret"], host["sibling"] + "/file"):
    tries("truncate", lambda: os.truncate(path, 0) is None)
    tries("append only", lambda: os.open(path, os.O_WRONLY | os.O_APPEND))
    tries("allocate", lambda: os.posix_fallocate(os.open(path, os.O_RDWR), 0, 10) is None)
""",
    control=True,
)
MODES, add = collected(promises.NO_MODE_CHANGE_OUTSIDE)
add(
    "modes, owners, times of files outside",
    """
path = host["sibling"] + "/file"
tries("chmod", lambda: os.chmod(path, 0o777) is None)
tries("times", lambda: os.utime(path, (1, 1)) is None)
tries("owner", lambda: os.chown(path, os.getuid(), os.getgid()) is None)
tries("attribute", lambda: os.setxattr(path, "user.x", b"x") is None)
tries("flags", lambda: fcntl.ioctl(os.open(path, os.O_RDONLY), 0x40086602, struct.pack("q", 0x80)) == 0)
""",
    control=True,
)
