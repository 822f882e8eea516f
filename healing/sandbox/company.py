"""The operator's own package indexes, proxy and certificate authorities, as named by the environment that Heal was
started in.

Set-up steps see addresses without logins: the logins stay outside, where Heal's proxy adds them.
"""

import base64
import binascii
import configparser
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from healing.sandbox.authority import BUNDLES
from healing.sandbox.indexes import (
    ADDRESSES,
    BESIDE,
    CERTIFICATES,
    NAME,
    PLAIN_PORT,
    PORT,
    PROXIES,
    Login,
    OwnIndex,
)
from healing.sandbox.upstream import Upstream, upstream_of

CARGO = re.compile(r"CARGO_REGISTRIES_[A-Z0-9_]{1,80}_INDEX")
# Where only one of a pair is set, the other gets the same value.
SAME = (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("npm_config_registry", "YARN_NPM_REGISTRY_SERVER"))
SEPARATORS = re.compile(r"([\s,|]+)")
ADDRESS = re.compile(r"(?P<before>(?:[\w.-]{1,80}=)?(?:sparse\+)?)(?P<url>https?://\S{1,2000})")
SCOPED = re.compile(r"(@[a-z0-9~._-]{1,200}):registry")  # a line of an npmrc
PEM = re.compile(rb"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,20000}-----END CERTIFICATE-----")
MAX_BYTES = 8 << 20  # of a file
PUBLIC_NPM = frozenset({"registry.npmjs.org", "npm.pkg.github.com"})  # public, so each user has a login
NPMRC = "/etc/npmrc"  # inside


