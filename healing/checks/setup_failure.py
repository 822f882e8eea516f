"""Why a set-up failed, in its first line: what Heal's proxy refused or could not do, else what the step reported
last."""

import re
from collections.abc import Iterable, Sequence

from healing.checks.hosts import USUAL
from healing.sandbox.network import Asked

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
MOST_CHARACTERS = 20_000  # of the output, from its end
MOST_HOSTS = 3
LONGEST = 300


def with_reason(output: bytes, asked: Sequence[Asked] = ()) -> bytes:
    """The output of a set-up that failed, with the reason in its first line."""
    text = output[-MOST_CHARACTERS:].decode(errors="replace")
    first, _, rest = text.partition("\n")
    why = "; ".join(_reasons(asked, text))
    if why:
        return f"{why}\n".encode() + output
    last = _telling(rest)
    return output if not last or len(output) > MOST_CHARACTERS else f"{first}: {last}\n{rest}".encode()


def _reasons(asked: Sequence[Asked], output: str) -> Iterable[str]:
    """What of the network stood in the way, as far as the step minded."""
    refused: dict[str, str] = {}
    for one in asked:
        if one.refused and (one.host in output or NETWORK.search(output) or USED_UP.search(one.refused)):
            refused.setdefault(one.refused if NOT_AMONG in one.refused else f"{one.host} {one.refused}", one.host)
    for text, host in list(refused.items())[:MOST_HOSTS]:
        yield _plain(text, host)
    reached = list(dict.fromkeys(one.host for one in asked if not one.refused))
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
    elif (own := [host for host in reached if host not in USUAL]) and NOTHING_THERE.search(output):
        last = _telling(output)
        yield f"{last} ({_named(own, output)} has none, or wants a login that Heal doesn't have: HEAL_INDEX_LOGINS)"
    elif LOGIN.search(output):
        yield "it wants a login, and set-up steps have no secrets"


def _plain(refused: str, host: str) -> str:
    if NOT_AMONG in refused:
        return f"{host} {NOT_AMONG}: put `network: [default, {host}]` into .github/heal.yml"
    if found := USED_UP.search(refused):
        return f"it downloaded more than {int(found[1]) / (1 << 30):.2g} GiB, which is all that set-up steps may"
    return refused.replace(f"{host} {host} ", f"{host} ", 1)


def _named(hosts: list[str], output: str) -> str:
    """Those that the output names, else all."""
    named = [host for host in hosts if host in output] or hosts
    return " and ".join(named[:MOST_HOSTS])


def _telling(output: str) -> str:
    """The last line that says what went wrong, else the last that says anything."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = next((line for line in reversed(lines) if TELLING.search(line)), lines[-1] if lines else "")
    return named[:LONGEST]
