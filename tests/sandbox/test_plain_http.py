"""A company's indexes that speak plain HTTP, and its registries of npm's scopes: a real pip and a real npm inside."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain
from healing.sandbox.company import CompanySettings, read_company_settings
from healing.sandbox.indexes import OwnIndex
from healing.sandbox.job import Sandbox
from healing.sandbox.network import SetupNetwork
from tests.sandbox.test_company import connected, private_address
from tests.sandbox.test_logins import BASIC, PASSWORD, PrivateIndex, package
from tests.sandbox.test_network import NAME, WHEEL, answer_of, connect, inside, walled, wheel

__all__ = ["walled"]


@pytest.fixture
async def plain(tmp_path: Path) -> AsyncIterator[PrivateIndex]:
    """Wants a login, and speaks plain HTTP."""
    index = PrivateIndex()
    index.pages["/simple/heal-demo/"] = (b"text/html", f'<a href="/{WHEEL}">{WHEEL}</a>'.encode())
    index.pages[f"/{WHEEL}"] = (b"application/octet-stream", wheel(tmp_path))
    server = await asyncio.start_server(index.serve, "127.0.0.1", 0)
    index.port = server.sockets[0].getsockname()[1]
    yield index
    server.close()


def reached(index: PrivateIndex, company: CompanySettings) -> SetupNetwork:
    """The network that the operator's environment gives, where its names lead to a private address."""
    return SetupNetwork(
        (NAME,), company.indexes, company.logins, company=company,
        resolve=private_address, tell=index.asked.append, connect=lambda _, port: connected(port),
    )  # fmt: skip


# ENV-2
async def test_pip_installs_from_a_plain_http_index_and_sees_no_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, plain: PrivateIndex, tmp_path: Path
) -> None:
    company = read_company_settings({"PIP_INDEX_URL": f"http://heal:{PASSWORD}@{NAME}:{plain.port}/simple"}, tmp_path)
    assert (company.problems, company.indexes) == ((), (OwnIndex(NAME, plain.port, tls=False),))
    script = "pip install -q --target /tmp/p heal-demo && ls /tmp/p && env && cat /proc/*/environ"
    ended = await walled.run(inside(toolchain, worktree, reached(plain, company), "sh", "-c", script))
    assert ended.exit_code == 0, ended.output.decode()
    assert b"heal_demo.py" in ended.output
    assert {login for _, _, login in plain.heard} == {BASIC}
    for secret in (PASSWORD.encode(), BASIC.split()[1]):
        assert secret not in ended.output


# ENV-2
@pytest.mark.skipif(not Path("/usr/bin/npm").exists(), reason="npm is not installed for all users")
async def test_npm_finds_the_registry_of_a_scope_as_the_operators_npmrc_names_it(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, plain: PrivateIndex, tmp_path: Path
) -> None:
    url = f"http://{NAME}:{plain.port}/"
    version = {"name": "@us/left", "version": "1.0.0", "dist": {"tarball": f"{url}left.tgz"}}
    reported = {"name": "@us/left", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    plain.pages["/@us%2fleft"] = (b"application/json", json.dumps(reported).encode())
    plain.pages["/left.tgz"] = (b"application/octet-stream", package())
    login = base64.b64encode(f"heal:{PASSWORD}".encode()).decode()
    (tmp_path / ".npmrc").write_text(f"@us:registry={url}\n//{NAME}:{plain.port}/:_auth={login}\n")
    company = read_company_settings({}, tmp_path)
    assert dict(company.scopes) == {"@us": url}
    npm = "npm install --no-update-notifier @us/left && node -p \"require('@us/left').n\" && cat /etc/npmrc && env"
    ended = await walled.run(inside(toolchain, worktree, reached(plain, company), "sh", "-c", npm))
    assert ended.exit_code == 0, ended.output.decode()
    assert b"42\n@us:registry=http://" in ended.output
    assert {login for _, _, login in plain.heard} == {BASIC}
    assert login.encode() not in ended.output


# ENV-2 IN-5
def test_a_stranger_gets_no_scope_whose_registry_wants_a_login(tmp_path: Path) -> None:
    closed, free = "//closed.corp.example/npm/", "//open.corp.example/npm/"
    (tmp_path / ".npmrc").write_text(
        f"@closed:registry=https:{closed}\n{closed}:_authToken=mine\n@free:registry=https:{free}\n"
        "@github:registry=https://npm.pkg.github.com\n//npm.pkg.github.com/:_authToken=a-persons\n"
        "@odd:registry=file:///x\n@:registry=https://x.example.com/\n"
    )
    found = read_company_settings({}, tmp_path)
    assert set(found.scopes) == {"@closed", "@free", "@github"}
    assert [one.host for one in found.logins] == ["closed.corp.example"], "a person's login is not for every repository"
    assert found.npmrc.startswith(b"@closed:registry=https://closed.corp.example/npm/\n@free:registry=https://open.")
    kept = {"@free": f"https:{free}", "@github": "https://npm.pkg.github.com/"}
    assert dict(found.without_logins().scopes) == kept


# WT-5
async def test_plain_http_is_passed_on_to_an_index_that_is_named_so_and_for_reading_alone(
    plain: PrivateIndex, tmp_path: Path
) -> None:
    where = f"{NAME}:{plain.port}"
    network = reached(
        plain, read_company_settings({"PIP_INDEX_URL": f"http://heal:{PASSWORD}@{where}/simple"}, tmp_path)
    )

    def asks(method: str, target: str, more: str = "") -> bytes:
        return f"{method} {target} HTTP/1.1\r\nHost: {where}\r\n{more}\r\n".encode()

    here = f"http://{where}/simple/heal-demo/"
    assert WHEEL.encode() in await answer_of(network, asks("GET", here))
    assert WHEEL.encode() in await answer_of(network, connect(NAME, plain.port), asks("GET", "/simple/heal-demo/"))
    assert (await answer_of(network, asks("HEAD", here))).startswith(b"HTTP/1.1 200 OK")
    received = len(plain.heard)
    refused = (
        asks("POST", here),
        asks("GET", here, "Content-Length: 5\r\n"),
        asks("GET", "http://other.example.com/"),
        asks("GET", f"http://{NAME}/simple/"),
        asks("GET", f"http://heal:x@{where}/simple/"),
        asks("GET", f"http://{where}"),
    )
    assert [(await answer_of(network, one))[9:12] for one in refused] == [
        b"403",
        b"405",
        b"403",
        b"403",
        b"403",
        b"403",
    ]
    tunnel = connect(NAME, plain.port)
    for free in (network, replace(network, logins=())):
        assert b"405 Only GET and HEAD" in await answer_of(free, tunnel, asks("POST", "/"))
    with_tls = replace(network, own=tuple(replace(one, tls=True) for one in network.own))
    assert b"403 Only HTTPS is passed on" in await answer_of(with_tls, asks("GET", here))
    assert len(plain.heard) == received
