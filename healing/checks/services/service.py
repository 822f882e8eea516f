"""A service container as a workflow describes it, and the server that replaces it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import Field

from healing.model import Frozen

LOOPBACK = "127.0.0.1"
VERSION = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}")


@dataclass(frozen=True)
class Service:
    """A container that CI starts beside a job. `ports` are pairs of the port on the runner and the port in the
    container; `unknown` names expressions in `env` that have no value here, `unlike` settings that Heal does not
    honour."""

    name: str
    image: str
    place: str
    env: dict[str, str] = field(default_factory=dict)
    ports: tuple[tuple[int, int], ...] = ()
    unknown: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()

    @property
    def repository(self) -> str:
        """The image without its tag and default prefixes: `postgres` for `docker.io/library/postgres:16`."""
        name = self.image.partition("@")[0]
        folder, slash, last = name.rpartition("/")
        name = folder + slash + last.partition(":")[0]
        return name.removeprefix("docker.io/").removeprefix("library/").removeprefix("_/") or self.name

    @property
    def product(self) -> str:
        """The last part of the repository: `postgis` for `postgis/postgis:16-3.4`."""
        return self.repository.rpartition("/")[2]

    @property
    def version(self) -> str:
        """The version in the tag, `16` for `postgres:16-alpine`; empty where it has none."""
        tag = self.image.rpartition("/")[2].partition("@")[0].partition(":")[2]
        match = VERSION.match(tag)
        return match.group() if match else ""


class Server(Frozen):
    """A program that replaces a service: `kind` is the name of its ServiceKind. It listens on `address`:`port` of the
    sandbox's own loopback network; `host` is another name for that address, since job containers address services by
    name."""

    kind: str
    image: str
    version: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    address: str = LOOPBACK
    port: int
    host: str = ""


@dataclass(frozen=True)
class Installed:
    """A server program of this machine: its own product name, and the absolute path of the program or of the folder
    that contains it."""

    name: str
    version: str
    program: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class ServiceKind:
    """One product: the images that it replaces (repository → product name), its Debian package and its port in the
    container. `find` returns the installed program that is closest to a version; `start` returns bash text that starts
    a server and returns when it is ready (see `starting`)."""

    name: str
    images: dict[str, str]
    package: str
    port: int
    find: Callable[[str], Installed | None]
    start: Callable[[Server, Installed], str]


def major(version: str) -> str:
    """The first number of a version."""
    return version.partition(".")[0]
