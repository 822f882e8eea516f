"""The network of a set-up step: a real pip inside, Heal's real proxy, a local index that stands for a public one."""

import asyncio
import contextlib
import ssl
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.environment.toolchain import Toolchain
from healing.process.owner import Owner, hand_over
from healing.sandbox.indexes import own_indexes
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.network import RequestedConnection, SetupNetwork, Streams, why_not
from healing.sandbox.proxy import open_proxy
from tests.sandbox.certificates import certificate
from tests.sandbox.host import host

NAME = "packages.example.com"
PUBLIC = "93.184.215.14"
WHEEL = "heal_demo-1.0-py3-none-any.whl"


@dataclass
class Index:
    """A package index on this machine. `network` leads NAME to it, though it lies on loopback: what a test's resolver
    says is public, and its connector goes where no set-up step may."""

    port: int = 0
    certificate: str = ""
    asked: list[RequestedConnection] = field(default_factory=list)
    addresses: tuple[str, ...] = (PUBLIC,)
    connected: list[str] = field(default_factory=list)
    pages: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)  # path → type and bytes
    heard: list[str] = field(default_factory=list)  # paths that were asked for
    held: asyncio.Event | None = None  # until it is set, no file is given out

    @property
    def network(self) -> SetupNetwork:
        return SetupNetwork((NAME,), resolve=self.resolve, connect=self.connect, tell=self.asked.append)

    async def resolve(self, _: str) -> tuple[str, ...]:
        return self.addresses

    async def connect(self, address: str, _: int) -> Streams:
        self.connected.append(address)
        return await asyncio.open_connection("127.0.0.1", self.port)


def wheel(folder: Path, name: str = "heal_demo", modules: int = 1) -> bytes:
    """A wheel of that distribution; of several modules all but the first are in a package of its name."""
    file, about = folder / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(f"{name}.py", "VALUE = 42\n")
        for number in range(1, modules):
            made.writestr(f"{name}_parts/part{number}.py", f"VALUE = {number}\n" * 50)
        made.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", "")
    return file.read_bytes()


def pages_of(folder: Path, name: str, modules: int = 1) -> dict[str, tuple[bytes, bytes]]:
    """What an index has about a distribution."""
    file = f"{name}-1.0-py3-none-any.whl"
    return {
        f"/simple/{name.replace('_', '-')}/": (b"text/html", f'<a href="/{file}">{file}</a>'.encode()),
        f"/{file}": (b"application/octet-stream", wheel(folder, name, modules)),
    }


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    """With one small distribution."""
    async with open_index(tmp_path, pages_of(tmp_path, "heal_demo")) as made:
        yield made


@contextlib.asynccontextmanager
async def open_index(folder: Path, pages: dict[str, tuple[bytes, bytes]]) -> AsyncIterator[Index]:
    """Speaks TLS, with a certificate of its own for NAME."""
    key, its_certificate = await certificate(folder, NAME)
    made = Index(certificate=its_certificate.read_text(), pages=pages)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while request := await reader.readuntil(b"\r\n\r\n"):
                path = request.split()[1].decode()
                made.heard.append(path)
                if made.held and not path.endswith("/"):
                    await made.held.wait()
                kind, body = pages.get(path, (b"text/plain", b""))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(body)))
                writer.write(body)
                await writer.drain()
                if b"connection: close" in request.lower():
                    break
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(its_certificate, key)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()


def inside(toolchain: Toolchain, worktree: Path, network: SetupNetwork, *argv: str) -> Job:
    env, readable = toolchain.env, toolchain.readable
    return Job(argv, worktree, env=env, readable=readable, network=network, limits=Limits(seconds=60))


@pytest.fixture
def walled(probed: dict[str, Sandbox]) -> Sandbox:
    """A back end with a network namespace."""
    if "bubblewrap" not in probed:
        pytest.skip("bubblewrap does not work on this machine")
    return probed["bubblewrap"]


# WT-5
async def test_pip_installs_from_the_index_that_is_named_and_the_check_after_it_has_what_it_installed(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, owner: Owner | None, index: Index, data: Path
) -> None:
    (worktree / "certificate").write_text(index.certificate)
    home = worktree / "home"
    home.mkdir()
    hand_over(home, owner)
    pip = ("pip", "install", "--target", "/tmp/packages", "--cert", "certificate", "--index-url")
    setup = inside(toolchain, worktree, index.network, *pip, f"https://{NAME}/simple", "heal-demo")
    ended = await walled.run(replace(setup, home=home))
    assert ended.exit_code == 0, ended.output.decode()
    assert {(one.host, one.refused) for one in index.asked} == {(NAME, "")}
    assert sum(one.received for one in index.asked) > 500
    assert set(index.connected) == {PUBLIC}
    script = "import sys; sys.path.append('/tmp/packages'); import heal_demo; print(heal_demo.VALUE)"
    check = Job(("python", "-c", script), worktree, env=toolchain.env, readable=toolchain.readable, home=home)
    assert (await walled.run(check)).output == b"42\n"


