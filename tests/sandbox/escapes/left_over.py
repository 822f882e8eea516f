"""To leave something behind for the next check or the next run: PLANT runs first, the attempts look for it in another
job with another worktree."""

# ruff: noqa: E501 - a line of a script is an attempt
from healing.sandbox import promises
from tests.sandbox.escapes.attempt import collected

LEFT_KEY = 0x4EA1  # of the System V objects
# Whatever can't be planted is none the worse for us.
PLANT = """
import contextlib
def plant(act):
    with contextlib.suppress(OSError):
        act()
home, temporary = os.environ["HOME"], os.environ["TMPDIR"]
version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
plant(lambda: os.makedirs(f"{home}/.local/lib/{version}/site-packages"))
plant(lambda: os.makedirs(f"{home}/.config/git"))
plant(lambda: os.makedirs(f"{home}/.config/pip"))
for name in (".bashrc", ".bash_profile", ".profile", ".pythonrc.py", ".gitconfig", ".npmrc", ".config/git/config", ".config/pip/pip.conf",
             f".local/lib/{version}/site-packages/usercustomize.py", f".local/lib/{version}/site-packages/x.pth"):
    plant(lambda: write(f"{home}/{name}"))
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", temporary):
    plant(lambda: write(f"{folder}/{host['marker']}-left"))
plant(lambda: called(libc.shmget, 0x4EA1, ctypes.c_size_t(4096), 0o1666))
plant(lambda: called(libc.semget, 0x4EA1, 1, 0o1666))
plant(lambda: called(libc.msgget, 0x4EA1, 0o1666))
plant(lambda: called(240 if INTEL else 180, (host["marker"] + "-left").encode(), os.O_CREAT | os.O_RDWR, 0o666, None))
def daemon(how):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.closerange(0, 3) if how == "closed" else None
            if how == "listening":
                listening = socket.socket(socket.AF_UNIX)
                with contextlib.suppress(OSError):
                    listening.bind("\\0" + host["marker"] + "-left")
                    listening.listen()
            os.execvp("sleep", ["sleep", "97." + host["marker"]])
        os._exit(0)
for how in ("plain", "closed"):
    daemon(how)
with contextlib.suppress(OSError):
    socket.socket(socket.AF_UNIX).close()
    daemon("listening")
for argv in (["nohup", "sleep"], ["setsid", "-f", "sleep"], ["setsid", "--fork", "nohup", "sleep"]):
    plant(lambda: subprocess.Popen([*argv, "97." + host["marker"]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
time.sleep(0.3)
"""

LEFT_OVER, add = collected(promises.PRIVATE_TMP)
add(
    "start-up files for shell, Python, git, pip and npm",
    """
version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
for name in (".bashrc", ".bash_profile", ".profile", ".pythonrc.py", ".gitconfig", ".npmrc", ".config/git/config", ".config/pip/pip.conf", f".local/lib/{version}/site-packages"):
    tries(name, lambda: os.path.lexists(os.environ["HOME"] + "/" + name))
for name in ("BASH_ENV", "ENV", "PYTHONSTARTUP", "PYTHONPATH", "LD_PRELOAD", "GIT_DIR", "GIT_CONFIG", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT"):
    tries(name, lambda: name in os.environ)
""",
)
add(
    "files in the machine's temporary folders",
    """
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", os.environ["TMPDIR"]):
    tries(folder, lambda: os.path.lexists(f"{folder}/{host['marker']}-left"))
""",
)
add(
    "shared memory, semaphores and queues of the last run",
    """
tries("memory", lambda: called(libc.shmget, 0x4EA1, ctypes.c_size_t(0), 0) >= 0)
tries("semaphores", lambda: called(libc.semget, 0x4EA1, 0, 0) >= 0)
tries("messages", lambda: called(libc.msgget, 0x4EA1, 0) >= 0)
tries("queue", lambda: call(240, 180, (host["marker"] + "-left").encode(), os.O_RDONLY))
""",
)
add(
    "daemons of the last run",
    """
tries("socket", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + host["marker"] + "-left") is None)
for pid in filter(str.isdigit, listed("/proc")):
    tries(pid, lambda: read(f"/proc/{pid}/cmdline", ("97." + host["marker"]).encode()))
""",
    promise=promises.TREE_DIES,
)
