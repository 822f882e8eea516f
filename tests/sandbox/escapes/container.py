"""`python container.py [--bare] COMMAND…`: starts a command as a container engine does, by a filter that forbids new
namespaces and mounts; `--bare`: on a kernel without Landlock too. For root, who needs no user namespace for it."""

import os
import platform
import struct
import sys

from healing.sandbox import confine
from healing.sandbox.seccomp import (
    ALLOW,
    CLONE,
    ENOSYS,
    LOAD,
    NAMES,
    NEW_NAMESPACES,
    NUMBER,
    REFUSED,
    RETURN,
    UNKNOWN,
    Instruction,
    call,
    refuse,
    without,
)

LANDLOCK = (444, 445, 446)

bare = sys.argv[1] == "--bare"
place = NAMES.index(platform.machine())
steps = [Instruction(LOAD, NUMBER), *call(CLONE[place], without(0, NEW_NAMESPACES))]
steps += call(UNKNOWN["clone3"][place], [refuse(ENOSYS)])
for name in ("unshare", "setns", "mount", "umount2", "pivot_root"):
    steps += call(REFUSED[name][place], [refuse()])
for number in LANDLOCK if bare else ():
    steps += call(number, [refuse(ENOSYS)])
steps.append(Instruction(RETURN, ALLOW))
confine.seccomp(b"".join(struct.pack("=HBBI", step.code, step.yes, step.no, step.operand) for step in steps))
command = sys.argv[1 + bare :]
os.execvp(command[0], command)
