"""Reads `services:` of a job."""

import re
from collections.abc import Iterator

from healing.checks.expressions import Partial, Unknown, Value, resolve, text, unknowns
from healing.checks.reading import Setting
from healing.checks.services.service import Service
from healing.checks.source import SourceMapping, block_of
from healing.checks.steps import evaluated

PORT = re.compile(r"(?:(?:[0-9.]{7,15}:)?([0-9]{1,5})?:)?([0-9]{1,5})(?:/tcp)?\Z")
FREE = 41_000  # the first port that is taken where the workflow lets the runner choose and the obvious one is taken
UNLIKE = ("volumes", "command", "entrypoint")


def read_services(setting: Setting, job: SourceMapping) -> Iterator[Service]:
    """What a job starts beside its steps; an empty image is none, as on GitHub. Raises WorkflowError."""
    services = block_of(setting.path, job, "services")
    taken: set[int] = set()
    for name, raw in services.items():
        block = raw if isinstance(raw, SourceMapping) else SourceMapping(services.line)
        image = setting.fill(text(block.get("image") if isinstance(raw, SourceMapping) else raw)).shown
        if not image:
            continue
        env = evaluated(block_of(setting.path, block, "env"), setting)
        yield Service(
            name,
            image,
            setting.place(services, name),
            {key: text(value) for key, value in env.items()},
            tuple(_ports(resolve(block.get("ports"), setting.contexts), setting, taken)),
            unknowns(*env.values()),
            tuple(f"`{key}:`" for key in UNLIKE if block.get(key)),
        )


def _ports(value: Value, setting: Setting, taken: set[int]) -> Iterator[tuple[int, int]]:
    for entry in value if isinstance(value, list) else []:
        found = PORT.match(text(resolve(entry, setting.contexts)).strip())
        if not found:
            continue
        inside = int(found.group(2))
        outside = int(found.group(1) or 0) or (inside if inside not in taken else FREE + len(taken))
        taken.add(outside)
        if 0 < outside < 65_536 and 0 < inside < 65_536:
            yield outside, inside


def job_context(services: tuple[Service, ...]) -> Value:
    """What expressions find under `job`: the ports of its services."""
    found: dict[str, Value] = {}
    for service in services:
        ports: dict[str, Value] = {str(inside): str(outside) for outside, inside in service.ports}
        found[service.name] = {"ports": ports, "id": Unknown((f"job.services.{service.name}.id",))}
    return Partial("job", {"services": found, "status": "success"})
