"""All attempts to escape, by theme; those of one theme share one start of the sandbox."""

from tests.sandbox.escapes.left_over import LEFT_OVER
from tests.sandbox.escapes.network import NETWORK, SOCKETS
from tests.sandbox.escapes.privileges import FILES, PRIVILEGES
from tests.sandbox.escapes.processes import PROCESSES
from tests.sandbox.escapes.secrets import SECRETS
from tests.sandbox.escapes.writes import MODES, WRITES

CATALOGUE = {
    "secrets": SECRETS,
    "network": {**NETWORK, **SOCKETS},
    "privileges": {**PRIVILEGES, **FILES},
    "processes": PROCESSES,
    "writes": {**WRITES, **MODES},
    "left over": LEFT_OVER,
}
