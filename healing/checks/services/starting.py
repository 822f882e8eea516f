"""Says which servers stand in for the services of a job, and starts them inside of a sandbox."""

import shlex
from collections.abc import Iterable, Iterator

from healing.checks.services.mysql import MYSQL
from healing.checks.services.postgres import POSTGRES
from healing.checks.services.redis import REDIS
from healing.checks.services.service import LOOPBACK, Installed, Server, Service, ServiceKind, major

KINDS = {kind.name: kind for kind in (POSTGRES, REDIS, MYSQL)}
READY_SECONDS = 60
# What the text of a Kind can use: `$data`, a folder of its own, and these.
AROUND = """
failed() { [ ! -f "$data/log" ] || tail -c 2000 "$data/log"; exit 1; }
answers() { (exec 3<>"/dev/tcp/$1/$2"); }
until_ready() {
  local pid=$1; shift
  until "$@" >/dev/null 2>&1; do
    kill -0 "$pid" 2>/dev/null || { echo "it ended by itself"; return 1; }
    [ "$SECONDS" -lt %d ] || { echo "it was not ready after %d s"; return 1; }
    sleep 0.02
  done
}
""" % (READY_SECONDS, READY_SECONDS)  # noqa: UP031 - full of braces


def kind_of(service: Service) -> ServiceKind | None:
    """The product that can stand in for a service; None where Heal starts none."""
    return next((kind for kind in KINDS.values() if service.repository in kind.images), None)


def difference(service: Service, kind: ServiceKind, installed: Installed) -> str:
    """In what CI's server is another; empty where it is the same product of the same major version."""
    asked = kind.images[service.repository]
    same = asked == installed.name and (not service.version or major(service.version) == major(installed.version))
    return "" if same else f"CI has {asked} {service.version}".rstrip() + f", and Heal {installed}"


def servers_of(services: tuple[Service, ...], in_container: bool) -> tuple[Server, ...]:
    """What to start. Steps on the runner reach mapped ports of localhost, and nothing else; steps in a container reach
    every service by its name (docs.github.com, "Communicating with Docker service containers")."""
    return tuple(server for number, one in enumerate(services) for server in _servers(one, number, in_container))


def _servers(service: Service, number: int, in_container: bool) -> Iterator[Server]:
    kind = kind_of(service)
    if kind is None:
        return
    named = {"kind": kind.name, "image": service.image, "version": service.version, "env": service.env}
    if in_container:  # an address each: two of a kind listen on the same port
        yield Server.model_validate(
            {**named, "address": f"127.0.0.{number + 2}", "port": kind.port, "host": service.name}
        )
    elif outside := next((port for port, inside in service.ports if inside == kind.port), None):
        yield Server.model_validate({**named, "address": LOOPBACK, "port": outside})


def missing(servers: Iterable[Server]) -> str:
    """The first server whose program is not on this machine, as a reason; empty where all are."""
    for server in servers:
        kind = KINDS[server.kind]
        if kind.find(server.version) is None:
            return f"it needs the service {server.image}, which is not installed where Heal runs checks" + (
                f" (Debian: {kind.package})"
            )
    return ""


def start_all(servers: tuple[Server, ...]) -> str:
    """Bash text that starts the servers at once and ends with 0 when all are ready; else it prints which is not, and
    what that one reported. Empty where there are none. What it starts dies with the sandbox."""
    if not servers:
        return ""
    begun = "".join(_start(number, server) for number, server in enumerate(servers))
    return AROUND + begun + "".join(_wait(number, server) for number, server in enumerate(servers))


def _start(number: int, server: Server) -> str:
    kind = KINDS[server.kind]
    installed = kind.find(server.version)
    assert installed is not None, "`missing` has looked"
    own = f'data=$(mktemp -d "$TMPDIR/{kind.name}.XXXXXX")\n{kind.start(server, installed)}'
    return f'(\n{own}) </dev/null >"$TMPDIR/.server{number}" 2>&1 & server{number}=$!\n'


def _wait(number: int, server: Server) -> str:
    report = f'echo {shlex.quote(server.image)}; tail -c 4000 "$TMPDIR/.server{number}"'
    return f'wait "$server{number}" || {{ {report}; exit 1; }}\n'


def hosts(servers: Iterable[Server]) -> tuple[tuple[str, str], ...]:
    """Names that the sandbox has to know, with their addresses."""
    return tuple((server.host, server.address) for server in servers if server.host)
