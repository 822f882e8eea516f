"""The network of a set-up step: allowed package indexes over HTTPS, and nothing else.

All of it leads through Heal's proxy (proxy.py), so only a back end with a network namespace of its own can offer it.
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
from healing.sandbox.company import CompanySettings
from healing.sandbox.indexes import NAME, PORT, Login, OwnIndex

LOG = logging.getLogger(__name__)
MAX_HOSTS = 50
INSIDE_PORT = 3128
# Public addresses at which the cloud answers that this machine runs in.
METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
# Reserved ranges that not every Python version knows.
SET_ASIDE = tuple(ipaddress.ip_network(one) for one in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20"))
GLOBAL_V6 = ipaddress.ip_network("2000::/3")  # all that is assigned; the rest is local, mapped or translated

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class RequestedConnection:
    """One connection that a set-up step asked for. `refused` says why it was refused; empty when it was made."""

    host: str
    refused: str
    sent: int = 0
    received: int = 0


def log(asked: RequestedConnection) -> None:
    """Log what was asked for and the outcome."""
    outcome = asked.refused or "reached"
    LOG.info("set-up network: %r %s, %d bytes sent, %d received", asked.host, outcome, asked.sent, asked.received)


async def addresses_of(host: str) -> tuple[str, ...]:
    """The addresses that the machine's resolver returns. Raises OSError."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))


async def connected(address: str, port: int) -> Streams:
    """A connection to that address, without resolving a name again. Raises OSError."""
    return await asyncio.open_connection(address, port)


@dataclass(frozen=True)
class SetupNetwork:
    """The hosts that a set-up step may reach, by their exact names, and its limits: bytes in both directions together,
    simultaneous connections, and seconds that a connection may be silent. `own` are indexes that the operator allows to
    lie where no other may; `usual` are well-known indexes: where the machine resolves one of them to a mirror, on any
    address, the mirror has to prove its identity. `logins` are added to requests to indexes that need one, and are
    invisible inside; `trusted` verifies the certificates of those indexes and of mirrors. `company` is what the
    operator's environment names. Raises ValueError for an invalid host name."""

    allowed: tuple[str, ...]
    own: tuple[OwnIndex, ...] = ()
    logins: tuple[Login, ...] = ()
    usual: frozenset[str] = frozenset()
    company: CompanySettings = field(default_factory=CompanySettings)
    most_bytes: int = 2 << 30
    most_connections: int = 64
    quiet_seconds: float = 60.0
    resolve: Callable[[str], Awaitable[tuple[str, ...]]] = addresses_of
    connect: Callable[[str, int], Awaitable[Streams]] = connected
    tell: Callable[[RequestedConnection], None] = log
    trusted: Callable[[], ssl.SSLContext] = ssl.create_default_context

    def __post_init__(self) -> None:
        for name in self.allowed:
            if not NAME.match(name):
                raise ValueError(
                    f"{name!r} is no name of a host: write it small, with its dots, without scheme or port"
                )

    def own_index(self, host: str, port: int) -> OwnIndex | None:
        """The operator's own index at that place; None where there is none."""
        return next((index for index in self.own if (index.host, index.port) == (host, port)), None)

    def is_plain(self, host: str, port: int) -> bool:
        """Whether the operator has an index there that uses plain HTTP; Heal makes requests to it itself, and only to
        read."""
        own = self.own_index(host, port)
        return own is not None and not own.tls

    def reach(self) -> list[str]:
        """What a step's result depends on: the hosts, which of them Heal logs in to, and the variables."""
        with_login = (f"{host}:{port} with a login" for host, port in self.own_endpoints())
        settings = {**self.company.variables, **self.company.scopes}
        variables = (f"{name}={value}" for name, value in settings.items())
        return ["network", *sorted(self.allowed), *sorted(with_login), *sorted(variables)]

    def own_endpoints(self) -> frozenset[tuple[str, int]]:
        """Hosts and ports of the indexes that Heal itself connects to, since it logs in there."""
        return frozenset((login.host, login.port) for login in self.logins if login.host in self.allowed)


def why_not(given: tuple[str, ...]) -> str:
    """Why a host with these addresses may not be connected to; empty when all of them are public. One that is not rules
    out the others, since no package index resolves to both kinds."""
    if not given:
        return "has no address"
    forbidden = [address for address in given if not _public(address) or _ours(address)]
    return f"leads to {', '.join(forbidden)}, which is not public" if forbidden else ""


def why_not_own(given: tuple[str, ...]) -> str:
    """The same for an index of the operator's own, which may be anywhere except where clouds keep their credentials."""
    forbidden = [
        address for address in given if (parsed := ipaddress.ip_address(address)).is_link_local or parsed in METADATA
    ]
    return f"leads to {', '.join(forbidden)}, where a cloud's metadata may be" if forbidden else ""


def why_no_mirror(given: tuple[str, ...]) -> str:
    """The same for a well-known index that a mirror may answer for; never one on this machine."""
    forbidden = [address for address in given if not _elsewhere(address) or _ours(address)]
    return f"leads to {', '.join(forbidden)}, where no mirror is" if forbidden or not given else ""


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
    """Whether this machine itself has the address: only then can a socket be bound to it."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
        trial.bind((text, 0))
        return True
    return False


def network_environment(trusting: tuple[str, ...] = ()) -> dict[str, str]:
    """The variables by which pip, uv, npm, cargo, go and curl find the proxy; `trusting` are those by which they find
    the authorities to trust."""
    proxy = f"http://127.0.0.1:{INSIDE_PORT}"
    names = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
    local = "localhost,127.0.0.1,::1"
    spelled = {spelling: proxy for name in names for spelling in (name, name.lower())}
    once = {"PIP_RETRIES": "1", "npm_config_fetch_retries": "1"}  # a refusal is final
    trust = dict.fromkeys(trusting, INSIDE)
    return {**spelled, "NO_PROXY": local, "no_proxy": local, "PIP_NO_INDEX": "0", **once, **trust}


def secret_in(variables: Mapping[str, str]) -> str:
    """The name of a variable that seems to hold a secret, so that the step gets no network; empty when none does."""
    from healing.logs.redaction import redact

    return next((name for name, value in variables.items() if redact(f"{name}={value}") != f"{name}={value}"), "")
