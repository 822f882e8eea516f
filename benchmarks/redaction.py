"""Secrets that get through the redaction, and what is masked that is no secret; speed in MB/s.

Peer: none in the same run. The library that was weighed (detect-secrets 1.5.0) calls 9,429 words of 1 MB of such logs
secrets, at 0.08 MB/s: made for files under version control, where a person looks at each hit.
Secrets and look-alikes by kind: the lists of tests/logs/secrets, each written before the rules had seen it, and used to
improve them since. Where the shared corpus isn't, only the generated rows and the lists are measured.
"""

import base64
import json
import random
import string
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.extraction import CORPUS
from benchmarks.shape import Goal, Result
from healing.logs.redaction import redact
from tests.logs.secrets import NUMBERS, listed

SEED = 7
EACH = 400
_CORPUS = CORPUS.parent  # as for the extraction: `HEAL_CORPUS`, or what stands beside this checkout
SAFETY = _CORPUS / "safety" / "safety.json.b64"
_LETTERS = string.ascii_letters + string.digits
_Maker = Callable[[random.Random], str]


async def measure() -> Result:
    """A row for each kind of text: how many, how many rightly answered, the share of wrong answers in per cent."""
    result = Result("redaction", SEED, partly=not SAFETY.exists())
    result.rows += [*_generated(random.Random(SEED)), *_list_rows(), *_corpus_rows()]
    by_name = {row["what"]: row for row in result.rows}
    alarms = max(row["wrong %"] for row in result.rows if str(row["what"]).startswith("no secret"))
    leaks = max(row["wrong %"] for row in result.rows if str(row["what"]).startswith("secret"))
    result.goals.append(Goal("false alarms on hashes, ids, digests and clean logs, %", "< 1", alarms, alarms < 1))
    result.goals.append(Goal("secrets that stay readable, %, worst row", "<= 3", leaks, leaks <= 3))
    alike = max(row["wrong %"] for row in result.rows if str(row["what"]).startswith("look-alikes"))
    result.goals.append(Goal("look-alikes that are masked, %, worst row", "<= 5", alike, alike <= 5))
    slowest = min(row["MB/s"] for row in by_name.values() if row["MB/s"])
    result.goals.append(Goal("slowest 1 MB line, MB/s", "> 0.5", slowest, slowest > 0.5))
    return result


def _row(what: str, texts: list[str], wrong: int, speed: float | None = None) -> dict[str, Any]:
    share = round(100 * wrong / len(texts), 2)
    return {"what": what, "texts": len(texts), "right": len(texts) - wrong, "wrong %": share, "MB/s": speed}


def _of(rng: random.Random, letters: str, length: int) -> str:
    return "".join(rng.choices(letters, k=length))


def _hex(length: int) -> _Maker:
    return lambda rng: _of(rng, "0123456789abcdef", length)


def _b64(length: int) -> _Maker:
    return lambda rng: base64.b64encode(rng.randbytes(length)).decode()


