"""The operator's own package indexes: where they are, and the logins that they need.

Logins stay outside of the sandbox: Heal's proxy adds them to the requests of a set-up step.
"""

import base64
import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, unquote_to_bytes, urlsplit

NAME = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,10}[a-z][a-z0-9-]{0,61}[a-z0-9]\Z")
PORT, PLAIN_PORT = 443, 80
# Variables that point package managers and language installers to an operator's own addresses; related variables
# without addresses; those that name CA bundles; and those that name a proxy.
ADDRESSES = (
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"),
    *("UV_PYTHON_INSTALL_MIRROR", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER", "BUN_CONFIG_REGISTRY"),
    *("COREPACK_NPM_REGISTRY", "NODEJS_ORG_MIRROR", "GOPROXY", "RUSTUP_DIST_SERVER", "RUSTUP_UPDATE_ROOT"),
)
BESIDE = ("GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "COREPACK_INTEGRITY_KEYS", "UV_INDEX_STRATEGY")
CERTIFICATES = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"),
    *("CARGO_HTTP_CAINFO", "NIX_SSL_CERT_FILE", "NPM_CONFIG_CAFILE"),
)
PROXIES = ("HTTPS_PROXY", "ALL_PROXY")
OF_OPERATOR = (*ADDRESSES, *BESIDE, *CERTIFICATES, *PROXIES, "NO_PROXY", "PIP_CONFIG_FILE", "NPM_CONFIG_USERCONFIG")
SHAPE = "write https://USER:PASSWORD@HOST/PATH, or https://:TOKEN@HOST/PATH where the index takes a bearer token"
MAX_LENGTH = 4_000  # characters of a line


@dataclass(frozen=True)
class OwnIndex:
    """A package index of the operator's own: only such a host may lie on a private address and on a port other than
    443. `address`: where it is; empty: where its name resolves to. `tls`: whether it uses HTTPS."""

    host: str
    port: int
    address: str = ""
    tls: bool = True


def own_indexes(text: str) -> tuple[OwnIndex, ...]:
    """Parse `HOST:PORT` or `HOST:PORT=ADDRESS`, several separated by spaces. Raises ValueError, which says what is
    wrong."""
    indexes = []
    for word in text.split():
        place, _, address = word.partition("=")
        host, _, port = place.rpartition(":")
        if not NAME.match(host) or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise ValueError(f"{word!r} is no index: write HOST:PORT or HOST:PORT=ADDRESS")
        if address:
            ipaddress.ip_address(address)
        indexes.append(OwnIndex(host, int(port), address))
    return tuple(indexes)


@dataclass(frozen=True)
class Login:
    """What is added (`header`, the value of `Authorization`) to requests to `host` and `port` below `path`."""

    host: str
    port: int
    path: str
    header: bytes = field(repr=False)

    def covers(self, target: str) -> bool:
        """Whether a request's target lies below this path, however it is spelled. An ambiguous target doesn't: an index
        may keep more than packages behind one login, and interpret the target differently."""
        plain = unquote(target.partition("?")[0])
        parts = plain.split("/")
        ambiguous = "%" in plain or "\\" in plain or not {".", ".."}.isdisjoint(parts) or "" in parts[1:-1]
        return not ambiguous and plain.startswith(self.path)


def index_logins(text: str) -> tuple[Login, ...]:
    """Parse one login per line, each a URL that contains it, special characters written as %XX; blank lines and lines
    that begin with # are ignored. Raises ValueError, which names the line number and never its content."""
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return tuple(_login(number, line) for number, line in lines if line and not line.startswith("#"))


def _login(number: int, line: str) -> Login:
    invalid = ValueError(f"line {number} is no index with its login: {SHAPE}")
    try:
        url = urlsplit(line)
        host, port = url.hostname or "", url.port or PORT
    except ValueError:
        raise invalid from None
    user, password = (unquote_to_bytes(part or "") for part in (url.username, url.password))
    if url.scheme != "https" or not NAME.match(host) or not password or url.query or url.fragment:
        raise invalid
    if len(line) > MAX_LENGTH or any(byte < 0x20 or byte == 0x7F for byte in user + password) or b":" in user:
        raise invalid
    path = unquote(url.path) or "/"
    header = b"Basic " + base64.b64encode(user + b":" + password) if user else b"Bearer " + password
    return Login(host, port, path if path.endswith("/") else path + "/", header)
