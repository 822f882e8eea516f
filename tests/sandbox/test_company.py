"""The operator's own indexes, proxy and authorities: read from an environment, used by a real pip inside."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain
from healing.sandbox.company import CompanySettings, read_company_settings
from healing.sandbox.indexes import OwnIndex
from healing.sandbox.job import Sandbox
from healing.sandbox.network import SetupNetwork
from healing.sandbox.upstream import Upstream, upstream_of
from tests.sandbox.certificates import certificate
from tests.sandbox.test_logins import BASIC, PASSWORD, PrivateIndex, private
from tests.sandbox.test_network import NAME, Index, answer_of, connect, index, inside, walled

__all__ = ["index", "private", "walled"]

HOME = "packages.corp.example"


def read(tmp_path: Path, **environ: str) -> CompanySettings:
    return read_company_settings(environ, tmp_path)


# ENV-2
def test_an_index_of_the_environment_is_used_without_its_login_inside(tmp_path: Path) -> None:
    found = read(tmp_path, PIP_INDEX_URL=f"https://heal:{PASSWORD}@{HOME}:8443/api/pypi/simple")
    assert found.variables["PIP_INDEX_URL"] == f"https://{HOME}:8443/api/pypi/simple"
    assert found.variables["UV_DEFAULT_INDEX"] == found.variables["PIP_INDEX_URL"]
    assert found.indexes == (OwnIndex(HOME, 8443),)
    (login,) = found.logins
    assert (login.host, login.port, login.header) == (HOME, 8443, BASIC)
    assert login.covers("/api/pypi/packages/x.whl")
    assert not login.covers("/api/docker/x")
    assert PASSWORD not in repr(found)
    assert BASIC.decode() not in repr(found)


# ENV-2
@pytest.mark.parametrize(
    ("name", "value", "inside"),
    [
        ("UV_INDEX", f"corp=https://u:p@{HOME}/a/simple", f"corp=https://{HOME}/a/simple"),
        ("GOPROXY", f"https://u:p@{HOME}/go,direct", f"https://{HOME}/go,direct"),
        ("PIP_EXTRA_INDEX_URL", f"file:///opt/x https://{HOME}/x", f"https://{HOME}/x"),
        ("NPM_CONFIG_REGISTRY", f"https://{HOME}/npm/", f"https://{HOME}/npm/"),
        ("CARGO_REGISTRIES_CORP_INDEX", f"sparse+https://{HOME}/c/", f"sparse+https://{HOME}/c/"),
        ("PIP_INDEX_URL", f"http://u:p@{HOME}/simple", f"http://{HOME}/simple"),
        ("PIP_INDEX_URL", "http://nexus/simple", None),
        ("PIP_INDEX_URL", "ftp://nexus.corp.example/simple", None),
        ("PIP_INDEX_URL", "https://localhost/simple", None),
        ("PIP_INDEX_URL", f"https://{HOME}/simple?token=abc", None),
        ("PIP_INDEX_URL", f"https://u:p%0Aq@{HOME}/simple", f"https://{HOME}/simple"),
        ("PIP_INDEX_URL", "https://[::1/simple", None),
        ("PIP_INDEX_URL", "\x00", None),
    ],
)
def test_each_variable_keeps_its_addresses_and_loses_its_logins(
    tmp_path: Path, name: str, value: str, inside: str | None
) -> None:
    found = read(tmp_path, **{name: value})
    variables = {key: reported for key, reported in found.variables.items() if key.lower() == name.lower()}
    assert list(variables.values()) == ([inside] if inside else [])
    assert bool(found.problems) is (inside is None or "file:" in value or "%0A" in value)
    assert "p%0Aq" not in repr(found)


# ENV-2
def test_the_files_of_pip_and_npm_say_it_too(tmp_path: Path) -> None:
    (tmp_path / ".config/pip").mkdir(parents=True)
    (tmp_path / ".config/pip/pip.conf").write_text(f"[global]\nindex-url = https://heal:{PASSWORD}@{HOME}/simple\n")
    npmrc = f"registry=https://{HOME}/npm/\n//{HOME}/npm/:_authToken=${{NPM_TOKEN}}\n"
    (tmp_path / ".npmrc").write_text(npmrc + "//registry.npmjs.org/:_authToken=mine\n")
    found = read(tmp_path, NPM_TOKEN="of-the-company")
    assert found.variables["PIP_INDEX_URL"] == f"https://{HOME}/simple"
    assert found.variables["npm_config_registry"] == f"https://{HOME}/npm/"
    assert {(one.path, one.header) for one in found.logins} == {("/", BASIC), ("/npm/", b"Bearer of-the-company")}
    assert "NPM_TOKEN" not in found.variables


# ENV-2
def test_a_persons_login_to_the_public_registry_is_not_for_every_repository(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text("registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=mine\n")
    assert read(tmp_path).logins == ()


# ENV-2 · IN-5
def test_a_stranger_gets_no_index_that_wants_a_login(tmp_path: Path) -> None:
    mirror = "https://mirror.corp.example/npm/"
    found = read(tmp_path, PIP_INDEX_URL=f"https://u:p@{HOME}/simple", npm_config_registry=mirror).without_logins()
    assert found.logins == ()
    assert set(found.variables) == {"npm_config_registry", "YARN_NPM_REGISTRY_SERVER"}
    assert [one.host for one in found.indexes] == ["mirror.corp.example"]


# ENV-2
async def test_authorities_are_those_of_the_machine_and_those_that_are_named_each_once(tmp_path: Path) -> None:
    _, first = await certificate(tmp_path, NAME)
    named = {"SSL_CERT_FILE": str(first), "REQUESTS_CA_BUNDLE": str(first), "PIP_CERT": str(tmp_path / "gone")}
    without, found = read(tmp_path).certificates, read(tmp_path, **named).certificates
    assert found.count(b"BEGIN CERTIFICATE") == without.count(b"BEGIN CERTIFICATE") + 1
    assert found.startswith(without)


# ENV-2
async def test_pip_reaches_the_company_s_index_and_sees_no_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex, tmp_path: Path
) -> None:
    (tmp_path / "authority.pem").write_text(private.certificate)
    environ = {
        "PIP_INDEX_URL": f"https://heal:{PASSWORD}@{NAME}:{private.port}/simple",
        "SSL_CERT_FILE": str(tmp_path / "authority.pem"),
    }
    company = read_company_settings(environ, tmp_path)
    network = SetupNetwork(
        (NAME,), company.indexes, company.logins, company=company, trusted=company.trusted,
        resolve=private_address, tell=private.asked.append, connect=lambda _, port: connected(port),
    )  # fmt: skip
    script = "pip install -q --target /tmp/p heal-demo && ls /tmp/p && env && cat /proc/*/environ /run/*.pem"
    ended = await walled.run(inside(toolchain, worktree, network, "sh", "-c", script))
    assert ended.exit_code == 0, ended.output.decode()
    assert b"heal_demo.py" in ended.output
    assert {login for _, _, login in private.heard} == {BASIC}
    for secret in (PASSWORD.encode(), BASIC.split()[1]):
        assert secret not in ended.output


async def private_address(_: str) -> tuple[str, ...]:
    return ("10.1.2.3",)


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port)


# ENV-2
async def test_a_well_known_index_may_be_a_mirror_inside_where_its_certificate_says_so(
    index: Index, tmp_path: Path
) -> None:
    (tmp_path / "authority.pem").write_text(index.certificate)
    trusting = read_company_settings({"SSL_CERT_FILE": str(tmp_path / "authority.pem")}, tmp_path)
    there = replace(index, addresses=("10.0.0.7",))
    known = replace(there.network, usual=frozenset({NAME}))
    assert b" 200 " in await answer_of(replace(known, trusted=trusting.trusted), connect(NAME))
    refused = await answer_of(known, connect(NAME))
    assert b"what answers there is no packages.example.com: " in refused
    assert b"which is not public" in await answer_of(replace(known, usual=frozenset()), connect(NAME))


# WT-5
@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "0.0.0.0", "169.254.169.254", "fe80::1", "168.63.129.16"])
async def test_no_mirror_is_on_this_machine_or_where_a_cloud_keeps_its_metadata(index: Index, address: str) -> None:
    there = replace(index, addresses=(address,))
    assert b"where no mirror is" in await answer_of(replace(there.network, usual=frozenset({NAME})), connect(NAME))
    assert there.connected == []


@dataclass
class CompanyProxy:
    """A proxy as companies have them: it takes CONNECT from who logs in, and leads to one index whatever is named."""

    index: Index
    port: int = 0
    asked: list[bytes] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            self.asked.append(request)
            if b"Proxy-Authorization: " + BASIC not in request:
                writer.write(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
                writer.close()
                return
            there, back = await asyncio.open_connection("127.0.0.1", self.index.port)
            writer.write(b"HTTP/1.1 200 Yes\r\n\r\n")
            await asyncio.gather(pump(reader, back), pump(there, writer))


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        sink.write(data)
    sink.close()


@pytest.fixture
async def proxy(index: Index) -> AsyncIterator[CompanyProxy]:
    made = CompanyProxy(index)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()


def through(index: Index, proxy: CompanyProxy, login: str = f"heal:{PASSWORD}@", **environ: str) -> SetupNetwork:
    named = {"HTTPS_PROXY": f"http://{login}127.0.0.1:{proxy.port}", **environ}
    return replace(index.network, company=read_company_settings(named, Path("/nowhere")))


# ENV-2
async def test_what_is_allowed_goes_through_the_company_s_proxy_with_its_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, index: Index, proxy: CompanyProxy
) -> None:
    (worktree / "certificate.pem").write_text(index.certificate)
    pip = (
        f"pip install -q --target /tmp/p --cert certificate.pem -i https://{NAME}/simple heal-demo && ls /tmp/p && env"
    )
    ended = await walled.run(inside(toolchain, worktree, through(index, proxy), "sh", "-c", pip))
    assert ended.exit_code == 0, ended.output.decode()
    assert b"heal_demo.py" in ended.output
    assert index.connected == []
    assert proxy.asked
    assert PASSWORD.encode() not in ended.output
    assert BASIC.split()[1] not in ended.output


# ENV-2
async def test_a_refusal_of_the_company_s_proxy_is_reported(index: Index, proxy: CompanyProxy) -> None:
    answer = await answer_of(through(index, proxy, login=""), connect(NAME))
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert "(HTTPS_PROXY) answered 407: it wants another login" in index.asked[-1].refused


# WT-5
async def test_a_repository_can_not_name_what_only_the_company_s_proxy_reaches(
    index: Index, proxy: CompanyProxy
) -> None:
    async def unknown(_: str) -> tuple[str, ...]:
        raise OSError("Name or service not known")

    network = through(index, proxy)
    for inward in (replace(network, resolve=unknown), replace(network, resolve=private_address)):
        assert b" 200 " not in await answer_of(inward, connect(NAME))
    assert proxy.asked == []
    own = replace(network, resolve=unknown, own=(OwnIndex(NAME, 443),))
    assert b" 200 " in await answer_of(own, connect(NAME))


# ENV-2
@pytest.mark.parametrize(
    ("bypassed", "carried"), [("*", False), ("example.com", False), (".example.com,x", False), ("ample.com", True)]
)
def test_some_hosts_are_reached_without_the_proxy(bypassed: str, carried: bool) -> None:
    assert upstream_of("http://p.corp:3128", bypassed).carries(NAME) is carried


@pytest.mark.parametrize(
    "url", ["socks5://u:secret@h:1", "http://u:secret@:1", "http://h:99999", "http://u:a%0Asecret@h:1"]
)
def test_what_is_no_proxy_is_told_of_without_its_login(tmp_path: Path, url: str) -> None:
    found = read(tmp_path, HTTPS_PROXY=url)
    assert (found.upstream, len(found.problems)) == (None, 1)
    assert "secret" not in found.problems[0]
    assert base64.b64encode(b"u:p") not in repr(Upstream("h", 1, header=base64.b64encode(b"u:p"))).encode()
