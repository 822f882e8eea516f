"""Private package indexes: a real pip, a real uv and a real npm inside, the login outside."""

import asyncio
import base64
import contextlib
import hashlib
import io
import json
import re
import ssl
import tarfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.environment.toolchain import Toolchain
from healing.sandbox.indexes import Login, index_logins, own_indexes
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.network import RequestedConnection, SetupNetwork
from healing.sandbox.proxy import RequestNotAllowed, rewritten_request
from tests.sandbox.certificates import certificate
from tests.sandbox.test_network import NAME, WHEEL, walled, wheel
from tests.uv import LOCK, PROJECT, needs_uv

__all__ = ["walled"]

OTHER = "files.example.com"
PASSWORD = "canary-PaSsWoRd-7f3a"
BASIC = b"Basic " + base64.b64encode(b"heal:" + PASSWORD.encode())


@dataclass
class PrivateIndex:
    """Answers under two names; under the first only to who logs in. `heard`: (host, method and target, login)."""

    port: int = 0
    certificate: str = ""
    pages: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)  # target → type and bytes
    moved: dict[str, str] = field(default_factory=dict)  # target → where it is now
    heard: list[tuple[str, str, bytes]] = field(default_factory=list)
    asked: list[RequestedConnection] = field(default_factory=list)

    @property
    def network(self) -> SetupNetwork:
        own = own_indexes(f"{NAME}:{self.port}=127.0.0.1 {OTHER}:{self.port}=127.0.0.1")
        logins = index_logins(f"https://heal:{PASSWORD}@{NAME}:{self.port}/")
        trusted = lambda: ssl.create_default_context(cadata=self.certificate)  # noqa: E731 - one line says it
        return SetupNetwork((NAME, OTHER), own, logins, tell=self.asked.append, trusted=trusted)

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            fields = {name.lower(): reported.strip() for name, _, reported in (line.partition(b":") for line in lines)}
            target = first.split()[1].decode()
            host = fields[b"host"].decode().partition(":")[0]
            self.heard.append((host, first.rpartition(b" ")[0].decode(), fields.get(b"authorization", b"")))
            writer.write(self._answer(host, target, fields))
            await writer.drain()
        writer.close()

    def _answer(self, host: str, target: str, fields: dict[bytes, bytes]) -> bytes:
        end = b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
        if host == NAME and fields.get(b"authorization") != BASIC:
            return b"HTTP/1.1 401 Who are you\r\nWWW-Authenticate: Basic realm=x\r\n" + end % (0, b"")
        if target in self.moved:
            return b"HTTP/1.1 302 Moved\r\nLocation: " + self.moved[target].encode() + b"\r\n" + end % (0, b"")
        kind, body = self.pages.get(target, (b"", b""))
        status = b"200 OK" if kind else b"404 Not here"
        return b"HTTP/1.1 %s\r\nContent-Type: %s\r\n" % (status, kind or b"text/plain") + end % (len(body), body)