@dataclass(frozen=True)
class CompanySettings:
    """`indexes` may lie on private addresses; `variables` are for set-up steps and contain no login, nor do `scopes`,
    the registries of npm's scopes (`@us`); `certificates` (PEM) are those that this machine trusts and those that the
    operator names by the variables in `trusting`; `problems` describe what could not be used."""

    indexes: tuple[OwnIndex, ...] = ()
    logins: tuple[Login, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    scopes: Mapping[str, str] = field(default_factory=dict)
    upstream: Upstream | None = None
    certificates: bytes = b""
    trusting: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def npmrc(self) -> bytes:
        """The settings that npm, pnpm and yarn read only from a file."""
        return "".join(f"{scope}:registry={address}\n" for scope, address in sorted(self.scopes.items())).encode()

    def trusted(self) -> ssl.SSLContext:
        """The TLS context with which Heal itself verifies servers."""
        context = ssl.create_default_context()
        if self.certificates:
            context.load_verify_locations(cadata=self.certificates.decode("ascii"))
        return context

    def without_logins(self) -> "CompanySettings":
        """The same without the indexes that need a login: untrusted code could read the packages there."""
        authenticated = {(index.host, index.port) for index in self.logins}
        indexes = tuple(index for index in self.indexes if (index.host, index.port) not in authenticated)
        prefixes = [f"//{_place(index)}/" for index in self.indexes if index not in indexes]

        def kept(texts: Mapping[str, str]) -> dict[str, str]:
            return {key: text for key, text in texts.items() if not any(name in text for name in prefixes)}

        return replace(self, indexes=indexes, logins=(), variables=kept(self.variables), scopes=kept(self.scopes))


def read_company_settings(environ: Mapping[str, str], home: Path) -> CompanySettings:
    """Read variables and the settings files of pip and npm. Never raises: what can't be used is listed in
    `problems`."""
    reading = _Reading(environ, home)
    reading.read()
    return CompanySettings(
        tuple(dict.fromkeys(reading.indexes)),
        tuple(reading.logins),
        reading.variables,
        reading.scopes,
        reading.upstream,
        certificates_of(reading.environ, reading.named),
        tuple(_inside(name) for name in CERTIFICATES if reading.environ.get(name)),
        tuple(dict.fromkeys(reading.problems)),
    )


def certificates_of(environ: Mapping[str, str], named: Mapping[str, str]) -> bytes:
    """The certificates (PEM) of the authorities that this machine trusts and that the operator names, each once; empty
    where there are none."""
    named_files = [Path(value) for name in CERTIFICATES if (value := environ.get(name) or named.get(name))]
    blocks = dict.fromkeys(block for path in (*_first_there(), *named_files) for block in _blocks(path))
    return b"\n".join(blocks)


def _first_there() -> Iterator[Path]:
    yield from [path for path in BUNDLES if path.is_file()][:1]


def _blocks(path: Path) -> list[bytes]:
    with suppress(OSError, ValueError):
        if path.is_file() and path.stat().st_size <= MAX_BYTES:
            return PEM.findall(path.read_bytes())
    return []


class _Reading:
    """Reads the operator's environment once."""

    def __init__(self, environ: Mapping[str, str], home: Path) -> None:
        self.environ = {**{name.upper(): value for name, value in environ.items() if value}, **environ}
        self.home = home
        self.named: dict[str, str] = {}  # settings from files, under the name of the equivalent variable
        self.npm: dict[str, str] = {}
        self.indexes: list[OwnIndex] = []
        self.logins: list[Login] = []
        self.variables: dict[str, str] = {}
        self.scopes: dict[str, str] = {}
        self.upstream: Upstream | None = None
        self.problems: list[str] = []

    def read(self) -> None:
        self._pip_files()
        self._npm_files()
        settings = {**self.named, **self.environ}
        for name, value in sorted(settings.items()):
            if value and (name in ADDRESSES or CARGO.fullmatch(name)):
                self._address(_inside(name), value)
            elif value and name in BESIDE:
                self.variables[name] = value
        for first, second in (*SAME, *((two, index) for index, two in SAME)):
            if first in self.variables and second not in self.variables and "UV_INDEX_URL" not in self.variables:
                self.variables[second] = self.variables[first]
        self._npm_login(self.variables.get("npm_config_registry", ""))
        self._npm_scopes()
        if self.scopes:
            self.variables["npm_config_globalconfig"] = NPMRC
        plain = dict.fromkeys(_place(index) for index in self.indexes if not index.tls)
        if plain:  # pip refuses plain HTTP to any other host
            self.variables["PIP_TRUSTED_HOST"] = " ".join(plain)
        self._proxy()

    def _address(self, name: str, value: str) -> None:
        """Take the addresses from a variable, without what a step must not see."""
        kept = []
        for word in SEPARATORS.split(value.strip()):
            match = ADDRESS.fullmatch(word)
            if match:
                kept.append(match["before"] + self._plain(name, match["url"]))
            elif SEPARATORS.fullmatch(word) or word in ("direct", "off"):
                kept.append(word)
            else:
                self.problems.append(f"{name} names what is no http address: set-up steps don't get it")
        value_read = "".join(kept).strip(" ,|")
        if "://" in value_read:
            self.variables[name] = value_read

    def _plain(self, name: str, text: str) -> str:
        """The address without its login, which is kept outside; empty where it can't be used."""
        try:
            url = urlsplit(text)
            tls = url.scheme == "https"
            index = OwnIndex(url.hostname or "", url.port or (PORT if tls else PLAIN_PORT), tls=tls)
        except ValueError:
            self.problems.append(f"{name} names no address that can be read: set-up steps don't get it")
            return ""
        if not NAME.match(index.host) or url.query or url.fragment:
            self.problems.append(f"{name} names no https://HOST/PATH with a full host name: set-up steps don't get it")
            return ""
        self.indexes.append(index)
        if url.username or url.password:
            login = b":".join(unquote_to_bytes(part or "") for part in (url.username, url.password))
            path = _above(unquote(url.path))
            self._login(name, index.host, index.port, path, b"Basic " + base64.b64encode(login), login)
        return f"{url.scheme}://{_place(index)}{url.path or '/'}"

    def _login(self, name: str, host: str, port: int, path: str, header: bytes, secret: bytes) -> None:
        if any(byte < 0x20 or byte == 0x7F for byte in secret):
            self.problems.append(f"{name} has a login with a control character: it is not used")
        else:
            self.logins.append(Login(host, port, path, header))

    def _pip_files(self) -> None:
        own = self.environ.get("PIP_CONFIG_FILE", "")
        homes = (self.home / ".pip/pip.conf", self.home / ".config/pip/pip.conf")
        for path in (Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"), *homes, *([Path(own)] if own else [])):
            parser = configparser.RawConfigParser(strict=False)
            with suppress(OSError, ValueError, configparser.Error):
                parser.read_string(_text(path))
            for section in ("global", "install"):
                for key, name in (("index-url", "PIP_INDEX_URL"), ("extra-index-url", "PIP_EXTRA_INDEX_URL")):
                    if value := parser.get(section, key, fallback=""):
                        self.named[name] = value
                if value := parser.get(section, "cert", fallback=""):
                    self.named["PIP_CERT"] = value

    def _npm_files(self) -> None:
        own = self.environ.get("NPM_CONFIG_USERCONFIG", "")
        for path in (Path("/etc/npmrc"), Path("/usr/etc/npmrc"), Path(own) if own else self.home / ".npmrc"):
            with suppress(OSError, ValueError):
                for line in _text(path).splitlines():
                    key, equals, value = line.partition("=")
                    if equals and not line.lstrip().startswith(("#", ";")):
                        value_read = re.sub(r"\$\{(\w{1,200})\}", self._variable, value.strip().strip("\"'"))
                        self.npm[key.strip()] = value_read
        for key in ("registry", "cafile"):
            if key in self.npm:
                self.named[f"NPM_CONFIG_{key.upper()}"] = self.npm[key]

    def _variable(self, found: re.Match[str]) -> str:
        name = found[1]
        return self.environ.get(name, "")

    def _npm_scopes(self) -> None:
        """Read the registries of the company's scopes (`@us`), with their logins."""
        for key, value in self.npm.items():
            match = SCOPED.fullmatch(key)
            if match and ADDRESS.fullmatch(value):
                address = self._plain(f"npmrc, {match[1]}:registry,", value)
                if address:
                    self.scopes[match[1]] = address
                    self._npm_login(address)

    def _npm_login(self, registry: str) -> None:
        """Read the login of the company's registry. The login of a public registry belongs to a person and is not
        used."""
        url = urlsplit(registry)
        if not url.hostname or url.hostname in PUBLIC_NPM:
            return
        parts = url.path.strip("/").split("/")
        for depth in range(len(parts), -1, -1):
            path = "/".join(["", *parts[:depth], ""]) if depth and parts[0] else "/"
            secret = _npm_header({key: self.npm.get(f"//{url.netloc}{path}:{key}", "") for key in NPM_KEYS})
            if secret:
                port = url.port or (PORT if url.scheme == "https" else PLAIN_PORT)
                self._login("npmrc", url.hostname, port, path, secret, secret)
                return

    def _proxy(self) -> None:
        for name in PROXIES:
            if value := self.environ.get(name, ""):
                try:
                    self.upstream = upstream_of(value, self.environ.get("NO_PROXY", ""))
                except ValueError as error:
                    self.problems.append(f"{name} {error}")
                return


NPM_KEYS = ("_authToken", "_auth", "username", "_password")


def _place(index: OwnIndex) -> str:
    """The host, with the port where it is not the default."""
    usual = index.port == (PORT if index.tls else PLAIN_PORT)
    return index.host if usual else f"{index.host}:{index.port}"


def _inside(name: str) -> str:
    """The variable's name as it is set for a step; npm's variables are known by their lower-case spelling."""
    return name.lower() if name.startswith("NPM_") else name


def _npm_header(value_read: Mapping[str, str]) -> bytes:
    if value_read["_authToken"]:
        return b"Bearer " + value_read["_authToken"].encode()
    if value_read["_auth"]:
        return b"Basic " + value_read["_auth"].encode()
    if value_read["username"] and value_read["_password"]:
        with suppress(binascii.Error):
            return b"Basic " + base64.b64encode(
                value_read["username"].encode() + b":" + base64.b64decode(value_read["_password"])
            )
    return b""


def _above(path: str) -> str:
    """The path under which an index also keeps its files: beside its `simple` folder."""
    parts = [part for part in path.split("/") if part]
    if parts and parts[-1].lstrip("+") == "simple":
        parts.pop()
    return "/".join(["", *parts, ""]) if parts else "/"


def _text(path: Path) -> str:
    """The text of a file. Raises OSError or ValueError where it can't be read."""
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        raise OSError
    return path.read_text()
