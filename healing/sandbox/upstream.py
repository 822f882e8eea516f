"""The operator's own proxy (`HTTPS_PROXY`), through which Heal's proxy reaches the package indexes."""

import asyncio
import base64
import re
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes, urlsplit

ANSWER = re.compile(rb"HTTP/1\.[01] (\d{3})[^\r\n]{0,200}\r\n")
ANSWER_BYTES = 16 << 10
PORTS = {"http": 80, "https": 443}

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Upstream:
    """A proxy that accepts CONNECT. `header` is the login that it needs (the value of `Proxy-Authorization`);
    `bypassed` are the domains that are reached without it (`NO_PROXY`), `*` for all."""

    host: str
    port: int
    tls: bool = False
    header: bytes = field(default=b"", repr=False)
    bypassed: tuple[str, ...] = ()

    def carries(self, host: str) -> bool:
        """Whether connections to this host go through the proxy."""
        return not any(domain in ("*", host) or host.endswith(f".{domain}") for domain in self.bypassed)

    async def connect(self, host: str, port: int, trusted: Callable[[], ssl.SSLContext]) -> Streams:
        """Open a connection to that host through the proxy, by name. Raises OSError where the proxy is unreachable or
        refuses."""
        context = trusted() if self.tls else None
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=context, limit=ANSWER_BYTES)
        with ExitStack() as on_failure:
            on_failure.callback(writer.close)
            login = b"Proxy-Authorization: " + self.header + b"\r\n" if self.header else b""
            writer.write(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n".encode() + login + b"\r\n")
            try:
                answer = ANSWER.match(await reader.readuntil(b"\r\n\r\n"))
            except (EOFError, asyncio.LimitOverrunError, OSError) as error:
                raise ConnectionError("the operator's proxy (HTTPS_PROXY) gave no answer") from error
            if answer is None or answer[1] != b"200":
                status = answer[1].decode() if answer else "nonsense"
                wants = ": it wants another login" if status == "407" else ""
                raise ConnectionRefusedError(f"the operator's proxy (HTTPS_PROXY) answered {status}{wants}")
            on_failure.pop_all()
        return reader, writer


def upstream_of(url: str, bypassed: str) -> Upstream:
    """Parse the two variables. Raises ValueError, which never contains the URL."""
    invalid = ValueError("is no proxy that Heal can use: write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT")
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname, parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        raise invalid from None
    if not host or parts.scheme not in PORTS:
        raise invalid
    login = unquote_to_bytes(parts.username or "") + b":" + unquote_to_bytes(parts.password or "")
    if any(byte < 0x20 or byte == 0x7F for byte in login):
        raise invalid
    header = b"Basic " + base64.b64encode(login) if parts.username else b""
    names = (name.strip().lower().lstrip("*").lstrip(".") or "*" for name in re.split(r"[,\s]+", bypassed) if name)
    return Upstream(host, port, parts.scheme == "https", header, tuple(dict.fromkeys(names)))
