"""`python -m tests.fuzzing.webhooks [--inputs N] [--seed S]`: signed hostile deliveries through the real endpoint.

All of the web process but its store, which only counts: what is fuzzed is whatever looks at a stranger's bytes. Every
input has to be answered with 2xx or 4xx; what is not is printed, with its bytes, and ends the run with exit code 1.
"""

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from typing import Any

from bot.web.webhook import Webhook
from tests.bot.hooks import SECRET, headers
from tests.fuzzing.mutations import HOSTILE, mutated
from tests.fuzzing.payloads import payloads

KINDS = payloads()


class Counting:
    """An inbox that forgets."""

    async def store(self, guid: str, event: str, body: bytes) -> bool:
        return True


def application() -> Webhook:
    """The endpoint alone; what it asks of an inbox is all here."""
    return Webhook(Counting(), SECRET)  # type: ignore[arg-type]


async def answered(app: Webhook, body: bytes, reported: dict[str, str]) -> int:
    """The status of one delivery, through the server's own interface (ASGI); an exception counts as 500."""
    sent: list[dict[str, Any]] = []
    raw = [(name.lower().encode(), value.encode("utf-8", "replace")) for name, value in reported.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/webhook",
        "raw_path": b"/webhook", "root_path": "", "scheme": "http", "query_string": b"", "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2), "headers": raw,
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    try:
        await app(scope, receive, send)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 500
    return int(sent[0]["status"])


def delivery(chance: random.Random) -> tuple[bytes, dict[str, str]]:
    """One hostile delivery with a good signature, now and then with hostile headers."""
    event, payload = chance.choice(KINDS)
    body = mutated(chance, payload)
    reported = headers(body, event if chance.random() < 0.95 else "push", guid=f"{chance.getrandbits(64):016x}")
    if chance.random() < 0.05:
        reported[chance.choice(list(reported))] = str(chance.choice(HOSTILE))[:200].replace("\n", " ")
    return body, reported


async def fuzz(inputs: int, seed: int) -> tuple[Counter[int], list[bytes]]:
    """How often each status came, and the first inputs that were answered with a 5xx."""
    app, chance = application(), random.Random(seed)
    statuses: Counter[int] = Counter()
    bad: list[bytes] = []
    for _ in range(inputs):
        body, reported = delivery(chance)
        status = await answered(app, body, reported)
        statuses[status] += 1
        if status >= 500 and len(bad) < 20:
            bad.append(body)
    return statuses, bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    began = time.monotonic()
    statuses, bad = asyncio.run(fuzz(chosen.inputs, chosen.seed))
    took = f"{time.monotonic() - began:.0f} s"
    print(f"{chosen.inputs} webhooks, seed {chosen.seed}, {took}: {dict(sorted(statuses.items()))}")
    for body in bad:
        print(f"5xx: {body[:500]!r}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
