"""A set-up step's request as an index gets it that Heal itself speaks to: in Heal's own words, with the login that it
wants."""

import re
from collections.abc import Iterable

from healing.sandbox.indexes import PLAIN_PORT, PORT, Login

ASKED = re.compile(rb"(GET|HEAD) (/[!-~]{0,7000}) HTTP/1\.[01]\Z")
FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,99}):[ \t]{0,9}([ -~]{0,4000})\Z")
# What a step may add to its request; no login of its own, and nothing that says where one request ends.
PASSED = frozenset(
    b"accept accept-encoding accept-language user-agent cache-control range if-range if-none-match if-modified-since "
    b"npm-in-ci npm-scope pacote-version pacote-req-type".split()
)


class NotPassedOn(Exception):
    """The request may not be made; the text says why."""


def rewritten_request(request: bytes, host: str, port: int, logins: Iterable[Login], tls: bool = True) -> bytes:
    """The request, which ends with an empty line, as it is sent to the index. Only what reads is passed on: with a
    login somebody could publish. Raises NotPassedOn."""
    first, *rest = request.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = ASKED.match(first)
    if found is None:
        raise NotPassedOn("Only GET and HEAD are passed on to an index that Heal logs in to, or that speaks plain HTTP")
    fields = [field for line in rest if (field := FIELD.match(line))]
    if any(one[1].lower() in (b"content-length", b"transfer-encoding") and one[2] != b"0" for one in fields):
        raise NotPassedOn("Nothing is sent to an index that Heal logs in to, or that speaks plain HTTP")
    target = found[2].decode("ascii")
    where = host if port == (PORT if tls else PLAIN_PORT) else f"{host}:{port}"
    header_lines = [first.replace(b"HTTP/1.0", b"HTTP/1.1"), b"Host: " + where.encode(), b"Connection: close"]
    header_lines += [one[1] + b": " + one[2] for one in fields if one[1].lower() in PASSED]
    login = next((one for one in logins if (one.host, one.port) == (host, port) and one.covers(target)), None)
    header_lines += [b"Authorization: " + login.header] if login else []
    return b"\r\n".join([*header_lines, b"", b""])