async def test_a_host_that_is_not_named_is_refused_and_the_step_is_informed(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, index: Index
) -> None:
    script = "import urllib.request as u; u.urlopen('https://evil.example.com/simple')"
    ended = await walled.run(inside(toolchain, worktree, index.network, "python", "-c", script))
    assert ended.exit_code != 0
    assert b"403 evil.example.com:443 is not among the hosts that set-up steps may reach" in ended.output
    assert {one.host for one in index.asked} == {"evil.example.com"}
    assert index.connected == []


async def test_with_a_network_nothing_is_reached_but_the_proxy(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, owner: Owner | None, index: Index
) -> None:
    script = """
import os, socket, sys
for address, port in (("127.0.0.1", int(sys.argv[1])), ("169.254.169.254", 80), ("1.1.1.1", 443)):
    try:
        socket.create_connection((address, port), 2)
        print("REACHED", address)
    except OSError:
        pass
for name in (sys.argv[2], "\\0" + sys.argv[3]):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        print("REACHED", name)
    except OSError:
        pass
print(sorted(set(os.listdir("/run")) - {"heal-authorities.pem"}), len(os.listdir("/proc/self/task")))
"""
    with host(owner) as target:
        reported = (str(target.port), str(target.folder / "open" / "socket"), target.abstract)
        ended = await walled.run(inside(toolchain, worktree, index.network, "python", "-c", script, *reported))
    assert ended.output == b"['heal-proxy'] 1\n"


async def test_a_back_end_without_a_network_namespace_refuses(
    probed: dict[str, Sandbox], toolchain: Toolchain, worktree: Path, index: Index
) -> None:
    for sandbox in probed.values():
        if not sandbox.own_loopback:
            ended = await sandbox.run(inside(toolchain, worktree, index.network, "true"))
            assert (ended.exit_code, "gets a network only under bubblewrap" in ended.why) == (None, True)


async def test_never_together_with_a_secret(walled: Sandbox, toolchain: Toolchain, worktree: Path) -> None:
    index = Index()
    job = inside(toolchain, worktree, index.network, "true")
    secret = {**job.env, "DEPLOY_TOKEN": "ghp_" + "a1B2" * 9}
    ended = await walled.run(replace(job, env=secret))
    assert (ended.exit_code, "DEPLOY_TOKEN looks like one" in ended.why) == (None, True)
    assert (await walled.run(job)).exit_code == 0


async def answer_of(network: SetupNetwork, request: bytes, more: bytes = b"") -> bytes:
    """What the proxy answers, asked on its socket."""
    async with open_proxy(network, None) as out:
        reader, writer = await asyncio.open_unix_connection(str(out.verifier))
        writer.write(request)
        if more:
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
            writer.write(more)
        writer.write_eof()
        answer = await reader.read()
        writer.close()
    return answer


def connect(name: str, port: int = 443) -> bytes:
    return f"CONNECT {name}:{port} HTTP/1.1\r\nHost: {name}\r\n\r\n".encode()


@pytest.mark.parametrize(
    "request_",
    [
        connect(NAME, 80),
        connect(NAME, 22),
        connect("sub." + NAME),
        connect(NAME + ".evil.example.net"),
        connect("evil" + NAME),
        connect("127.0.0.1"),
        connect("[::1]"),
        connect("localhost"),
        connect(f"{NAME}@127.0.0.1"),
        connect(f"{NAME}%00.example.net"),
        connect("169.254.169.254", 80),
        f"GET http://{NAME}/ HTTP/1.1\r\n\r\n".encode(),
        b"\x16\x03\x01\r\n\r\n",
        b"CONNECT " + b"a" * 10_000 + b":443 HTTP/1.1\r\n\r\n",
    ],
)
async def test_only_https_to_the_very_names_is_passed_on(request_: bytes) -> None:
    index = Index()
    assert (await answer_of(index.network, request_)).startswith(b"HTTP/1.1 403 ")
    assert (index.connected, [bool(one.refused) for one in index.asked]) == ([], [True])


