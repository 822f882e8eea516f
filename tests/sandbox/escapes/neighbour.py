"""Something else that the same user runs: `python neighbour.py MARKER` makes System V and POSIX objects of its own,
says their numbers as JSON, and on a line of input what has become of them; then it takes them away."""

import ctypes
import json
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
INTEL = os.uname().machine == "x86_64"
NEW = 0o1666
MESSAGE = b"message\0"


def main(marker: str) -> None:
    queue = f"heal-test-{marker}".encode()
    memory = libc.shmget(0, ctypes.c_size_t(4096), NEW)
    semaphores = libc.semget(0, 1, NEW)
    messages = libc.msgget(0, NEW)
    libc.semctl(semaphores, 0, 16, 1)
    libc.msgsnd(messages, struct.pack("l", 1) + MESSAGE, ctypes.c_size_t(len(MESSAGE)), 0)
    libc.syscall(240 if INTEL else 180, queue, os.O_CREAT | os.O_RDWR, 0o666, None)
    reported = {"memory": memory, "semaphores": semaphores, "messages": messages, "queue": queue.decode()}
    print(json.dumps(reported), flush=True)
    sys.stdin.readline()
    got = libc.msgrcv(
        messages, ctypes.create_string_buffer(64), ctypes.c_size_t(len(MESSAGE)), ctypes.c_long(0), 0o4000
    )
    still = {
        "shared memory": libc.shmctl(memory, 2, ctypes.create_string_buffer(256)) == 0,
        "semaphore": libc.semctl(semaphores, 0, 12) == 1,
        "message": got == len(MESSAGE),
        "named queue": libc.syscall(241 if INTEL else 181, queue) == 0,
    }
    libc.shmctl(memory, 0, None)
    libc.semctl(semaphores, 0, 0)
    libc.msgctl(messages, 0, None)
    print(json.dumps([name for name, there in still.items() if not there]), flush=True)


main(sys.argv[1])
