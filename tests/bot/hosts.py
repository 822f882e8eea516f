"""Hosts for tests: network namespaces with addresses of their own, each on a cable that can be pulled."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

NET = "10.231.{}.{}"  # host's number, then 1 for this machine's end of the cable and 2 for its own


@dataclass(frozen=True)
class Host:
    """One of them."""

    number: int

    @property
    def name(self) -> str:
        return f"heal{os.getpid() % 10_000}-{self.number}"

    @property
    def here(self) -> str:
        """This machine's address, as the host sees it."""
        return NET.format(self.number, 1)

    @property
    def command(self) -> tuple[str, ...]:
        """In front of a command, runs it there."""
        return ("ip", "netns", "exec", self.name)

    def pull(self) -> None:
        """The cable is pulled out: nothing passes, and nobody is told."""
        _ip("-n", self.name, "link", "set", "cable", "down")

    def make(self) -> None:
        """With its cable plugged in."""
        end = self.name
        _ip("netns", "add", self.name)
        _ip("link", "add", end, "type", "veth", "peer", "name", "cable", "netns", self.name)
        _ip("addr", "add", f"{self.here}/24", "dev", end)
        _ip("link", "set", end, "up")
        _ip("-n", self.name, "addr", "add", f"{NET.format(self.number, 2)}/24", "dev", "cable")
        for link in ("cable", "lo"):
            _ip("-n", self.name, "link", "set", link, "up")

    def end(self) -> None:
        """The cable goes with it."""
        subprocess.run(["ip", "netns", "del", self.name], check=False, capture_output=True)


@contextlib.contextmanager
def hosts(count: int) -> Iterator[list[Host]]:
    """That many; skips where nobody may make them."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("hosts are network namespaces, which root makes with `ip` (Debian's package: iproute2)")
    made = [Host(number + 1) for number in range(count)]
    try:
        try:
            for host in made:
                host.make()
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
        yield made
    finally:
        for host in made:
            host.end()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
