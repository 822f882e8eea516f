"""The only way out of a set-up step: a proxy on a Unix socket that passes HTTPS on to the hosts that were allowed.

Names are resolved here and connected to by the address that was checked, so a name can't resolve differently in
between. The traffic is TLS between the step and the index; nothing is read, changed or added. The exceptions are
indexes for which the operator gave a login, and those that use plain HTTP: there Heal terminates the connection itself
and makes the request.
"""

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from healing.process.owner import Owner, hand_over
from healing.sandbox.authority import OVERRULING, VARIABLES, Authority
from healing.sandbox.company import certificates_of
from healing.sandbox.indexes import PLAIN_PORT, PORT, Login
from healing.sandbox.network import RequestedConnection, SetupNetwork, Streams, why_no_mirror, why_not, why_not_own
from healing.sandbox.temporary import private_folder

REQUEST_SECONDS = 10.0
REQUEST_BYTES = 8 << 10
CHUNK = 64 << 10
CONNECT = re.compile(rb"CONNECT ([A-Za-z0-9._-]{1,300}):(\d{1,5}) HTTP/1\.[01]\r\n")
PLAIN = re.compile(rb"(GET|HEAD) http://([A-Za-z0-9._-]{1,300})(?::(\d{1,5}))?(/[!-~]{0,7000}) (HTTP/1\.[01]\r\n)")
OPENED = b"HTTP/1.1 200 Connection established\r\n\r\n"


# How a set-up step's request is rewritten for an index that Heal itself connects to, with the login that it needs.
ASKED = re.compile(rb"(GET|HEAD) (/[!-~]{0,7000}) HTTP/1\.[01]\Z")
FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,99}):[ \t]{0,9}([ -~]{0,4000})\Z")
# Headers that a step may send: no login of its own, and nothing that determines where a request ends.
PASSED = frozenset(
    b"accept accept-encoding accept-language user-agent cache-control range if-range if-none-match if-modified-since "
    b"npm-in-ci npm-scope pacote-version pacote-req-type".split()
)


class RequestNotAllowed(Exception):
    """The request may not be made; the message says why."""


def rewritten_request(request: bytes, host: str, port: int, logins: Iterable[Login], tls: bool = True) -> bytes:
    """The request as it is sent to the index; `request` ends with an empty line. Only reading requests are passed on,
    since a login might allow publishing. Raises RequestNotAllowed."""
    first, *rest = request.removesuffix(b"\r\n\r\n").split(b"\r\n")
    match = ASKED.match(first)
    if match is None:
        raise RequestNotAllowed(
            "Only GET and HEAD are passed on to an index that Heal logs in to, or that speaks plain HTTP"
        )
    fields = [field for line in rest if (field := FIELD.match(line))]
    if any(header[1].lower() in (b"content-length", b"transfer-encoding") and header[2] != b"0" for header in fields):
        raise RequestNotAllowed("Nothing is sent to an index that Heal logs in to, or that speaks plain HTTP")
    target = match[2].decode("ascii")
    authority = host if port == (PORT if tls else PLAIN_PORT) else f"{host}:{port}"
    header_lines = [first.replace(b"HTTP/1.0", b"HTTP/1.1"), b"Host: " + authority.encode(), b"Connection: close"]
    header_lines += [header[1] + b": " + header[2] for header in fields if header[1].lower() in PASSED]
    login = next((entry for entry in logins if (entry.host, entry.port) == (host, port) and entry.covers(target)), None)
    header_lines += [b"Authorization: " + login.header] if login else []
    return b"\r\n".join([*header_lines, b"", b""])


class NotConnectedError(Exception):
    """The connection is not made; the message says why."""


@dataclass(frozen=True)
class ProxyRequest:
    """A request for a connection to a host, or for the answer to `request`, which is complete and has no host in its
    first line."""

    host: str
    port: int
    request: bytes = b""


@dataclass(frozen=True)
class ProxyAccess:
    """The socket to show to a step, the certificates (PEM) of the authorities that it has to trust (empty: its tools'
    own), and the variables by which its tools find them."""

    verifier: Path
    authorities: bytes = b""
    trusting: tuple[str, ...] = ()


@asynccontextmanager
async def open_proxy(network: SetupNetwork, owner: Owner | None) -> AsyncIterator[ProxyAccess]:
    """Open the proxy for one step. All connections end with it."""
    own_endpoints = sorted({host for host, _ in network.own_endpoints()})
    authority = await asyncio.to_thread(Authority, own_endpoints) if own_endpoints else None
    proxy = Proxy(network, authority)
    trusted = network.company.certificates or await asyncio.to_thread(certificates_of, {}, {})
    authorities = b"\n".join(filter(None, (trusted, authority.certificate if authority else b"")))
    excluded = (
        () if authority else tuple(variable for variable in OVERRULING if variable not in network.company.trusting)
    )
    trusting = tuple(variable for variable in VARIABLES if variable not in excluded) if authorities else ()
    async with private_folder(owner) as folder:
        path = folder / "proxy"
        server = await asyncio.start_unix_server(proxy.serve, path, limit=REQUEST_BYTES)
        hand_over(path, owner)
        try:
            yield ProxyAccess(path, authorities, trusting)
        finally:
            server.close()
            await proxy.close()