@pytest.fixture
async def private(tmp_path: Path) -> AsyncIterator[PrivateIndex]:
    key, its_certificate = await certificate(tmp_path, NAME, OTHER)
    index = PrivateIndex(certificate=its_certificate.read_text())
    index.pages["/simple/heal-demo/"] = (b"text/html", f'<a href="/{WHEEL}">{WHEEL}</a>'.encode())
    index.pages[f"/{WHEEL}"] = (b"application/octet-stream", wheel(tmp_path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(its_certificate, key)
    server = await asyncio.start_server(index.serve, "127.0.0.1", 0, ssl=context)
    index.port = server.sockets[0].getsockname()[1]
    yield index
    server.close()


def step(toolchain: Toolchain, worktree: Path, index: PrivateIndex, script: str) -> Job:
    env, readable = toolchain.env, toolchain.readable
    argv = ("sh", "-e", "-c", script)
    return Job(argv, worktree, env=env, readable=readable, network=index.network, limits=Limits(seconds=60))


# WT-5
async def test_pip_installs_from_an_index_that_wants_a_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    pip = f"pip install -q --target /tmp/packages --index-url {private.url}/simple heal-demo"
    use = "PYTHONPATH=/tmp/packages python -c 'import heal_demo; print(heal_demo.VALUE)'"
    ended = await walled.run(step(toolchain, worktree, private, f"{pip}\n{use}"))
    assert ended.output.endswith(b"42\n"), ended.output.decode()
    assert {login for _, _, login in private.heard} == {BASIC}
    assert {(one.host, one.refused) for one in private.asked} == {(NAME, "")}


# WT-5
async def test_uv_syncs_from_an_index_that_wants_a_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex, data: Path
) -> None:
    with_uv = toolchain.with_programs((needs_uv(data),))
    body = private.pages[f"/{WHEEL}"][1]
    reported = {"wheel": WHEEL, "hash": hashlib.sha256(body).hexdigest(), "size": len(body)}
    (worktree / "pyproject.toml").write_text(PROJECT.replace("https://hostile.example", private.url))
    (worktree / "uv.lock").write_text(LOCK.format(where=f"{NAME}:{private.port}", **reported))
    use = "uv sync -q --frozen && uv run -q --frozen python -c 'import heal_demo; print(heal_demo.VALUE)'"
    ended = await walled.run(step(with_uv, worktree, private, use))
    assert ended.output.endswith(b"42\n"), ended.output.decode()
    assert {login for _, _, login in private.heard} == {BASIC}


def package() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, data in (
            ("package.json", b'{"name": "@us/left", "version": "1.0.0"}'),
            ("index.js", b"exports.n = 42"),
        ):
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return packed.getvalue()


# WT-5
@pytest.mark.skipif(not Path("/usr/bin/npm").exists(), reason="npm is not installed for all users")
async def test_npm_installs_from_a_registry_that_wants_a_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    version = {"name": "@us/left", "version": "1.0.0", "dist": {"tarball": f"{private.url}/left.tgz"}}
    reported = {"name": "@us/left", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    private.pages["/@us%2fleft"] = (b"application/json", json.dumps(reported).encode())
    private.pages["/left.tgz"] = (b"application/octet-stream", package())
    lines = f"@us:registry={private.url}/\n//{NAME}:{private.port}/:_authToken=${{NPM_TOKEN}}\n"
    (worktree / ".npmrc").write_text(lines)
    npm = "npm install --no-update-notifier @us/left && node -p \"require('@us/left').n\""
    ended = await walled.run(step(toolchain, worktree, private, npm))
    assert ended.output.endswith(b"42\n"), ended.output.decode()
    assert {login for _, _, login in private.heard} == {BASIC}


SNOOP = r"""
import os, sys
def files():
    for top in ("/tmp", "/run", "/etc", "/work", "/proc"):
        for at, folders, names in os.walk(top):
            if at.startswith("/proc/") and at.count("/") > 2:
                folders.clear()
            yield from (os.path.join(at, name) for name in names if name not in ("kmsg", "kcore", "trace_pipe"))
looked = 0
for path in files():
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 20)
    except OSError:
        continue
    looked += 1
    for canary in sys.argv[1].split(","):
        if canary.encode()[::-1] in data:
            print("FOUND in", path)
print("looked at", looked > 100)
"""


# WT-5
async def test_nothing_inside_can_read_the_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    canaries = ",".join(one[::-1] for one in (PASSWORD, BASIC.decode()[6:]))  # backwards, not to be found themselves
    pip = f"pip install -v --target /tmp/packages --index-url {private.url}/simple heal-demo > said"
    snoop = f"cat > /tmp/snoop.py <<'EOF'\n{SNOOP}\nEOF\npython /tmp/snoop.py {canaries}"
    asked = f"curl -sSi {private.url}/simple/heal-demo/ -H 'Authorization: mine' >> said || true"
    ended = await walled.run(step(toolchain, worktree, private, f"{pip}\n{asked}\nenv >> said\n{snoop}"))
    assert ended.output == b"looked at True\n", ended.output.decode()
    output = (worktree / "said").read_text()
    assert "heal-demo" in output
    assert PASSWORD not in output
    assert BASIC.decode() not in output


# WT-5
async def test_a_redirect_to_another_host_does_not_carry_the_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    private.moved[f"/{WHEEL}"] = f"https://{OTHER}:{private.port}/moved/{WHEEL}"
    private.pages[f"/moved/{WHEEL}"] = private.pages[f"/{WHEEL}"]
    (worktree / "theirs.pem").write_text(private.certificate)
    trust = "cat theirs.pem $PIP_CERT > /tmp/both.pem; export REQUESTS_CA_BUNDLE=/tmp/both.pem"
    pip = f"pip install -q --target /tmp/packages --index-url {private.url}/simple heal-demo"
    ended = await walled.run(step(toolchain, worktree, private, f"{trust}\n{pip}"))
    assert ended.exit_code == 0, ended.output.decode()
    assert {(host, login) for host, _, login in private.heard} == {(NAME, BASIC), (OTHER, b"")}


# WT-5
async def test_nothing_can_be_published_with_the_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    curl = f"curl -sS -o /dev/null -w '%{{http_code}}\\n' --max-time 20 {private.url}"
    asks = [f"{curl}/x -X {method}" for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")]
    asks += [f"{curl}/x -d more", f"{curl}/x -X GET -d more"]
    ended = await walled.run(step(toolchain, worktree, private, "\n".join(asks)))
    assert ended.output.split() == [b"405"] * 8, ended.output.decode()
    assert private.heard == []


async def test_an_index_that_can_not_prove_its_name_is_told_no_login(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    job = step(toolchain, worktree, private, f"curl -sS --max-time 20 {private.url}/simple/heal-demo/")
    assert job.network
    network = replace(job.network, trusted=ssl.create_default_context)
    ended = await walled.run(replace(job, network=network))
    assert ended.exit_code != 0
    assert private.heard == []
    assert "certificate verify failed" in private.asked[0].refused


async def test_a_login_is_used_for_hosts_that_the_repository_names_alone(
    walled: Sandbox, toolchain: Toolchain, worktree: Path, private: PrivateIndex
) -> None:
    job = step(toolchain, worktree, private, f"curl -sS --max-time 20 {private.url}/")
    assert job.network
    ended = await walled.run(replace(job, network=replace(job.network, allowed=(OTHER,))))
    assert ended.exit_code != 0
    assert private.heard == []


LOGIN = Login(NAME, 443, "/api/pypi/ours/", b"Basic c2VjcmV0")


def rewritten(request: bytes) -> bytes:
    return rewritten_request(request, NAME, 443, (LOGIN,))


@pytest.mark.parametrize(
    ("target", "logged_in"),
    [
        ("/api/pypi/ours/simple/x/", True),
        ("/api/pypi/ours/", True),
        ("/api/pypi/ours/@us%2fleft?write=true", True),
        ("/api/pypi/ours", False),
        ("/api/security/apiKey", False),
        ("/api/pypi/ours/../../security/apiKey", False),
        ("/api/pypi/ours/%2e%2e/%2E./security/apiKey", False),
        ("/api/pypi/ours/..%2f..%2fsecurity/apiKey", False),
        ("/api/pypi/ours/%252e%252e/security/apiKey", False),
        ("/api/pypi/ours/..\\..\\security", False),
        ("/api/pypi/ours/..;/../security", False),
        ("/api/pypi/ours//x", False),
        ("/x?/api/pypi/ours/", False),
    ],
)
def test_a_login_is_used_below_its_path_however_that_is_spelled(target: str, logged_in: bool) -> None:
    assert (b"Authorization" in rewritten(f"GET {target} HTTP/1.1\r\n\r\n".encode())) == logged_in


@given(st.binary(max_size=300) | st.from_regex(rb"GET /api/pypi/ours/[!-~]{0,9} HTTP/1\.1(\r\n[ -~\r\n]{0,60}){0,6}\Z"))
def test_whatever_is_asked_one_clean_request_is_made_of_it_or_none(request_: bytes) -> None:
    try:
        reported = rewritten(request_ + b"\r\n\r\n")
    except RequestNotAllowed:
        return
    first, *lines = reported.removesuffix(b"\r\n\r\n").split(b"\r\n")
    assert re.fullmatch(rb"(?:GET|HEAD) /[!-~]* HTTP/1\.1", first)
    names = [line.partition(b":")[0].lower() for line in lines]
    assert reported.count(b"\r\n\r\n") == 1
    assert names.count(b"host") == names.count(b"connection") == 1
    assert names.count(b"authorization") <= 1
    assert not {b"content-length", b"transfer-encoding", b"expect", b"upgrade", b"cookie"} & set(names)


@pytest.mark.parametrize(
    "line",
    [
        f"http://u:s3cret@{NAME}/",
        f"https://{NAME}/s3cret",
        f"https://s3cret@{NAME}/",
        "https://u:s3cret@localhost/",
        f"https://u:s3cret%0d%0aX:1@{NAME}/",
        f"https://u:s3cret@{NAME}/?q",
        f"https://u:s3cret@{NAME}:s3cret/",
        "s3cret",
        f"https://u:{'s3cret' * 1000}@{NAME}/",
        "https://u:s3cret@[::1/",
    ],
)
def test_what_is_no_login_is_refused_and_not_told(line: str) -> None:
    with pytest.raises(ValueError, match="line 2 is no index with its login") as refused:
        index_logins(f"# ours\n{line}\n")
    assert "s3cret" not in str(refused.value)


def test_logins_are_read_as_they_are_written_and_never_shown() -> None:
    first, second = index_logins(f"https://u%40x:p%3A%2F@{NAME}:8443/api/x\n\nhttps://:to.ken@{NAME}")
    assert (first.host, first.port, first.path, first.header) == (
        NAME,
        8443,
        "/api/x/",
        b"Basic " + base64.b64encode(b"u@x:p:/"),
    )
    assert (second.port, second.path, second.header) == (443, "/", b"Bearer to.ken")
    assert "ken" not in repr(second)
