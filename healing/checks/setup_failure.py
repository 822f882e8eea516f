"""Puts the reason of a failed set-up in its first line: what Heal's proxy refused or could not do, else what the step
itself reported last."""

import re
from collections.abc import Iterable, Sequence

from healing.checks.hosts import USUAL
from healing.logs.wording import shortened
from healing.sandbox.network import RequestedConnection

CERTIFICATE = re.compile(
    r"certificate[_ ]verify[_ ]failed|SELF_SIGNED_CERT|self[- ]signed certificate|UNABLE_TO_(?:GET|VERIFY)_\w{1,40}|"
    r"x509: certificate|UnknownIssuer|unknown[_ ]ca\b|server certificate verification failed",
    re.I,
)
LOGIN = re.compile(
    r"\b401\b.{0,40}(?:Unauthorized|Error|Client|Credentials)|\bE401\b|\bENEEDAUTH\b|"
    r"could not read (?:Username|Password)|[Aa]uthentication (?:is )?(?:failed|required)|HTTP error 401|error: 401",
    re.I,
)
NOTHING_THERE = re.compile(r"\(from versions: none\)|not found in the package registry")  # pip, uv
NETWORK = re.compile(
    r"\b(?:40[37]|50[24])\b|tunnel|proxy|connect|network|ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|timed? ?out|resolve",
    re.I,
)
TELLING = re.compile(
    r"\b(?:\w{0,60}error|fatal|failed|failure|cannot|can't|could not|unable|no matching|not found)\b", re.I
)
NOT_AMONG = "is not among the hosts that set-up steps may reach"
USED_UP = re.compile(r"all (\d+) bytes are used up", re.I)
MAX_CHARACTERS = 20_000  # of the output, from its end
MAX_HOSTS = 3
MAX_LENGTH = 300


def with_reason(output: bytes, connections: Sequence[RequestedConnection] = ()) -> bytes:
    """The output of a failed set-up, with the reason in its first line."""
    text = output[-MAX_CHARACTERS:].decode(errors="replace")
    first, _, rest = text.partition("\n")
    why = "; ".join(_reasons(connections, text))
    if why:
        return f"{why}\n".encode() + output
    last = _error_line(rest)
    return output if not last or len(output) > MAX_CHARACTERS else f"{first}: {last}\n{rest}".encode()


def _reasons(connections: Sequence[RequestedConnection], output: str) -> Iterable[str]:
    """Yield what went wrong with the network, where the output suggests that it caused the failure."""
    refused: dict[str, str] = {}
    for connection in connections:
        if connection.refused and (
            connection.host in output or NETWORK.search(output) or USED_UP.search(connection.refused)
        ):
            refused.setdefault(
                connection.refused if NOT_AMONG in connection.refused else f"{connection.host} {connection.refused}",
                connection.host,
            )
    for text, host in list(refused.items())[:MAX_HOSTS]:
        yield _explained(text, host)
    reached = list(dict.fromkeys(connection.host for connection in connections if not connection.refused))
    if reached and CERTIFICATE.search(output):
        yield (
            f"the certificate of {_named(reached, output)} is not trusted in there: name the authority's file in "
            "SSL_CERT_FILE where Heal is started"
        )
    elif reached and LOGIN.search(output):
        yield (
            f"{_named(reached, output)} wants a login, and Heal has none for it: set HEAL_INDEX_LOGINS, or the index's "
            "address with its login, where Heal is started (never used for forks)"
        )
    elif (private := [host for host in reached if host not in USUAL]) and NOTHING_THERE.search(output):
        last = _error_line(output)
        yield f"{last} ({_named(private, output)} has none, or wants a login that Heal doesn't have: HEAL_INDEX_LOGINS)"
    elif LOGIN.search(output):
        yield "it wants a login, and set-up steps have no secrets"


def _explained(refused: str, host: str) -> str:
    if NOT_AMONG in refused:
        return f"{host} {NOT_AMONG}: put `network: [default, {host}]` into .github/heal.yml"
    if match := USED_UP.search(refused):
        return f"it downloaded more than {int(match[1]) / (1 << 30):.2g} GiB, which is all that set-up steps may"
    return refused.replace(f"{host} {host} ", f"{host} ", 1)


def _named(hosts: list[str], output: str) -> str:
    """The hosts that the output names, or all of them where it names none; at most MAX_HOSTS."""
    named = [host for host in hosts if host in output] or hosts
    return " and ".join(named[:MAX_HOSTS])


def _error_line(output: str) -> str:
    """The last line that reports an error, else the last line that is not empty."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = next((line for line in reversed(lines) if TELLING.search(line)), lines[-1] if lines else "")
    return shortened(named, MAX_LENGTH)