class Proxy:
    """The connections of one step, and what is left of its limits."""

    def __init__(self, network: SetupNetwork, authority: Authority | None = None) -> None:
        self.network = network
        self.authority = authority
        self.left = network.most_bytes
        self.open: set[asyncio.Task[None]] = set()
        self.mirrors: set[tuple[str, str]] = set()  # (host, address) of mirrors that proved their identity

    async def close(self) -> None:
        """End every connection."""
        for task in self.open:
            task.cancel()
        await asyncio.gather(*self.open, return_exceptions=True)

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Accept one connection from inside."""
        task = asyncio.create_task(self._serve(reader, writer))
        self.open.add(task)
        task.add_done_callback(self.open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = ""
        try:
            wanted = await _read_request(reader)
            host, port = wanted.host, wanted.port
            self._allow(wanted)
            upstream = await self._connect(host, port)
        except NotConnectedError as error:
            self.network.tell(RequestedConnection(host, str(error)))
            await _answer(writer, f"HTTP/1.1 403 {error}\r\nConnection: close\r\n\r\n".encode())
        except (TimeoutError, OSError, EOFError) as error:
            self.network.tell(RequestedConnection(host, f"could not be reached: {str(error) or 'no answer'}"))
            await _answer(writer, b"HTTP/1.1 502 Could not be reached\r\nConnection: close\r\n\r\n")
        else:
            if not wanted.request:
                writer.write(OPENED)
            if self.network.is_plain(host, port) or (host, port) in self.network.own_endpoints():
                await self._request_for_step(wanted, (reader, writer), upstream)
            else:
                await self._pass_on(host, (reader, writer), upstream)
        finally:
            writer.close()

    def _allow(self, wanted: ProxyRequest) -> None:
        """Raises NotConnectedError where the step may not have this connection."""
        host, port = wanted.host, wanted.port
        if wanted.request and not self.network.is_plain(host, port):
            raise NotConnectedError(ONLY_HTTPS)
        if host not in self.network.allowed or (port != PORT and not self.network.own_index(host, port)):
            raise NotConnectedError(f"{host}:{port} is not among the hosts that set-up steps may reach")
        if len(self.open) > self.network.most_connections:
            raise NotConnectedError(f"More than {self.network.most_connections} connections at once")
        if self.left <= 0:
            raise NotConnectedError(f"All {self.network.most_bytes} bytes are used up")

    async def _addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of the host that may be connected to. Raises NotConnectedError, TimeoutError, OSError."""
        own = self.network.own_index(host, port)
        if own and own.address:
            return (own.address,)
        addresses = await asyncio.wait_for(self.network.resolve(host), REQUEST_SECONDS)
        why = (why_not_own if own else why_not)(addresses)
        if why and host in self.network.usual and not own:
            why = why_no_mirror(addresses)
            for address in addresses if not why else ():
                await self._verify_mirror(host, address)
        if why:
            raise NotConnectedError(f"{host} {why}")
        return addresses

    async def _verify_mirror(self, host: str, address: str) -> None:
        """Verify by its certificate that the server at a private address is the index of that name. Raises
        NotConnectedError, TimeoutError, OSError."""
        if (host, address) in self.mirrors:
            return
        _, writer = await asyncio.wait_for(self.network.connect(address, PORT), REQUEST_SECONDS)
        try:
            await asyncio.wait_for(writer.start_tls(self.network.trusted(), server_hostname=host), REQUEST_SECONDS)
        except ssl.SSLError as error:
            why = getattr(error, "verify_message", "") or str(error.reason or error)
            raise NotConnectedError(
                f"{host} leads to {address}, which is not public, and what answers there is no {host}: {why}"
            ) from error
        finally:
            writer.close()
        self.mirrors.add((host, address))

    async def _connect(self, host: str, port: int) -> Streams:
        upstream = self.network.company.upstream
        own = self.network.own_index(host, port)
        if upstream and upstream.carries(host) and not (own and own.address):
            if not own and host not in self.network.usual:
                await self._addresses(host, port)  # where the other proxy connects to can't be seen from here
            return await asyncio.wait_for(upstream.connect(host, port, self.network.trusted), REQUEST_SECONDS)
        addresses = await self._addresses(host, port)
        last_error: Exception = OSError("no address answered")
        for address in addresses[:4]:
            try:
                return await asyncio.wait_for(self.network.connect(address, port), REQUEST_SECONDS)
            except (TimeoutError, OSError) as error:
                last_error = error
        raise last_error

    async def _pass_on(self, host: str, inner: Streams, outer: Streams) -> None:
        """Copy bytes in both directions until both have ended, neither side sends anything for too long, or the step's
        limit is reached."""
        flow = Flow(self, asyncio.get_running_loop().time())
        tasks = [
            asyncio.create_task(direction) for direction in (flow.run(inner[0], outer[1]), flow.run(outer[0], inner[1]))
        ]
        try:
            sent, received = await asyncio.gather(*tasks)
            self.network.tell(RequestedConnection(host, "", sent, received))
        except (TimeoutError, OSError, NotConnectedError) as error:
            self.network.tell(RequestedConnection(host, f"was cut off: {str(error) or 'quiet for too long'}"))
        finally:
            for task in tasks:
                task.cancel()
            outer[1].close()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _request_for_step(self, wanted: ProxyRequest, inner: Streams, outer: Streams) -> None:
        """Accept one request in the index's name, make it with the login, and pass the answer on unchanged. One request
        per connection, so that the end of an answer needs no parsing."""
        host, port = wanted.host, wanted.port
        flow = Flow(self, asyncio.get_running_loop().time())
        tls = not self.network.is_plain(host, port)
        try:
            if tls and self.authority:
                await asyncio.wait_for(inner[1].start_tls(self.authority.context(host)), REQUEST_SECONDS)
            request = wanted.request or await asyncio.wait_for(
                inner[0].readuntil(b"\r\n\r\n"), self.network.quiet_seconds
            )
            rewritten = rewritten_request(request, host, port, self.network.logins, tls)
            if tls:
                trusted = self.network.trusted()
                await asyncio.wait_for(outer[1].start_tls(trusted, server_hostname=host), REQUEST_SECONDS)
            outer[1].write(rewritten)
            received = await flow.run(outer[0], inner[1])
            self.network.tell(RequestedConnection(host, "", len(rewritten), received))
        except RequestNotAllowed as error:
            self.network.tell(RequestedConnection(host, str(error)))
            await _answer(inner[1], f"HTTP/1.1 405 {error}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        except EOFError:
            self.network.tell(RequestedConnection(host, "was cut off: nothing was asked"))
        except (TimeoutError, OSError, NotConnectedError, asyncio.LimitOverrunError) as error:
            self.network.tell(RequestedConnection(host, f"was cut off: {str(error) or 'quiet for too long'}"))
        finally:
            outer[1].close()


@dataclass
class Flow:
    """Both directions of one connection; `seen` is when a byte last passed in either."""

    proxy: Proxy
    seen: float

    async def run(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> int:
        """Copy bytes until the end of `source`, and return their number. Raises NotConnectedError, TimeoutError,
        OSError."""
        passed = 0
        while data := await self._next(source):
            self.seen = asyncio.get_running_loop().time()
            self.proxy.left -= len(data)
            if self.proxy.left < 0:
                raise NotConnectedError(f"all {self.proxy.network.most_bytes} bytes are used up")
            sink.write(data)
            await asyncio.wait_for(sink.drain(), self.proxy.network.quiet_seconds)
            passed += len(data)
        if sink.can_write_eof():
            sink.write_eof()
        return passed

    async def _next(self, source: asyncio.StreamReader) -> bytes:
        while True:
            try:
                return await asyncio.wait_for(source.read(CHUNK), self.proxy.network.quiet_seconds)
            except TimeoutError:
                if asyncio.get_running_loop().time() - self.seen >= self.proxy.network.quiet_seconds:
                    raise


ONLY_HTTPS = "Only HTTPS is passed on, by CONNECT, and plain HTTP to indexes that the operator names so"


async def _read_request(reader: asyncio.StreamReader) -> ProxyRequest:
    """The request of one connection. Raises NotConnectedError, TimeoutError, EOFError, OSError."""
    try:
        request = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), REQUEST_SECONDS)
    except asyncio.LimitOverrunError:
        raise NotConnectedError("The request is too long") from None
    if match := CONNECT.match(request):
        return ProxyRequest(_host(match[1]), int(match[2]))
    if match := PLAIN.match(request):
        request_line = match[1] + b" " + match[4] + b" " + match[5]
        return ProxyRequest(_host(match[2]), int(match[3] or PLAIN_PORT), request_line + request[match.end() :])
    raise NotConnectedError(ONLY_HTTPS)


def _host(name: bytes) -> str:
    return name.decode().lower().removesuffix(".")


async def _answer(writer: asyncio.StreamWriter, answer: bytes) -> None:
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        writer.write(answer)
        await asyncio.wait_for(writer.drain(), REQUEST_SECONDS)
