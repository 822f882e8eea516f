"""A seccomp filter (classic BPF, as the kernel takes it) that blocks system calls no check needs, for x86_64 and
aarch64."""

import functools
import platform
import struct
from dataclasses import dataclass

EPERM, ENOMEM, ENOSYS, ENOTSUP = 1, 12, 38, 95
DONE = 0  # reported as success without doing anything
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; little endian, so the low half first
X32 = 0x40000000

NAMES = ("x86_64", "aarch64")
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET and NEWTIME
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE = 1, 2, 10, 16, 1, 5, 0xF

# name: numbers in the order of NAMES; -1 where an architecture has no such call
REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
    "iopl": (172, -1),
    "ioperm": (173, -1),
    "modify_ldt": (154, -1),
    "uselib": (134, -1),
    "statmount": (457, 457),
    "listmount": (458, 458),
}
# Answered with ENOSYS, as by a kernel without them, so that programs fall back to something else.
UNKNOWN = {
    "clone3": (435, 435),  # its flags lie in memory, out of a filter's reach; libc falls back to clone
    "openat2": (437, 437),  # so does its mode
    "memfd_create": (319, 279),  # memory that belongs to no process, invisible to limits and the watchdog
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),  # lets a pipe hold memory that no longer belongs to a process
}
# Refused with a setuid or setgid mode: (numbers, index of the argument with the mode)
MODES = {
    "chmod": ((90, -1), 1),
    "fchmod": ((91, 52), 1),
    "fchmodat": ((268, 53), 2),
    "fchmodat2": ((452, 452), 2),
    "creat": ((85, -1), 1),
    "open": ((2, -1), 2),
    "openat": ((257, 56), 3),
    "mknod": ((133, -1), 1),
    "mknodat": ((259, 33), 2),
}
SET_ID = 0o6000
# Memory of a namespace that belongs to no process: (numbers, index of the argument with the size, bits that are too
# much). The kernel allows 4096 segments and 32,000 sets of semaphores, so that they stay below 64 MiB each. PostgreSQL
# needs one small segment.
LASTING = {
    "shmget": ((29, 194), 1, ~0x3FFF),
    "semget": ((64, 190), 1, ~0x1F),
}
MSGGET = (68, 186)  # would allow some 500 MiB of messages in a namespace
# Without mounts of its own a command sees the same user's files outside, and Landlock doesn't protect attributes.
# Changes of owner (by path) and extended attributes are refused: an ordinary user's programs continue without them.
# Modes and times can't be refused, since no installer, compiler or `touch` would work.
OWNERS = {
    "chown": (92, -1),
    "lchown": (94, -1),
    "fchownat": (260, 54),
}
ATTRIBUTES = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "getxattrat": (464, 464),
    "listxattrat": (465, 465),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
# Without namespaces of its own a command shares these with everything else of its user.
SHARED = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),  # ids can be guessed, so each of these has to be refused, not only those that create one
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "inotify_add_watch": (254, 27),  # not covered by Landlock; reveals the names of files that others create
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
# Only on the calling process: the first argument, a process id, has to be 0.
ON_ITSELF = {
    "prlimit64": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}
SOCKET, SOCKETPAIR, CLONE, IOCTL, SETPRIORITY = (41, 198), (53, 199), (56, 220), (16, 29), (141, 140)
SETSOCKOPT, PRCTL = (54, 208), (157, 167)
SOL_SOCKET, SO_SNDBUF, SO_RCVBUF, PR_SET_DUMPABLE = 1, 7, 8, 4
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX inject input into a terminal
MOVED_BLOCKS = 0xC028660F  # EXT4_IOC_MOVE_EXT can change a file's content without its times


@dataclass(frozen=True)
class Instruction:
    """One instruction: operation, operand, and how many instructions to skip when a test is true or false."""

    code: int
    operand: int
    yes: int = 0
    no: int = 0


def refuse(errno: int = EPERM) -> Instruction:
    return Instruction(RETURN, ERRNO | errno)


def argument(index: int) -> Instruction:
    return Instruction(LOAD, FIRST_ARGUMENT + 8 * index)


def high(index: int) -> Instruction:
    """Load the upper half of an argument."""
    return Instruction(LOAD, FIRST_ARGUMENT + 8 * index + 4)


def below(index: int, bits: int) -> list[Instruction]:
    """Refuse the call, as if memory were used up, when its argument has one of `bits` or anything in its upper half."""
    tests = [
        high(index),
        Instruction(JUMP_EQUAL, 0, no=2),
        argument(index),
        Instruction(JUMP_ANY_BIT, bits & 0xFFFFFFFF, no=1),
    ]
    return [*tests, refuse(ENOMEM), Instruction(RETURN, ALLOW)]


def report_success(*arguments: tuple[int, tuple[int, ...]]) -> list[Instruction]:
    """Report success without making the call when each argument (by index) is one of its values."""
    steps: list[Instruction] = [refuse(DONE)]
    for index, values in reversed(arguments):
        tests = [Instruction(JUMP_EQUAL, value, yes=len(values) - position) for position, value in enumerate(values)]
        steps = [argument(index), *tests, Instruction(RETURN, ALLOW), *steps]
    return steps


