"""Decides which servers replace the services of a job, and starts them inside a sandbox."""

import shlex
from collections.abc import Iterable, Iterator

from healing.checks.services.mysql import MYSQL
from healing.checks.services.postgres import POSTGRES
from healing.checks.services.redis import REDIS
from healing.checks.services.service import LOOPBACK, Installed, Server, Service, ServiceKind, major

KINDS = {kind.name: kind for kind in (POSTGRES, REDIS, MYSQL)}
READY_SECONDS = 60
# What a ServiceKind's bash text can use: `$data`, a folder of its own, and these functions.
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
    """The product that can replace a service; None where Heal has none."""
    return next((kind for kind in KINDS.values() if service.repository in kind.images), None)


def difference(service: Service, kind: ServiceKind, installed: Installed) -> str:
    """How the installed server differs from CI's; empty where it is the same product with the same major version."""
    asked = kind.images[service.repository]
    same = asked == installed.name and (not service.version or major(service.version) == major(installed.version))
    return "" if same else f"CI has {asked} {service.version}".rstrip() + f", and Heal {installed}"


def servers_of(services: tuple[Service, ...], in_container: bool) -> tuple[Server, ...]:
    """The servers to start. Steps on the runner reach only mapped ports of localhost; steps in a container reach every
    service by its name (docs.github.com, "Communicating with Docker service containers")."""
    return tuple(
        server for number, service in enumerate(services) for server in _servers(service, number, in_container)
    )


def _servers(service: Service, number: int, in_container: bool) -> Iterator[Server]:
    kind = kind_of(service)
    if kind is None:
        return
    fields = {"kind": kind.name, "image": service.image, "version": service.version, "env": service.env}
    if in_container:  # one address each, since two of the same kind listen on the same port
        yield Server.model_validate(
            {**fields, "address": f"127.0.0.{number + 2}", "port": kind.port, "host": service.name}
        )
    elif outside := next((port for port, inside in service.ports if inside == kind.port), None):
        yield Server.model_validate({**fields, "address": LOOPBACK, "port": outside})


def missing(servers: Iterable[Server]) -> str:
    """The reason for the first server whose program is not on this machine; empty where all are."""
    for server in servers:
        kind = KINDS[server.kind]
        if kind.find(server.version) is None:
            return f"it needs the service {server.image}, which is not installed where Heal runs checks" + (
                f" (Debian: {kind.package})"
            )
    return ""


def start_all(servers: tuple[Server, ...]) -> str:
    """Bash text that starts all servers at the same time and exits with 0 when all are ready; otherwise it prints which
    one failed, with its output. Empty where there are none. What it starts dies with the sandbox."""
    if not servers:
        return ""
    started = "".join(_start(number, server) for number, server in enumerate(servers))
    return AROUND + started + "".join(_wait(number, server) for number, server in enumerate(servers))


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
    """The host names that the sandbox has to resolve, with their addresses."""
    return tuple((server.host, server.address) for server in servers if server.host)
