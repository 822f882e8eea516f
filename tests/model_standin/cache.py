"""The prompt cache, simulated: prefix hashes, marks, a look-back of 20 blocks, a minimum, a time to live.

An entry can be read only once the reply that wrote it has started, so requests fired together all miss.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.model_standin.replies import Block, Body
from tests.model_standin.rules import Spec, bare, marked

SECONDS = {"5m": 300.0, "1h": 3600.0}
LOOK_BACK = 20


def tokens_of(text: str) -> int:
    """About what today's tokenizer makes of code: 2.7 bytes a token."""
    return math.ceil(len(text.encode("utf-8", "replace")) / 2.7)


@dataclass(frozen=True)
class Step:
    """The prompt up to and including one block."""

    name: str
    place: str
    total: int
    ttl: str | None


@dataclass
class Account:
    """How one request's input is billed, and what it leaves in the cache."""

    read: int
    write_5m: int
    write_1h: int
    plain: int
    writes: dict[str, str] = field(default_factory=dict)  # prefix → ttl

    def usage(self) -> dict[str, object]:
        return {
            "input_tokens": self.plain,
            "cache_read_input_tokens": self.read,
            "cache_creation_input_tokens": self.write_5m + self.write_1h,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.write_5m,
                "ephemeral_1h_input_tokens": self.write_1h,
            },
        }


def prompt_steps(body: Body) -> list[Step]:
    """The prompt's prefixes, block by block; the automatic mark stands on the last one."""
    found: list[Step] = []
    name, total = body["model"], 0
    blocks = list(marked(body))
    for number, (place, block) in enumerate(blocks):
        text = bare(block)
        name = hashlib.sha256(f"{name}|{place}|{text}".encode()).hexdigest()
        total += tokens_of(text)
        found.append(Step(name, place, total, _ttl(block, body if number == len(blocks) - 1 else {})))
    return found


def _ttl(block: Block, body: Body) -> str | None:
    mark = block.get("cache_control") or body.get("cache_control")
    return mark.get("ttl", "5m") if mark else None


class Cache:
    """One account's cache. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.until: dict[str, tuple[float, str]] = {}  # prefix → (when it ends, its ttl)

    def account(self, body: Body, spec: Spec) -> Account:
        """Bills a request; nothing is written yet. A hit refreshes the entry's time for free."""
        steps = prompt_steps(body)
        marks = [number for number, step in enumerate(steps) if step.ttl and step.total >= spec.cacheable]
        hit = self._longest_hit(steps, marks)
        read = steps[hit].total if hit >= 0 else 0
        account = Account(read, 0, 0, 0)
        at = read
        for number in marks:
            if number <= hit:
                continue
            step = steps[number]
            if step.ttl == "1h":
                account.write_1h += step.total - at
            else:
                account.write_5m += step.total - at
            account.writes[step.name] = step.ttl or "5m"
            at = step.total
        account.plain = steps[-1].total - at
        return account

    def _longest_hit(self, steps: list[Step], marks: list[int]) -> int:
        best = -1
        for mark in marks:
            for number in range(mark, max(mark - LOOK_BACK, -1), -1):
                ends, ttl = self.until.get(steps[number].name, (-1.0, "5m"))
                if ends > self.clock():
                    self.until[steps[number].name] = (self.clock() + SECONDS[ttl], ttl)
                    best = max(best, number)
                    break
        return best

    def write(self, account: Account) -> None:
        """Makes a request's entries readable: its reply has started."""
        for name, ttl in account.writes.items():
            self.until[name] = (self.clock() + SECONDS[ttl], ttl)


def divergence(before: list[Step], now: list[Step]) -> dict[str, object] | None:
    """Why `now` could not reuse all of `before`: the vendor's reason, or None where it is a prefix."""
    names = {step.name for step in now}
    lost = next((step for step in before if step.name not in names), None)
    if lost is None:
        return None
    place = lost.place.partition(".")[0]
    missed = before[-1].total - lost.total
    return {"type": f"{place}_changed", "cache_missed_input_tokens": missed}
