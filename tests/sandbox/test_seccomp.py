"""The filter's own logic, by running its instructions here: both architectures, every call."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.sandbox import seccomp
from healing.sandbox.seccomp import ALLOW, AUDIT, DONE, ENOMEM, ENOSYS, ENOTSUP, EPERM, ERRNO, KILL, NAMES, program

REFUSED = ERRNO | EPERM
ANSWERS = {KILL, ALLOW, *(ERRNO | errno for errno in (EPERM, ENOSYS, ENOMEM, DONE))}


def verdict(filter: bytes, machine: int, number: int, *arguments: int) -> int:
    """What the kernel would say: a tiny interpreter for the instructions that the filter is made of."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    call = struct.pack("<iIQ6Q", number, machine, 0, *padded)
    accumulator = place = 0
    while True:
        code, yes, no, operand = struct.unpack_from("=HBBI", filter, place * 8)
        place += 1
        if code == seccomp.RETURN:
            return int(operand)
        if code == seccomp.LOAD:
            accumulator = struct.unpack_from("<I", call, operand)[0]
        elif code == seccomp.AND:
            accumulator &= operand
        else:
            tests = {
                seccomp.JUMP_EQUAL: accumulator == operand,
                seccomp.JUMP_AT_LEAST: accumulator >= operand,
                seccomp.JUMP_ANY_BIT: bool(accumulator & operand),
            }
            place += yes if tests[code] else no


@pytest.mark.parametrize("machine", NAMES)
@pytest.mark.parametrize("namespaces", [True, False])
def test_refused_calls_are_refused_and_only_they(machine: str, namespaces: bool) -> None:
    place, filter = NAMES.index(machine), program(namespaces, machine)
    refused = {numbers[place] for numbers in seccomp.REFUSED.values()} - {-1}
    shared = {**seccomp.SHARED, **seccomp.OWNERS}
    refused |= set() if namespaces else {numbers[place] for numbers in shared.values()} - {-1}
    special = {calls[place] for calls in (seccomp.SOCKET, seccomp.SOCKETPAIR, seccomp.CLONE)}
    unknown = {numbers[place] for numbers in seccomp.UNKNOWN.values()} | (
        {seccomp.MSGGET[place]} if namespaces else set()
    )
    absent = set() if namespaces else {numbers[place] for numbers in seccomp.ATTRIBUTES.values()}
    for number in range(500):
        if number not in special:
            answers = ((REFUSED, refused), (ERRNO | ENOSYS, unknown), (ERRNO | ENOTSUP, absent))
            expected = next((answer for answer, numbers in answers if number in numbers), ALLOW)
            assert verdict(filter, AUDIT[machine], number) == expected, number


@pytest.mark.parametrize("machine", NAMES)
def test_what_depends_on_an_argument(machine: str) -> None:
    place = NAMES.index(machine)
    for namespaces in (True, False):
        filter = program(namespaces, machine)
        say = lambda number, *arguments: verdict(filter, AUDIT[machine], number, *arguments)  # noqa: B023, E731
        assert say(seccomp.CLONE[place], 17) == ALLOW
        assert say(seccomp.CLONE[place], 17 | 0x10000000) == REFUSED
        for numbers, mode in seccomp.MODES.values():
            arguments = [0] * mode
            if numbers[place] >= 0:
                assert say(numbers[place], *arguments, 0o1777) == ALLOW
                assert say(numbers[place], *arguments, 0o4755) == say(numbers[place], *arguments, 0o2755) == REFUSED
        assert say(seccomp.IOCTL[place], 0, 0x5401) == ALLOW
        assert say(seccomp.IOCTL[place], 0, 0x5412) == REFUSED
        for family in range(46):
            inside = namespaces and family in (1, 2, 10, 16)
            assert say(seccomp.SOCKET[place], family, 1) == (ALLOW if inside else REFUSED)
    assert say(seccomp.SOCKETPAIR[place], 1, 0o2000001) == ALLOW
    assert say(seccomp.SOCKETPAIR[place], 1, 0o2000002) == REFUSED
    assert say(seccomp.SOCKETPAIR[place], 1, 3) == REFUSED
    assert say(seccomp.SETPRIORITY[place], 0, 0, 5) == ALLOW
    assert say(seccomp.SETPRIORITY[place], 2, 0, 5) == REFUSED
    assert say(seccomp.SETPRIORITY[place], 0, 77, 5) == REFUSED
    assert say(seccomp.ON_ITSELF["prlimit64"][place], 77) == REFUSED


# WT-5
@pytest.mark.parametrize("machine", NAMES)
def test_memory_that_is_in_no_process_can_only_be_had_in_small_pieces(machine: str) -> None:
    place = NAMES.index(machine)
    filter = program(True, machine)
    say = lambda number, *arguments: verdict(filter, AUDIT[machine], number, *arguments)  # noqa: E731
    for (numbers, index, _), most in zip(seccomp.LASTING.values(), (0x3FFF, 0x1F), strict=True):
        before = [0] * index
        assert say(numbers[place], *before, most) == ALLOW
        for much in (most + 1, 1 << 31, 1 << 32, (1 << 63) + 1):
            assert say(numbers[place], *before, much) == ERRNO | ENOMEM
    for namespaces in (True, False):
        filter = program(namespaces, machine)
        assert say(seccomp.SETSOCKOPT[place], 3, 1, 7) == say(seccomp.SETSOCKOPT[place], 3, 1, 8) == ERRNO | DONE
        assert say(seccomp.SETSOCKOPT[place], 3, 1, 2) == say(seccomp.SETSOCKOPT[place], 3, 6, 7) == ALLOW
        assert say(seccomp.PRCTL[place], 4, 0) == ERRNO | DONE
        assert say(seccomp.PRCTL[place], 4, 1) == say(seccomp.PRCTL[place], 15, 0) == ALLOW


@given(
    number=st.integers(0, 2**31 - 1),
    machine=st.integers(0, 2**32 - 1),
    arguments=st.lists(st.integers(0, 2**64 - 1), max_size=6),
)
def test_every_call_gets_a_verdict_and_a_foreign_architecture_dies(
    number: int, machine: int, arguments: list[int]
) -> None:
    for name in NAMES:
        filter = program(True, name)
        assert verdict(filter, machine, number, *arguments) in ANSWERS
        assert machine in AUDIT.values() or verdict(filter, machine, number, *arguments) == KILL
    assert verdict(program(True, "x86_64"), AUDIT["x86_64"], number | seccomp.X32, *arguments) == REFUSED


def test_an_unknown_machine_is_reported_as_such() -> None:
    with pytest.raises(NotImplementedError, match="no system call table for riscv64"):
        program(True, "riscv64")
