"""`python -m benchmarks.load.sender PLAN`: signed deliveries at their times; prints status and seconds of each."""

import asyncio
import hashlib
import hmac
import json
import sys
import time
from pathlib import Path
from typing import Any

import httpx

AT_ONCE = 50  # connections


async def send(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """All of the plan, each at its time, over a bounded number of connections."""
    answers: list[dict[str, Any]] = []
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE)
    url = f"http://127.0.0.1:{plan['port']}/webhook"
    async with httpx.AsyncClient(trust_env=False, limits=limits, timeout=30) as client:
        began = time.monotonic()

        async def one(delivery: dict[str, Any], body: bytes, headers: dict[str, str]) -> None:
            await asyncio.sleep(began + delivery["at"] - time.monotonic())
            sent = time.monotonic()
            try:
                status = (await client.post(url, content=body, headers=headers)).status_code
            except httpx.TransportError:
                status = 0
            answers.append({"status": status, "seconds": time.monotonic() - sent})

        async with asyncio.TaskGroup() as group:
            for delivery in plan["sent"]:
                body = json.dumps(delivery["body"]).encode()
                group.create_task(one(delivery, body, _headers(delivery["guid"], body, plan["secret"])))
    return answers


def _headers(guid: str, body: bytes, secret: str) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": "check_run",
        "X-GitHub-Delivery": guid,
        "X-Hub-Signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(send(json.loads(Path(sys.argv[1]).read_text())))))