BAD = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.5.5", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("100.100.100.200", "168.63.129.16", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.0.192"),
    *("198.18.0.1", "203.0.113.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::1"),
    *("fec0::1", "2001:db8::1", "::7f00:1", "3fff::1", "nonsense", ""),
)


# WT-5
@pytest.mark.parametrize("address", BAD)
async def test_an_allowed_name_that_leads_inwards_is_refused(address: str) -> None:
    for addresses in ((address,), (PUBLIC, address), (address, PUBLIC)):
        index = Index(addresses=addresses)
        assert b"which is not public" in await answer_of(index.network, connect(NAME))
        assert index.connected == []


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_what_is_public_is_global_and_no_address_of_this_machine(address: object) -> None:
    if why_not((str(address),)) == "":
        assert getattr(address, "is_global", False)
        assert not getattr(address, "is_loopback", True)


async def test_a_name_that_changes_its_mind_is_connected_to_where_it_was_judged(index: Index) -> None:
    answers = [(PUBLIC,), ("127.0.0.1",)]

    async def rebinding(_: str) -> tuple[str, ...]:
        return answers.pop(0)

    network = replace(index.network, resolve=rebinding)
    assert b"403" not in await answer_of(network, connect(NAME), b"hello\n")
    assert index.connected == [PUBLIC]
    assert b"which is not public" in await answer_of(network, connect(NAME))
    assert index.connected == [PUBLIC]


async def test_bytes_and_connections_are_bounded() -> None:
    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            for _round in range(100):
                writer.write(bytes(10_000))
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(flood, "127.0.0.1", 0)
    index = Index(server.sockets[0].getsockname()[1])
    network = replace(index.network, most_bytes=50_000, most_connections=1)
    assert len(await answer_of(network, connect(NAME), b"x")) <= 50_000
    assert "all 50000 bytes are used up" in index.asked[0].refused
    async with open_proxy(network, None) as out:
        first, second = [await asyncio.open_unix_connection(str(out.verifier)) for _ in range(2)]
        await asyncio.sleep(0.05)
        second[1].write(connect(NAME))
        assert b"403 More than 1 connections at once" in await second[0].readuntil(b"\r\n")
        for _, writer in (first, second):
            writer.close()
    server.close()


async def test_a_quiet_connection_ends_and_so_does_one_that_nobody_answers() -> None:
    async def quiet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(quiet, "127.0.0.1", 0)
    index = Index(server.sockets[0].getsockname()[1])
    async with open_proxy(replace(index.network, quiet_seconds=0.2), None) as out:
        reader, writer = await asyncio.open_unix_connection(str(out.verifier))
        writer.write(connect(NAME))
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
        writer.close()
    server.close()
    assert [one.refused for one in index.asked] == ["was cut off: quiet for too long"]
    index.port = 1
    assert (await answer_of(index.network, connect(NAME))).startswith(b"HTTP/1.1 502 ")


@pytest.mark.parametrize("name", [*BAD, "localhost", "https://a.example", "a.example:443", "A.example", "*.b.example"])
def test_only_names_of_hosts_can_be_allowed(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a host"):
        SetupNetwork((name,))


# WT-5
async def test_an_index_of_the_operator_s_own_may_lie_on_a_private_address_and_on_its_own_port() -> None:
    for own in (own_indexes(f"{NAME}:8443=127.0.0.1"), own_indexes(f"{NAME}:8443")):
        index = Index(port=1, addresses=("10.0.0.7",))
        network = replace(index.network, own=own)
        assert b"502" in await answer_of(network, connect(NAME, 8443))  # nobody listens there: it was gone to
        assert index.connected == [own[0].address or "10.0.0.7"]
        assert b"which is not public" in await answer_of(network, connect(NAME))
        assert b"403" in await answer_of(network, connect(NAME, 8444))
        assert b"403" in await answer_of(replace(network, allowed=()), connect(NAME, 8443))


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "168.63.129.16"])
async def test_not_even_the_operator_s_own_index_may_be_where_metadata_is(address: str) -> None:
    network = replace(Index(addresses=(address,)).network, own=own_indexes(f"{NAME}:443"))
    assert b"metadata" in await answer_of(network, connect(NAME))


@pytest.mark.parametrize("text", ["localhost:1", "a.example", "a.example:0", "a.example:70000", "a.example:1=nowhere"])
def test_what_is_no_index_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no index|does not appear"):
        own_indexes(text)
