"""The storm: which deliveries are sent when. The same seed gives the same one."""

import random
from dataclasses import dataclass
from typing import Any

TWICE = 0.2  # of all that is sent


@dataclass(frozen=True)
class Storm:
    """`sent`: {at (seconds), guid, body} in the order of sending; `guids` are the different ones; `checks`: how many
    different checks failed on each commit."""

    sent: list[dict[str, Any]]
    guids: frozenset[str]
    checks: dict[str, int]


def storm(
    seed: int, deliveries: int, seconds: float, shas: list[str], repo_id: int, full_name: str, installation: int
) -> Storm:
    """Failures spread over the commits and over the time, shuffled, with repetitions of the same delivery."""
    chance = random.Random(seed)
    different = deliveries - int(deliveries * TWICE)
    bodies = [(f"{chance.getrandbits(128):032x}", shas[n % len(shas)], n) for n in range(different)]
    again = [chance.choice(bodies) for _ in range(deliveries - different)]
    order = [*bodies, *again]
    chance.shuffle(order)
    sent = [
        {"at": seconds * at / deliveries, "guid": guid, "body": _failed(sha, n, repo_id, full_name, installation)}
        for at, (guid, sha, n) in enumerate(order)
    ]
    checks = {sha: sum(other == sha for _, other, _ in bodies) for sha in shas}
    return Storm(sent, frozenset(guid for guid, _, _ in bodies), {sha: n for sha, n in checks.items() if n})


def _failed(sha: str, number: int, repo_id: int, full_name: str, installation: int) -> dict[str, Any]:
    owner, _, name = full_name.partition("/")
    person = {"login": owner, "id": 1, "type": "User"}
    check = {
        "id": 1_000_000 + number,
        "name": f"job {number}",
        "head_sha": sha,
        "status": "completed",
        "conclusion": "failure",
        "app": {"id": 9, "slug": "other-ci"},
        "check_suite": {"id": 2_000_000 + number, "head_branch": "topic"},
        "pull_requests": [],
    }
    repo = {"id": repo_id, "name": name, "full_name": full_name, "default_branch": "main", "private": False}
    return {
        "action": "completed",
        "check_run": check,
        "repository": {**repo, "owner": person},
        "sender": person,
        "installation": {"id": installation},
    }