_PLAIN: dict[str, _Maker] = {
    "git hash": lambda rng: f"HEAD is now at {_hex(40)(rng)} Merge {_hex(40)(rng)} into {_hex(40)(rng)}",
    "uuid": lambda rng: f"run id={uuid.UUID(int=rng.getrandbits(128))} token count {rng.randrange(9999)}",
    "digest": lambda rng: f"Digest: sha256:{_hex(64)(rng)} pulled ghcr.io/a/b@sha256:{_hex(64)(rng)}",
    "package-lock": lambda rng: f'"integrity": "sha512-{_b64(64)(rng)}",',
    "go.sum": lambda rng: f"github.com/a/b v1.{rng.randrange(99)}.0 h1:{_b64(32)(rng)}",
    "Cargo.lock": lambda rng: f'checksum = "{_hex(64)(rng)}"',
    "pip hash": lambda rng: f"    --hash=sha256:{_hex(64)(rng)} \\",
    "yarn.lock": lambda rng: f'resolved "https://registry.example.com/a/-/a-1.tgz#{_hex(40)(rng)}"',
    "picture": lambda rng: f"![](data:image/png;base64,{_b64(900)(rng)})",
    "request id": lambda rng: f"x-github-request-id: {_of(rng, '0123456789ABCDEF:', 36)}",
    "cache key": lambda rng: f"Cache hit for: Linux-pip-3.12-{_hex(64)(rng)}",
    "address": lambda rng: f"<Token object at 0x{_hex(12)(rng)}> != <Token object at 0x{_hex(12)(rng)}>",
    "build id": lambda rng: f"artifact {rng.randrange(10**10)} key={_of(rng, _LETTERS, 8)} container {_hex(12)(rng)}",
}
_SECRET: dict[str, _Maker] = {
    "GitHub": lambda rng: (
        rng.choice(("ghp_", "gho_", "ghu_", "ghs_", "ghr_")) + _of(rng, _LETTERS, rng.choice((36, 80, 251)))
    ),
    "GitHub installation": lambda rng: (
        f"ghs_eyJ{_of(rng, _LETTERS, 60)}.eyJ{_of(rng, _LETTERS, 350)}.{_of(rng, _LETTERS, 86)}"
    ),
    "GitHub fine-grained": lambda rng: f"github_pat_{_of(rng, _LETTERS, 22)}_{_of(rng, _LETTERS, 59)}",
    "GitLab": lambda rng: f"glpat-{_of(rng, _LETTERS + '_-', 20)}",
    "AWS": lambda rng: (
        f"AWS_SECRET_ACCESS_KEY={_b64(30)(rng)} AWS_ACCESS_KEY_ID=AKIA{_of(rng, string.ascii_uppercase, 16)}"
    ),
    "Google": lambda rng: f"AIza{_of(rng, _LETTERS + '_-', 35)}",
    "Azure": lambda rng: f"AccountName=a;AccountKey={_b64(64)(rng)};EndpointSuffix=example.net",
    "Slack": lambda rng: f"xoxb-{_of(rng, string.digits, 12)}-{_of(rng, string.digits, 12)}-{_of(rng, _LETTERS, 24)}",
    "Stripe": lambda rng: f"sk_live_{_of(rng, _LETTERS, 24)}",
    "npm": lambda rng: f"//registry.example.com/:_authToken=npm_{_of(rng, _LETTERS, 36)}",
    "PyPI": lambda rng: f"pypi-AgEIcHlwaS5vcmc{_of(rng, _LETTERS + '_-', 150)}",
    "Anthropic": lambda rng: f"sk-ant-api03-{_of(rng, _LETTERS + '_-', 93)}AA",
    "OpenAI": lambda rng: f"sk-proj-{_of(rng, _LETTERS + '_-', 120)}",
    "JWT": lambda rng: f"eyJhbGciOiJIUzI1NiJ9.eyJ{_of(rng, _LETTERS, 80)}.{_of(rng, _LETTERS + '_-', 43)}",
    "basic auth": lambda rng: f"https://heal:{_of(rng, _LETTERS, 14)}@example.com/simple",
    "header": lambda rng: f"Authorization: Bearer {_of(rng, _LETTERS, 40)}",
    "named": lambda rng: f'"client_secret": "{_of(rng, _LETTERS + "_-~", 40)}"',
    "encoded": lambda rng: base64.b64encode(f"user: heal\npassword: {_of(rng, _LETTERS, 20)}\n".encode()).decode(),
}


def _generated(rng: random.Random) -> Iterator[dict[str, Any]]:
    for name, make in _PLAIN.items():
        texts = [make(rng) for _ in range(EACH)]
        yield _row(f"no secret: {name}", texts, sum(redact(text) != text for text in texts), _speed(texts))
    for name, make in _SECRET.items():
        texts = [make(rng) for _ in range(EACH)]
        yield _row(f"secret: {name}", texts, sum(redact(text) == text for text in texts), _speed(texts))


def _speed(texts: list[str]) -> float:
    """MB/s on one line of a megabyte."""
    line = (" ".join(texts) * 40)[:1_000_000]
    began = time.process_time()
    redact(line)
    return round(len(line) / 1e6 / (time.process_time() - began), 2)


def _list_rows() -> Iterator[dict[str, Any]]:
    for number in NUMBERS:
        secrets, alike = list(listed(f"unseen_{number}")), list(listed(f"lookalikes_{number}"))
        readable = sum(any(secret in redact(entry.text) for secret in entry.secrets) for entry in secrets)
        yield _row(f"secret: list {number}", [entry.text for entry in secrets], readable)
        masked = sum(redact(entry.text) != entry.text for entry in alike)
        yield _row(f"look-alikes: list {number}", [entry.text for entry in alike], masked)


def _corpus_rows() -> Iterator[dict[str, Any]]:
    if not SAFETY.exists():
        return
    known = json.loads(base64.b64decode(SAFETY.read_bytes()))
    spans = [(entry["text"], span) for entry in known["secrets"] for span in entry["secrets"]]
    yield _row("secret: spans of the corpus", [s for _, s in spans], sum(span in redact(text) for text, span in spans))
    for valid, what in ((True, "secret: files of the corpus"), (False, "look-alikes: files of the corpus")):
        texts = [file["text"] for file in known["secret_files"] if file["valid"] is valid]
        yield _row(what, texts, sum((redact(text) != text) is not valid for text in texts))
    lines = [line for log in json.loads((_CORPUS / "logs" / "manifest.json").read_text()) for line in _lines(log)]
    yield _row("no secret: lines of real logs", lines, sum(redact(line) != line for line in lines), _speed(lines))


def _lines(log: dict[str, Any]) -> list[str]:
    path: Path = _CORPUS / "logs" / log["input"]
    return path.read_text(encoding="utf-8", errors="replace").split("\n")
