"""The network of a set-up step: named package indexes by HTTPS, and nothing else in the world.

It leads through Heal's proxy alone (proxy.py), so only a back end with a network namespace of its own can give it.
"""

import asyncio
import contextlib
import ipaddress
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from healing.sandbox.authority import INSIDE
from healing.sandbox.company import Company
from healing.sandbox.indexes import NAME, PORT, Login, OwnIndex

LOG = logging.getLogger(__name__)
MOST_HOSTS = 50
INSIDE_PORT = 3128
# Public by their number, but what answers there is the cloud that this machine runs in.
METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
# Set aside since, or for what is no host: not all of them are known to every Python.
SET_ASIDE = tuple(ipaddress.ip_network(one) for one in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20"))
GLOBAL_V6 = ipaddress.ip_network("2000::/3")  # all that is handed out; the rest is local, mapped or translated

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Asked:
    """One connection that a set-up step asked for. `refused` says why it did not get it; empty when it did."""

    host: str
    refused: str
    sent: int = 0
    received: int = 0


def log(asked: Asked) -> None:
    """Into the log: what was asked for and what came of it."""
    came = asked.refused or "reached"
    LOG.info("set-up network: %r %s, %d bytes sent, %d received", asked.host, came, asked.sent, asked.received)


async def addresses_of(host: str) -> tuple[str, ...]:
    """What the machine's resolver says. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


async def connected(address: str, port: int) -> Streams:
    """A connection to that address, which nobody looks up again. Raises OSError."""
    return await asyncio.open_connection(address, port)


@dataclass(frozen=True)
class SetupNetwork:
    """Which hosts a set-up step may reach, by their exact names, and how much: bytes in both directions together,
    connections at once, seconds that one may be quiet. `own` says which of them may lie where no other may, by the
    operator's word alone; `usual` are indexes that everybody knows: where the machine leads one of them to a mirror, on
    whatever address, the mirror has to prove that it is one. `logins` are added to requests to indexes that want one,
    and are seen by nothing inside; `trusted` judges the certificates of those and of mirrors. `company` is what the
    operator's environment names. Raises ValueError for what is no host's name."""

    allowed: tuple[str, ...]
    own: tuple[OwnIndex, ...] = ()
    logins: tuple[Login, ...] = ()
    usual: frozenset[str] = frozenset()
    company: Company = field(default_factory=Company)
    most_bytes: int = 2 << 30
    most_connections: int = 64
    quiet_seconds: float = 60.0
    resolve: Callable[[str], Awaitable[tuple[str, ...]]] = addresses_of
    connect: Callable[[str, int], Awaitable[Streams]] = connected
    tell: Callable[[Asked], None] = log
    trusted: Callable[[], ssl.SSLContext] = ssl.create_default_context

    def __post_init__(self) -> None:
        for name in self.allowed:
            if not NAME.match(name):
                raise ValueError(
                    f"{name!r} is no name of a host: write it small, with its dots, without scheme or port"
                )

    def own_index(self, host: str, port: int) -> OwnIndex | None:
        """The operator's own index there, if that is one."""
        return next((one for one in self.own if (one.host, one.port) == (host, port)), None)

    def is_plain(self, host: str, port: int) -> bool:
        """Whether an index of the operator's own there speaks plain HTTP: Heal asks it itself, for reading alone."""
        own = self.own_index(host, port)
        return own is not None and not own.tls

    def reach(self) -> list[str]:
        """What a step's result hangs on: the hosts, and those of them where Heal logs in."""
        with_login = (f"{host}:{port} with a login" for host, port in self.spoken_for())
        settings = {**self.company.variables, **self.company.scopes}
        variables = (f"{name}={value}" for name, value in settings.items())
        return ["network", *sorted(self.allowed), *sorted(with_login), *sorted(variables)]

    def spoken_for(self) -> frozenset[tuple[str, int]]:
        """Hosts and ports of the indexes that Heal itself speaks to, since it logs in there."""
        return frozenset((one.host, one.port) for one in self.logins if one.host in self.allowed)


def why_not(given: tuple[str, ...]) -> str:
    """Why nobody may connect to a host with these addresses; empty when all of them are public. One that is not spoils
    the others: a name that leads here and there is no package index."""
    if not given:
        return "has no address"
    bad = [one for one in given if not _public(one) or _ours(one)]
    return f"leads to {', '.join(bad)}, which is not public" if bad else ""


def why_not_own(given: tuple[str, ...]) -> str:
    """The same for an index of the operator's own, which may be anywhere but where clouds keep their credentials."""
    bad = [one for one in given if (at := ipaddress.ip_address(one)).is_link_local or at in METADATA]
    return f"leads to {', '.join(bad)}, where a cloud's metadata may be" if bad else ""


def why_no_mirror(given: tuple[str, ...]) -> str:
    """The same for an index that everybody knows, which a mirror may answer for: never one on this machine."""
    bad = [one for one in given if not _elsewhere(one) or _ours(one)]
    return f"leads to {', '.join(bad)}, where no mirror is" if bad or not given else ""


def _elsewhere(text: str) -> bool:
    try:
        address: Address = ipaddress.ip_address(text)
    except ValueError:
        return False
    here = address.is_loopback or address.is_unspecified or address.is_multicast or address.is_link_local
    mapped = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None
    return not here and not mapped and address not in METADATA


def _public(text: str) -> bool:
    try:
        address: Address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and (
        address not in GLOBAL_V6 or address.sixtofour or address.teredo or address.scope_id
    ):
        return False
    if address in METADATA or any(address in network for network in SET_ASIDE):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _ours(text: str) -> bool:
    """Whether this machine itself has the address: only then can one bind to it."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
        trial.bind((text, 0))
        return True
    return False


def network_environment(trusting: tuple[str, ...] = ()) -> dict[str, str]:
    """The variables by which pip, uv, npm, cargo, go and curl find the proxy; `trusting` are those by which they find
    whom to trust."""
    proxy = f"http://127.0.0.1:{INSIDE_PORT}"
    names = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
    local = "localhost,127.0.0.1,::1"
    spelled = {spelling: proxy for name in names for spelling in (name, name.lower())}
    once = {"PIP_RETRIES": "1", "npm_config_fetch_retries": "1"}  # what is refused stays refused
    trust = dict.fromkeys(trusting, INSIDE)
    return {**spelled, "NO_PROXY": local, "no_proxy": local, "PIP_NO_INDEX": "0", **once, **trust}


def secret_in(variables: Mapping[str, str]) -> str:
    """The name of a variable that looks as if it held a secret: such a step gets no network. Empty when none does."""
    from healing.logs.redaction import redact

    return next((name for name, value in variables.items() if redact(f"{name}={value}") != f"{name}={value}"), "")