def allow_only_values(index: int, *allowed: int) -> list[Instruction]:
    """Allow the call only when its argument is one of `allowed`."""
    tests = [Instruction(JUMP_EQUAL, value, yes=len(allowed) - position) for position, value in enumerate(allowed)]
    return [argument(index), *tests, refuse(), Instruction(RETURN, ALLOW)]


def refuse_values(index: int, *refused: int) -> list[Instruction]:
    """Refuse the call when its argument is one of `refused`."""
    tests = [Instruction(JUMP_EQUAL, value, yes=len(refused) - position) for position, value in enumerate(refused)]
    return [argument(index), *tests, Instruction(RETURN, ALLOW), refuse()]


def without(index: int, bits: int) -> list[Instruction]:
    """Refuse the call when its argument has one of `bits`."""
    return [argument(index), Instruction(JUMP_ANY_BIT, bits, no=1), refuse(), Instruction(RETURN, ALLOW)]


def call(number: int, body: list[Instruction]) -> list[Instruction]:
    """Apply `body` to this system call. The accumulator holds the call's number, and still does after a call that
    doesn't match."""
    return [Instruction(JUMP_EQUAL, number, no=len(body)), *body] if number >= 0 else []


def isolated(place: int) -> list[Instruction]:
    """Rules for a command with namespaces of its own: its network leads nowhere, so sockets are allowed, except for
    families that a network namespace doesn't contain (vsock, crypto, raw packets)."""
    steps = call(SOCKET[place], allow_only_values(0, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK))
    for numbers, index, bits in LASTING.values():
        steps += call(numbers[place], below(index, bits))
    return steps + call(MSGGET[place], [refuse(ENOSYS)])


def shared(place: int) -> list[Instruction]:
    """Rules for a command in the machine's own namespaces: no socket that could reach anything. A pair of stream or
    packet sockets stays connected to itself; a pair of datagram sockets could be redirected elsewhere."""
    pair = [argument(0), Instruction(JUMP_EQUAL, AF_UNIX, yes=1), refuse(), argument(1), Instruction(AND, SOCK_TYPE)]
    pair += [Instruction(JUMP_EQUAL, SOCK_STREAM, yes=2), Instruction(JUMP_EQUAL, SOCK_SEQPACKET, yes=1), refuse()]
    pair += [Instruction(RETURN, ALLOW)]
    own_priority = [argument(0), Instruction(JUMP_EQUAL, 0, yes=1), refuse(), *allow_only_values(1, 0)]
    steps = call(SOCKET[place], [refuse()]) + call(SOCKETPAIR[place], pair) + call(SETPRIORITY[place], own_priority)
    for numbers in SHARED.values():
        steps += call(numbers[place], [refuse()])
    for numbers in ON_ITSELF.values():
        steps += call(numbers[place], allow_only_values(0, 0))
    for numbers in OWNERS.values():
        steps += call(numbers[place], [refuse()])
    for numbers in ATTRIBUTES.values():
        steps += call(numbers[place], [refuse(ENOTSUP)])
    return steps


@functools.cache
def program(namespaces: bool, machine: str = "") -> bytes:
    """The filter as an array of struct sock_filter. `namespaces`: whether the command has its own network, process and
    ipc namespaces. Raises NotImplementedError for a machine whose system call numbers are not known here."""
    machine = machine or platform.machine()
    if machine not in NAMES:
        raise NotImplementedError(f"no system call table for {machine}; known are {', '.join(NAMES)}")
    place = NAMES.index(machine)
    steps = [
        Instruction(LOAD, ARCHITECTURE),
        Instruction(JUMP_EQUAL, AUDIT[machine], yes=1),
        Instruction(RETURN, KILL),
        Instruction(LOAD, NUMBER),
    ]
    if machine == "x86_64":
        steps += [Instruction(JUMP_AT_LEAST, X32, no=1), refuse()]
    for numbers in REFUSED.values():
        steps += call(numbers[place], [refuse()])
    for numbers in UNKNOWN.values():
        steps += call(numbers[place], [refuse(ENOSYS)])
    steps += call(CLONE[place], without(0, NEW_NAMESPACES))
    for numbers, mode in MODES.values():
        steps += call(numbers[place], without(mode, SET_ID))
    steps += call(IOCTL[place], refuse_values(1, *TERMINAL_INJECTION, MOVED_BLOCKS))
    # Keep socket buffers at the size that the watchdog assumes, and processes readable for it.
    steps += call(SETSOCKOPT[place], report_success((1, (SOL_SOCKET,)), (2, (SO_SNDBUF, SO_RCVBUF))))
    steps += call(PRCTL[place], report_success((0, (PR_SET_DUMPABLE,)), (1, (0,))))
    steps += isolated(place) if namespaces else shared(place)
    steps.append(Instruction(RETURN, ALLOW))
    return b"".join(struct.pack("=HBBI", step.code, step.yes, step.no, step.operand) for step in steps)
